import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { Agent, get } from 'node:http'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { freePorts, isFree } from '@windlass/testing/free-ports.ts'
import pg from 'pg'
import { spawn } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { PortsTakenError } from './choose-ports.ts'
import { CHECKOUT, COMPILE_CACHE, type Home, homeAt, prepareHome } from './home.ts'
import { leftServices } from './leftovers.ts'
import { type ProcessIdentity, identify, isRunning } from '@windlass/runtimes/processes/process-identity.ts'
import { markOf } from '@windlass/runtimes/processes/run-file.ts'
import { firstUnreachable } from '@windlass/runtimes/processes/server-user.ts'
import { overview } from './overview.ts'
import type { Progress } from './progress.ts'
import { requestRestart } from './restarts.ts'
import { readLock, writeRunFile } from './run-files.ts'
import { DATABASES, type Service } from './services.ts'
import type { Settings } from './settings.ts'
import { AlreadyRunningError, raiseStack, type Stack } from './stack.ts'
import { prepareUsers } from './users.ts'
import { stop as stopCommand } from './commands/stop.ts'

let folder: string
let home: Home
let said: string[]
let port: number
const stacks: Stack[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(fastFolder(), 'windlass-stack-'))
  chmodSync(folder, 0o755)
  home = homeAt(join(folder, 'home'))
  said = []
  ;[port = 0] = await freePorts(7)
})

afterEach(async () => {
  await Promise.all(stacks.splice(0).map(stack => stack.stop()))
  rmSync(folder, { recursive: true, force: true })
})

const progress: Progress = {
  heading: text => said.push(text),
  done: (what, detail) => said.push(`done ${what} ${detail}`),
  note: text => said.push(text),
  warn: text => said.push(text),
  fail: text => said.push(text),
  plain: text => said.push(text),
}

/** A service that writes what happens to it, and its environment, into files. */
function fakeService(name: string, changes: Partial<Service> = {}, body = ''): Service {
  const script = join(folder, `${name}.ts`)
  writeFileSync(
    script,
    `import { createServer } from 'node:http'
import { appendFileSync, writeFileSync } from 'node:fs'
const tell = (what) => appendFileSync(${JSON.stringify(join(folder, 'events'))}, what + ' ${name}\\n')
writeFileSync(${JSON.stringify(join(folder, `${name}.env`))}, JSON.stringify(process.env))
${body}
const port = Number(process.env['${name.toUpperCase()}_PORT'])
createServer((request, response) => response.end('ok')).listen(port, '127.0.0.1', () => tell('up'))
process.on('SIGTERM', () => { tell('down'); process.exit(0) })
`,
  )
  const ports = [[`${name.toUpperCase()}_PORT`, 1]] as const
  return { name, title: name, script, ports, health: '/', needs: [], replacedBy: [], ...changes }
}

function environment(services: readonly Service[], more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const ports = services.map(({ name }, index) => [`${name.toUpperCase()}_PORT`, String(port + 1 + index)])
  return { ...Object.fromEntries(ports), POSTGRES_PORT: String(port), PROXY_PORT: String(port + 5), ...more }
}

/** Most tests need no database. Where all are elsewhere, no Postgres starts. */
const WITHOUT_POSTGRES = Object.fromEntries(
  DATABASES.map(({ variable }) => [variable, 'postgres://elsewhere.example/x']),
)

async function raise(
  services: readonly Service[],
  more: Record<string, string> = WITHOUT_POSTGRES,
): Promise<Stack> {
  const stack = await raiseStack({
    home,
    environment: environment(services, more),
    progress,
    interrupted: new AbortController().signal,
    services,
  })
  stacks.push(stack)
  return stack
}

function made<T>(value: T | null): T {
  if (value === null) throw new Error('there is none')
  return value
}

const events = () => readFileSync(join(folder, 'events'), 'utf8').trim().split('\n')
const environmentOf = (name: string): Record<string, string> =>
  JSON.parse(readFileSync(join(folder, `${name}.env`), 'utf8'))

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 20) {
    if (waited > 15_000) throw new Error(`timed out; progress: ${said.join(' | ')}`)
    await sleep(20)
  }
}

describe('a stack', () => {
  it('starts a part after those it needs and stops it before them', async () => {
    const stack = await raise([
      fakeService('base'),
      fakeService('middle', { needs: ['base'] }),
      fakeService('top', { needs: ['middle'] }),
    ])
    await stack.stop()
    expect(events()).toEqual(['up base', 'up middle', 'up top', 'down top', 'down middle', 'down base'])
    expect(await readLock(home.run)).toBeUndefined()
    expect(await leftServices(home)).toEqual([])
  })

  it('creates the databases, each reachable at the address its service gets', async () => {
    const stack = await raise(
      [fakeService('platform-api', { ports: [['PLATFORM-API_PORT', 1]], needs: ['postgres'] })],
      {},
    )
    const { PLATFORM_DATABASE_URL, POSTGRES_PASSWORD } = environmentOf('platform-api')
    expect(POSTGRES_PASSWORD).toBeUndefined()
    const client = new pg.Client({ connectionString: PLATFORM_DATABASE_URL })
    await client.connect()
    const { rows } = await client.query('SELECT current_user AS role, current_database() AS name')
    expect(rows).toEqual([{ role: 'windlass_platform', name: 'windlass_platform' }])
    await client.end()
    await stack.stop()
    expect(readFileSync(join(home.logs, 'postgres.log'), 'utf8')).not.toMatch(/ (ERROR|FATAL|PANIC): /)
  })

  it('gives the control plane a role that creates databases for anchors', async () => {
    const stack = await raise([fakeService('base')], {})
    const client = new pg.Client({ connectionString: stack.variables.ANCHORS_DATABASE_URL })
    await client.connect()
    await client.query('CREATE ROLE anchor_one LOGIN')
    await client.query('CREATE DATABASE anchor_one OWNER anchor_one')
    await client.query('DROP DATABASE anchor_one')
    await client.query('DROP ROLE anchor_one')
    await expect(client.query('CREATE ROLE other SUPERUSER')).rejects.toMatchObject({ code: '42501' })
    await client.end()
  })

  it('shows the administrator’s password right after its start, and not again', async () => {
    const { variables } = await raise([fakeService('base')])
    expect(overview(variables, true, true)).toContain(variables.ADMIN_PASSWORD)
    expect(overview(variables, true, false)).not.toContain(variables.ADMIN_PASSWORD)
  })

  it('lists anchors at the address that is public', () => {
    const anchors = (more: Record<string, string>) =>
      /Anchors +(\S+)/.exec(
        overview({ ANCHOR_DOMAIN_SUFFIX: 'a.example', PROXY_PORT: '8081', ...more }, false, false),
      )?.[1]
    expect(anchors({})).toBe('http://<subdomain>.a.example:8081')
    expect(anchors({ ANCHOR_PUBLIC_PORT: '443' })).toBe('https://<subdomain>.a.example')
  })

  it('refuses a second start', async () => {
    const services = [fakeService('base')]
    await raise(services)
    await expect(raise(services)).rejects.toThrow(AlreadyRunningError)
    await expect(raise(services)).rejects.toThrow(`process ${process.pid}`)
    expect(events()).toEqual(['up base'])
  })

  it('names the program that uses a port and how to choose another, before anything starts', async () => {
    const holder = createServer().listen(port + 1, '127.0.0.1')
    await new Promise(resolve => holder.once('listening', resolve))
    const failure = await raise([fakeService('base'), fakeService('other')]).catch((error: unknown) => error)
    holder.close()
    expect(failure).toBeInstanceOf(PortsTakenError)
    expect(String(failure)).toContain(`port ${port + 1} (base) is used by`)
    expect(String(failure)).toContain(`process ${process.pid}`)
    expect(String(failure)).toContain('BASE_PORT=')
    expect(existsSync(join(folder, 'events'))).toBe(false)
  })

  it('shows the end of the log of a service that does not start, and leaves nothing running', async () => {
    const services = [
      fakeService('base'),
      fakeService('broken', {}, `console.log('the reason'); process.exit(3)`),
    ]
    await expect(raise(services)).rejects.toThrow(/broken ended with exit code 3[^]*the reason/)
    expect(await leftServices(home)).toEqual([])
    expect(await readLock(home.run)).toBeUndefined()
  })

  it('restarts a service that crashed', async () => {
    await raise([fakeService('base')])
    const [first] = await leftServices(home)
    process.kill(first!.pid, 'SIGKILL')
    await until(() => said.includes('done base is back'))
    const [second] = await leftServices(home)
    expect(second!.pid).not.toBe(first!.pid)
    expect(said.join()).toContain('base ended with signal SIGKILL')
  })

  it('does not restart a service whose settings are wrong', async () => {
    await raise([fakeService('base', {}, `setTimeout(() => process.exit(78), 400)`)])
    await until(() => said.some(line => line.includes('its settings are wrong')))
    expect(await leftServices(home)).toEqual([])
  })

  it('cleans up after a killed supervisor', async () => {
    const services = [fakeService('base')]
    prepareHome(home)
    const orphan = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      detached: true,
      stdio: 'ignore',
    })
    const identity = (await identify(orphan.pid ?? 0)) as ProcessIdentity
    writeRunFile(join(home.run, 'base.json'), { ...identity, name: 'base', startedAt: '' })
    writeFileSync(
      join(home.run, 'stack.json'),
      JSON.stringify({ pid: 4_000_000, startTime: '1', name: 'windlass' }),
    )
    await raise(services)
    expect(await isRunning(identity)).toBe(false)
    expect(events()).toEqual(['up base'])
  })

  it('stops a service whose run file cannot be written, and says why', async () => {
    prepareHome(home)
    mkdirSync(join(home.run, `base.json.${process.pid}`))
    await expect(raise([fakeService('base')])).rejects.toThrow('its run file cannot be written')
    expect(await leftServices(home)).toEqual([])
  })

  it('finds and stops a service whose run file is lost', async () => {
    const stack = await raise([fakeService('base')])
    const [service] = await leftServices(home)
    rmSync(join(home.run, 'base.json'))
    expect(await leftServices(home)).toMatchObject([{ pid: service!.pid, name: 'base' }])
    await stack.stop()
    expect(await leftServices(home)).toEqual([])
  })

  it.runIf(process.getuid?.() === 0)('takes no stranger’s process for a service of its own', async () => {
    prepareHome(home)
    const stranger = spawn(
      process.execPath,
      ['-e', 'setInterval(() => {}, 1000)', '--', markOf(join(home.run, 'base.json'))],
      { uid: 1_234, gid: 1_234, cwd: '/', stdio: 'ignore' },
    )
    onTestFinished(() => void stranger.kill('SIGKILL'))
    const identity = (await identify(stranger.pid ?? 0)) as ProcessIdentity
    expect(await leftServices(home)).toEqual([])
    await raise([fakeService('base')])
    expect(await isRunning(identity)).toBe(true)
  })

  it('remembers the port of the proxy only once a start has succeeded', async () => {
    const elsewhere = { ...WITHOUT_POSTGRES, PROXY_PORT: '' }
    await expect(raise([fakeService('broken', {}, 'process.exit(3)')], elsewhere)).rejects.toThrow(
      'exit code 3',
    )
    expect(readFileSync(home.baseEnvFile, 'utf8')).not.toContain('PROXY_PORT=')
    await raise([fakeService('base')], elsewhere)
    expect(readFileSync(home.baseEnvFile, 'utf8')).toMatch(/^PROXY_PORT=(80|8080)$/m)
  })

  it('never ends a process that reuses an earlier process id', async () => {
    prepareHome(home)
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    const identity = (await identify(stranger.pid ?? 0)) as ProcessIdentity
    writeRunFile(join(home.run, 'base.json'), { ...identity, startTime: '1', name: 'base', startedAt: '' })
    await stopCommand.run({ args: [], environment: {}, home, progress })
    expect(await isRunning(identity)).toBe(true)
    stranger.kill('SIGKILL')
  })

  it('does not touch a stack whose folder was copied', async () => {
    await raise([fakeService('base')])
    const copy = homeAt(`${home.folder}-copy`)
    cpSync(home.folder, copy.folder, { recursive: true })
    const [service] = await leftServices(home)
    await stopCommand.run({ args: [], environment: {}, home: copy, progress })
    expect(await readLock(copy.run)).toBeUndefined()
    expect(await readLock(home.run)).toBeDefined()
    expect(await isRunning(service!)).toBe(true)
    rmSync(copy.folder, { recursive: true })
  })

  it('stops anchors’ servers after the control plane, which would restart them', async () => {
    const stack = await raise([fakeService('control-plane', { ports: [['CONTROL-PLANE_PORT', 1]] })])
    mkdirSync(home.anchorRuns)
    const body = `process.on('SIGTERM', () => { require('fs').appendFileSync(${JSON.stringify(join(folder, 'events'))}, 'down anchor\\n'); process.exit() }); setInterval(() => {}, 1000); console.log('ready')`
    const server = spawn(process.execPath, ['-e', body], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await new Promise(resolve => server.stdout.once('data', resolve))
    const identity = (await identify(server.pid ?? 0)) as ProcessIdentity
    writeRunFile(join(home.anchorRuns, 'one.json'), { ...identity, name: 'one', startedAt: '' })
    await stack.stop()
    expect(await isRunning(identity)).toBe(false)
    expect(events()).toEqual(['up control-plane', 'down control-plane', 'down anchor'])
  })

  it('stops the servers of 32 anchors, and Postgres cleanly after them', async () => {
    const control = fakeService('control-plane', { ports: [['CONTROL-PLANE_PORT', 1]], needs: ['postgres'] })
    const stack = await raise([control], {})
    mkdirSync(home.anchorRuns)
    const servers = Array.from({ length: 64 }, () =>
      spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }),
    )
    const identities = await Promise.all(
      servers.map(async ({ pid = 0 }, index) => {
        const identity = made(await identify(pid))
        writeRunFile(join(home.anchorRuns, `${index}.json`), { ...identity, name: `${index}`, startedAt: '' })
        return identity
      }),
    )
    await stack.stop()
    expect((await Promise.all(identities.map(isRunning))).filter(Boolean)).toEqual([])
    expect(said.join('\n')).not.toContain('by force')
    const log = readFileSync(join(home.logs, 'postgres.log'), 'utf8')
    expect(log).toMatch(
      /checkpoint starting: immediate force wait[\s\S]+fast shutdown request[\s\S]+system is shut down/,
    )
    expect(log.match(/.*(immediate shutdown request| (ERROR|FATAL|PANIC): ).*/g)).toBeNull()
  })

  it('gives each part the secrets it needs and no others', async () => {
    await raise([
      fakeService('control-plane', { ports: [['CONTROL-PLANE_PORT', 1]] }),
      fakeService('mail-catcher', { ports: [['MAIL-CATCHER_PORT', 1]] }),
    ])
    const control = environmentOf('control-plane')
    const catcher = environmentOf('mail-catcher')
    expect(control.MASTER_KEY).toMatch(/^v1:/)
    expect(control.ADMIN_PASSWORD).toBeUndefined()
    expect(Object.keys(catcher).filter(name => /_SECRET|PASSWORD|_KEY|DATABASE_URL/.test(name))).toEqual([])
    expect(catcher.DEPLOYMENT).toBe('local')
  })

  it('keeps secrets private and removes only a folder it created', async () => {
    const stack = await raise([fakeService('base')])
    expect(statSync(home.baseEnvFile).mode & 0o777).toBe(0o600)
    expect(statSync(join(home.run, 'stack.json')).mode & 0o777).toBe(0o600)
    expect(Object.keys((await readLock(home.run))?.variables ?? {})).not.toContain('MASTER_KEY')
    await stack.stop()
    await stopCommand.run({ args: ['--volumes'], environment: {}, home, progress })
    expect(existsSync(home.folder)).toBe(false)

    mkdirSync(home.folder)
    writeFileSync(join(home.folder, 'thesis.txt'), 'years of work')
    expect(() => prepareHome(home)).toThrow('thesis.txt')
    await expect(stopCommand.run({ args: ['--volumes'], environment: {}, home, progress })).rejects.toThrow(
      'not created by Windlass',
    )
    expect(existsSync(join(home.folder, 'thesis.txt'))).toBe(true)
  })

  it('does not start a part that an external service replaces, and reports it', async () => {
    await raise([fakeService('base'), fakeService('spare', { replacedBy: ['SPARE_URL'] })], {
      ...WITHOUT_POSTGRES,
      SPARE_URL: 'https://real.example',
    })
    expect(events()).toEqual(['up base'])
    expect(said).toContain('spare: not started, SPARE_URL is set')
  })
})

describe.runIf(process.platform !== 'win32')('a part that is restarted', () => {
  const load = (file: string) => `await import(${JSON.stringify(join(CHECKOUT, 'packages/service', file))})`
  /** Says which process answers; \`/slow\` when the test lets it. */
  const body = `
    const { createServer: create } = ${load('http/server.ts')}
    const { run } = ${load('process/run.ts')}
    const { existsSync } = await import('node:fs')
    if (existsSync(${'`${process.env.WINDLASS_HOME}/broken`'})) process.exit(1)
    await run('handing', async logger => {
      const server = await create({ name: 'handing', documents: false, logger })
      server.app.get('/', async () => process.pid)
      server.app.get('/slow', async () => {
        while (!existsSync(${'`${process.env.WINDLASS_HOME}/go`'})) await new Promise(done => setTimeout(done, 20))
        return process.pid
      })
      await server.listen(Number(process.env.HANDING_PORT), 'localhost')
      return { stop: server.close }
    }, { LOG_LEVEL: 'fatal' })
    await new Promise(() => {})`
  const url = () => `http://127.0.0.1:${port + 1}`

  async function start() {
    const stack = await raise([fakeService('handing', { handsOver: true, health: '/health' }, body)])
    const restart = () => stack.restart(['handing'], () => undefined)
    return { restart }
  }

  it('loses no request, neither on new connections nor on kept ones, nor one under way', async () => {
    const { restart } = await start()
    const pids = new Set<number>()
    const failures: unknown[] = []
    let sent = 0
    let isOver = false
    const clients = ['close', 'keep-alive', 'close', 'keep-alive'].map(async connection => {
      const agent = new Agent({ keepAlive: connection === 'keep-alive' })
      while (!isOver) {
        sent += 1
        try {
          pids.add(Number(await ask(url(), agent)))
        } catch (error) {
          failures.push(error)
        }
      }
      agent.destroy()
    })
    await until(() => pids.size === 1)
    const [first = 0] = pids
    const slow = ask(`${url()}/slow`, new Agent())
    const restarted = restart()
    await until(() => pids.size === 2)
    writeFileSync(join(home.folder, 'go'), '')
    expect(Number(await slow)).toBe(first)
    await restarted
    await restart()
    await until(() => pids.size === 3)
    isOver = true
    await Promise.all(clients)
    expect(failures).toEqual([])
    expect(sent).toBeGreaterThan(20)
    expect(await leftServices(home)).toHaveLength(1)
  })

  it('continues as it was where the new process does not start, and is still restarted when it crashes', async () => {
    const { restart } = await start()
    const before = await ask(url(), new Agent())
    writeFileSync(join(home.folder, 'broken'), '')
    await expect(restart()).rejects.toThrow('handing ended with exit code 1')
    expect(await ask(url(), new Agent())).toBe(before)
    rmSync(join(home.folder, 'broken'))
    process.kill(Number(before), 'SIGKILL')
    await until(() => said.includes('done handing is back'))
    expect(await ask(url(), new Agent())).not.toBe(before)
  })

  it('is asked for from another terminal, one part or all', async () => {
    await start()
    const lock = await readLock(home.run)
    const done: string[] = []
    await requestRestart(home, lock!, [], title => done.push(title))
    expect(done).toEqual(['handing'])
    const unknown = requestRestart(home, lock!, ['postgres'], () => undefined)
    await expect(unknown).rejects.toThrow('"postgres" cannot be restarted alone. Parts that can: handing')
  })
})

/** By Node's own client, which sends nothing again. */
function ask(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', part => (text += part))
      response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))))
      response.on('error', reject)
    })
    request.on('error', reject)
  })
}

const canChangeUser = process.getuid?.() === 0 && (await firstUnreachable(import.meta.filename, -1)) === null

describe.runIf(canChangeUser)('a stack that root starts', () => {
  const bind = JSON.stringify(join(CHECKOUT, 'packages/service/process/bind.ts'))
  const handover = JSON.stringify(join(CHECKOUT, 'packages/service/process/handover.ts'))
  const PROBE = `
    const { readFileSync } = await import('node:fs')
    const attempt = path => { try { return readFileSync(path, 'utf8').trim() } catch (error) { return error.code } }
    const file = folder => process.env.WINDLASS_HOME + '/' + folder + '/secret'
    createServer((_, response) => response.end(JSON.stringify({
      ids: readFileSync('/proc/self/status', 'utf8').match(/^(Uid|Gid|Groups|CapEff):.*/gm).map(line => line.split(/\\s+/).filter(Boolean)),
      own: attempt(file('own')), other: attempt(file('other')), base: attempt(process.env.WINDLASS_HOME + '/base.env'),
    }))).listen(Number(process.env.PROBE_PORT), '127.0.0.1')
  `
  const probed = async () => (await fetch(`http://127.0.0.1:${port + 6}`)).json() as Promise<unknown>

  beforeEach(() => {
    chmodSync(folder, 0o777)
    writeFileSync(join(folder, 'events'), '')
    chmodSync(join(folder, 'events'), 0o666)
  })

  it('runs each service as a user of its own, who reads neither others’ data nor the base env file', async () => {
    prepareHome(home)
    // As an earlier version left them.
    for (const name of ['own', 'other']) {
      mkdirSync(join(home.folder, name), { mode: 0o700 })
      writeFileSync(join(home.folder, name, 'secret'), `secret of ${name}`, { mode: 0o600 })
    }
    await raise(
      [
        fakeService('first', { user: 19_990, folders: ['own'] }, PROBE),
        fakeService('second', { user: 19_991, folders: ['other'] }),
      ],
      { ...WITHOUT_POSTGRES, PROBE_PORT: String(port + 6) },
    )
    expect(await probed()).toEqual({
      ids: [
        ['Uid:', ...Array<string>(4).fill('19990')],
        ['Gid:', ...Array<string>(4).fill('19990')],
        ['Groups:'],
        ['CapEff:', '0000000000000000'],
      ],
      own: 'secret of own',
      other: 'EACCES',
      base: 'EACCES',
    })
    // As a restore leaves it in a folder that was given before.
    writeFileSync(join(home.folder, 'own', 'restored'), '', { mode: 0o600 })
    mkdirSync(join(home.folder, 'own', 'inner'))
    writeFileSync(join(home.folder, 'treasure'), '')
    symlinkSync(join(home.folder, 'treasure'), join(home.folder, 'own', 'inner', 'link'))
    linkSync(join(home.folder, 'treasure'), join(home.folder, 'own', 'inner', 'second-name'))
    const settings = { services: [fakeService('first', { user: 19_990, folders: ['own'] })], local: true }
    await prepareUsers(settings as unknown as Settings, { FIRST_PORT: '5000' }, home, progress)
    for (const name of ['restored', 'inner'])
      expect(statSync(join(home.folder, 'own', name)).uid).toBe(19_990)
    expect(statSync(join(home.folder, 'treasure')).uid).toBe(0)
    for (const { name, pid } of await leftServices(home)) {
      const uid = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      expect([name, uid]).toEqual([name, name === 'first' ? '19990' : '19991'])
    }
  })

  it('gives a service the port that only root may listen on', async () => {
    let low = 600
    while (!(await isFree(low))) low += 1
    const proxy = fakeService(
      'proxy',
      { user: 19_990, ports: [['PROXY_PORT', 80]], handsOver: true },
      `
      const { inheritSockets } = await import(${handover})
      inheritSockets(process.env.WINDLASS_SOCKETS)
      const { bind } = await import(${bind})
      const { createServer: serve } = await import('node:http')
      await bind(Number(process.env.PROXY_PORT), '127.0.0.1', () => {
        const server = serve((_, response) => response.end('as ' + process.getuid()))
        return { server, close: async () => void server.close() }
      })
      process.on('SIGTERM', () => process.exit(0))
      await new Promise(() => {})`,
    )
    await raise([proxy], { ...WITHOUT_POSTGRES, PROXY_PORT: String(low) })
    expect(await (await fetch(`http://127.0.0.1:${low}`)).text()).toBe('as 19990')
    const [service] = await leftServices(home)
    process.kill(service!.pid, 'SIGKILL')
    await until(() => said.includes('done proxy is back'))
    expect(await (await fetch(`http://127.0.0.1:${low}`)).text()).toBe('as 19990')
  })

  it('hands on a secret whose file only root reads, and nothing that is not the service’s', async () => {
    const file = join(folder, 'secret')
    writeFileSync(file, 'x'.repeat(40), { mode: 0o600 })
    await raise(
      [
        fakeService('signer', { user: 19_990 }),
        fakeService('mail-catcher', { user: 19_991, ports: [['MAIL-CATCHER_PORT', 1]] }),
      ],
      { ...WITHOUT_POSTGRES, SIGNER_SECRET_FILE: file },
    )
    expect(environmentOf('signer').SIGNER_SECRET).toBe('x'.repeat(40))
    expect(
      Object.keys(environmentOf('mail-catcher')).filter(name => name.startsWith('SIGNER_SECRET')),
    ).toEqual([])
  })

  it('gives a service a folder of its own, and lets others pass through what leads to it', async () => {
    prepareHome(home)
    mkdirSync(COMPILE_CACHE, { recursive: true })
    // As one who lets others do nothing with what they create.
    chmodSync(COMPILE_CACHE, 0o700)
    const ledger = join(folder, 'new', 'ledger')
    const service = fakeService('local-network', { user: 19_990, ports: [], folders: ['local-network'] })
    const settings = { services: [service], local: false } as unknown as Settings
    await prepareUsers(settings, { LOCAL_NETWORK_HOME: ledger }, home, progress)
    expect(statSync(ledger)).toMatchObject({ uid: 19_990, mode: 0o40_700 })
    expect(statSync(join(folder, 'new')).mode & 0o011).toBe(0o011)
    for (const code of [COMPILE_CACHE, dirname(COMPILE_CACHE)])
      expect(statSync(code).mode & 0o011).toBe(0o011)
  })

  it('refuses production where other users cannot reach the data', async () => {
    const closed = join(folder, 'closed')
    mkdirSync(closed, { mode: 0o700 })
    home = homeAt(join(closed, 'home'))
    prepareHome(home)
    const settings = {
      services: [fakeService('base', { user: 19_990 })],
      local: false,
    } as unknown as Settings
    await expect(prepareUsers(settings, {}, home, progress)).rejects.toThrow(`cannot read ${closed}`)
    expect(await prepareUsers({ ...settings, local: true }, {}, home, progress)).toEqual(new Map())
    expect(said.join()).toContain('services run as root')
  })
})
