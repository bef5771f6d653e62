import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import pg from 'pg'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { canReach } from './account.ts'
import { isAlive } from './postmaster-file.ts'
import {
  findRunning,
  PortTakenError,
  type PostgresOptions,
  type RunningPostgres,
  startPostgres,
} from './start.ts'

const home = mkdtempSync(join(fastFolder(), 'windlass-postgres-'))
chmodSync(home, 0o755)
const options: PostgresOptions = { dataFolder: join(home, 'data'), port: 0, superuserPassword: 'wörd/:@ #' }
const started: RunningPostgres[] = []

async function start(changes: Partial<PostgresOptions> = {}): Promise<RunningPostgres> {
  const postgres = await startPostgres({ ...options, ...changes })
  started.push(postgres)
  return postgres
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

afterEach(async () => {
  await Promise.all(started.splice(0).map(postgres => postgres.stop()))
})
afterAll(() => rmSync(home, { recursive: true }))

describe('starting Postgres', () => {
  it('creates the data folder once, keeps its content, and applies settings', async () => {
    const first = await start()
    expect(first).toMatchObject({ adopted: false, initialised: true })
    const client = await connect(first.url)
    await client.query(`CREATE TABLE kept AS SELECT 'yes' AS answer`)
    await client.end()
    await first.stop()
    expect(isAlive(first.pid)).toBe(false)

    const second = await start({ settings: { max_connections: 17 } })
    expect(second).toMatchObject({ adopted: false, initialised: false })
    const again = await connect(second.url)
    expect((await again.query('SELECT answer FROM kept')).rows).toEqual([{ answer: 'yes' }])
    expect((await again.query('SHOW max_connections')).rows).toEqual([{ max_connections: '17' }])
    await again.end()
  })

  it('adopts a server that a killed parent left running', async () => {
    const first = await start()
    const second = await start({ port: first.port })
    expect(second).toMatchObject({ adopted: true, pid: first.pid, port: first.port })
    await second.stop()
    expect(isAlive(first.pid)).toBe(false)
  })

  it('restarts an adopted server when another port is requested', async () => {
    const first = await start()
    const free = (await start({ dataFolder: join(home, 'other') })).port
    await started.pop()?.stop()
    const second = await start({ port: free })
    expect(second).toMatchObject({ adopted: false, port: free })
    expect(isAlive(first.pid)).toBe(false)
  })

  it('recovers from a kill -9 of the server itself', async () => {
    const first = await start()
    const client = await connect(first.url)
    await client.query('CREATE TABLE survivors AS SELECT 1 AS n')
    process.kill(first.pid, 'SIGKILL')
    await client.end().catch(() => undefined)
    const second = await start()
    const again = await connect(second.url)
    expect((await again.query('SELECT n FROM survivors')).rows).toEqual([{ n: 1 }])
    await again.end()
  })

  it('ignores a lock file whose process id was reused', async () => {
    writeFileSync(
      join(options.dataFolder, 'postmaster.pid'),
      `${process.pid}\n${options.dataFolder}\n1\n5432\n`,
    )
    expect(await start()).toMatchObject({ adopted: false })
  })

  it('refuses a port that another program uses', async () => {
    const holder = createServer()
    const port = await new Promise<number>(resolve => {
      holder.listen(0, '127.0.0.1', () => {
        const address = holder.address()
        resolve(typeof address === 'object' && address ? address.port : 0)
      })
    })
    await expect(start({ port })).rejects.toThrow(PortTakenError)
    await expect(start({ port })).rejects.toMatchObject({ port })
    holder.close()
  })

  it('gives the superuser the password that is configured now, whether the server runs or not', async () => {
    await start()
    for (const superuserPassword of [`it's "new"`, options.superuserPassword]) {
      const { url, notices } = await start({ superuserPassword })
      expect(notices.join()).toContain('password of the superuser')
      await (await connect(url)).end()
      const wrong = Object.assign(new URL(url), { password: 'wrong' }).href
      await expect(connect(wrong)).rejects.toThrow('password')
    }
  })

  it('removes what a killed start left while it created the data folder', async () => {
    const dataFolder = join(home, 'third')
    mkdirSync(`${dataFolder}.0123abcd`)
    writeFileSync(`${dataFolder}.0123abcd.password`, 'secret')
    await start({ dataFolder })
    expect(readdirSync(home).filter(name => name.startsWith('third'))).toEqual(['third'])
  })

  it('leaves no process and no file behind when it is aborted', async () => {
    for (const milliseconds of [20, 250]) {
      const dataFolder = join(home, `broken-off-${milliseconds}`)
      const broken = startPostgres({ ...options, dataFolder, signal: AbortSignal.timeout(milliseconds) })
      const ended = await broken.then(
        postgres => postgres.stop(),
        () => undefined,
      )
      expect(ended).toBeUndefined()
      expect(findRunning(dataFolder)).toBeUndefined()
      expect(readdirSync(home).filter(name => /[.]/.test(name))).toEqual([])
    }
  })

  it('shows the end of the log when the server does not start', async () => {
    await expect(start({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(/shared_buffers/)
  })

  it('refuses data of another major version', async () => {
    const dataFolder = join(home, 'old')
    mkdirSync(dataFolder)
    writeFileSync(join(dataFolder, 'PG_VERSION'), '9\n')
    await expect(start({ dataFolder })).rejects.toThrow('written by Postgres 9')
  })

  it.runIf(process.getuid?.() === 0)(
    'keeps the data in a folder that its unprivileged account can enter',
    async () => {
      const closed = join(home, 'closed')
      mkdirSync(closed, { mode: 0o700 })
      const postgres = await start({ dataFolder: join(closed, 'data') })
      expect(postgres.dataFolder).toMatch(/^\/var\/lib\/windlass\/[0-9a-f]{16}$/)
      expect(postgres.notices.join()).toContain(postgres.dataFolder)
      expect(statSync(postgres.dataFolder).uid).not.toBe(0)
      await started.pop()?.stop()
      rmSync(postgres.dataFolder, { recursive: true })
    },
  )
})

describe('access to a folder', () => {
  const account = { name: 'someone', uid: 4_000_000, gid: 4_000_000 }

  it('needs the right to enter every folder above it', () => {
    const open = join(home, 'open')
    const shut = join(open, 'shut')
    mkdirSync(shut, { recursive: true })
    chmodSync(shut, 0o750)
    expect(canReach(account, join(open, 'data'))).toBe(true)
    expect(canReach(account, join(shut, 'data'))).toBe(false)
    expect(canReach(account, join(shut, 'deeper', 'data'))).toBe(false)
  })
})
