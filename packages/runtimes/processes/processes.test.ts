import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'
import { freePort } from '@windlass/testing/free-ports.ts'
import { spawn } from 'node:child_process'
import { mkdtempSync, statSync, readFileSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { getPriority, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Runtime, ServerSpec } from '../runtime.ts'
import { ALLOCATOR } from '../server-process.ts'
import { withLock } from './file-lock.ts'
import { createProcesses } from './processes.ts'
import { identify } from './process-identity.ts'
import { markOf, readRunFile } from './run-file.ts'

// Writes its environment and returns its pid.
const PROGRAM = `
console.log(JSON.stringify(process.env))
require('node:http').createServer((_, response) => response.end(String(process.pid)))
  .listen(process.env.PORT, '127.0.0.1')
`
let home: string
let runtime: Runtime
let spec: ServerSpec
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'windlass-runtimes-'))
  const program = join(home, 'server.cjs')
  writeFileSync(program, PROGRAM)
  runtime = processesWith(program)
  await mkdir(join(home, 'anchor'))
  spec = {
    anchorId: 'abc',
    role: 'sep',
    folder: join(home, 'anchor'),
    port: await freePort(),
    env: { COLOUR: 'blue' },
    files: { SIGNING_KEY_FILE: 'secrets/signing_key' },
    version: '1',
  }
})
afterEach(async () => {
  await runtime.stop('abc', 'sep')
  await rm(home, { recursive: true, force: true })
})

const processesWith = (program: string, comesLaterAfterMs = 10_000) =>
  createProcesses({
    comesLaterAfterMs,
    runFolder: join(home, 'run'),
    logFolder: join(home, 'logs'),
    programs: { sep: program, business: join(home, 'nowhere.cjs') },
    memory: 64,
    maxLogBytes: 1_000,
  })
const soon = { timeout: 60_000 }
const runFile = () => readRunFile(join(home, 'run', 'abc-sep.json'))

describe('servers as processes', () => {
  it('are started once, however many callers start them at once', async () => {
    const states = await Promise.all(Array.from({ length: 5 }, () => runtime.start(spec)))
    expect(new Set(states.map(state => state.startedAt)).size).toBe(1)
    expect(await answer()).toBe(String((await runFile())?.pid))
  })

  it('are adopted by a restarted control plane', async () => {
    await runtime.start(spec)
    const pid = await answer()
    await processesWith(join(home, 'server.cjs')).start(spec)
    expect(await answer()).toBe(pid)
  })

  it('are ended and started again without a run file: arguments prove nothing', async () => {
    await runtime.start(spec)
    const pid = Number(await answer())
    await rm(join(home, 'run', 'abc-sep.json'))
    expect(await runtime.inspect('abc', 'sep')).toBeNull()
    expect(await runtime.start(spec)).toMatchObject({ running: true, port: spec.port })
    expect(await identify(pid)).toBeNull()
    expect(await answer()).toBe(String((await runFile())?.pid))
  })

  it('are restarted after they died, and not mistaken for a process that reuses their id', async () => {
    await runtime.start(spec)
    const first = await runFile()
    process.kill(first?.pid ?? 0, 'SIGKILL')
    await expect.poll(async () => (await runtime.inspect('abc', 'sep'))?.running, soon).toBe(false)
    // The run file now holds the id of this test's process.
    const file = join(home, 'run', 'abc-sep.json')
    await writeFile(file, JSON.stringify({ ...first, pid: process.pid }))
    expect(await runtime.inspect('abc', 'sep')).toMatchObject({ running: false })
    await runtime.start(spec)
    expect(await answer()).toBe(String((await runFile())?.pid))
  })

  it('run beside the pair they replace, from their own program', async () => {
    await runtime.start(spec)
    const pid = await answer()
    const program = join(home, 'next.cjs')
    writeFileSync(program, PROGRAM)
    const next: ServerSpec = { ...spec, slot: 'b', port: await freePort(), version: '2', from: { program } }
    expect(await runtime.canRun('sep', { program })).toBe(true)
    expect(await runtime.canRun('sep', { program: join(home, 'nowhere.cjs') })).toBe(false)
    await runtime.start(next)
    expect(await runtime.inspect('abc', 'sep', 'b')).toMatchObject({ running: true, version: '2' })
    await runtime.stop('abc', 'sep', 'b')
    expect(await runtime.inspect('abc', 'sep', 'b')).toBeNull()
    expect(await answer()).toBe(pid)
  })

  it('come after the platform’s services on a full machine once they have started', async () => {
    await processesWith(join(home, 'server.cjs'), 300).start(spec)
    const pid = Number(await answer())
    await expect.poll(() => getPriority(pid), soon).toBe(Math.min(19, getPriority() + 10))
  })

  it('are reported when they die', async () => {
    const ended: string[] = []
    const watching = runtime.watch(anchorId => ended.push(anchorId))
    await runtime.start(spec)
    await answer()
    process.kill((await runFile())?.pid ?? 0, 'SIGKILL')
    await expect.poll(() => ended, soon).toEqual(['abc'])
    watching.stop()
  })

  it('are stopped, and stopping again does nothing', async () => {
    await runtime.start(spec)
    await answer()
    await runtime.stop('abc', 'sep')
    await runtime.stop('abc', 'sep')
    expect(await runtime.inspect('abc', 'sep')).toBeNull()
    await expect(fetch(runtime.address(spec))).rejects.toThrow()
  })

  it('get their own settings and none of the control plane’s', async () => {
    process.env.OUR_SECRET = 'never'
    await runtime.start(spec)
    await answer()
    const [line = '{}'] = await runtime.log('abc', 'sep', 1)
    expect(JSON.parse(line)).toEqual({
      ...ALLOCATOR,
      PATH: dirname(process.execPath),
      COLOUR: 'blue',
      PORT: String(spec.port),
      SIGNING_KEY_FILE: join(spec.folder, 'secrets/signing_key'),
    })
  })

  it('do not take a port that another program uses', async () => {
    const other = createServer().listen(spec.port, '127.0.0.1')
    await expect.poll(() => other.listening, soon).toBe(true)
    await expect(runtime.start(spec)).rejects.toMatchObject({ code: 'port-taken' })
    other.close()
  })

  it('migrate once beside a running server, and report a failure and a hang differently', async () => {
    const migrating = (source: string) => {
      const program = join(home, 'migrate.cjs')
      writeFileSync(program, source)
      return processesWith(program).migrate({ ...spec, env: { TO: join(home, 'migrated') } }, 2)
    }
    await runtime.start(spec)
    await migrating(
      "if (process.argv.includes('--migrate')) require('node:fs').writeFileSync(process.env.TO, 'done')",
    )
    expect(readFileSync(join(home, 'migrated'), 'utf8')).toBe('done')
    await expect(migrating('process.exit(3)')).rejects.toMatchObject({ code: 'server-exited' })
    await expect(migrating('setInterval(() => {}, 1_000)')).rejects.toMatchObject({
      code: 'server-not-healthy',
    })
    expect(await answer()).toBe(String((await runFile())?.pid))
  })

  it('cannot be started without their program', async () => {
    await expect(runtime.start({ ...spec, role: 'business' })).rejects.toMatchObject({
      code: 'server-image-missing',
    })
  })

  it('rotate large logs and continue to write', async () => {
    await runtime.start(spec)
    await answer()
    const log = join(home, 'logs', 'abc-sep.log')
    await writeFile(log, 'x'.repeat(2_000), { flag: 'a' })
    await runtime.tidy()
    expect((await stat(log)).size).toBe(0)
    expect(readFileSync(`${log}.1`, 'utf8')).toMatch(/x{2000}$/)
    for (let round = 0; round < 5; round++) {
      await writeFile(log, 'y'.repeat(2_000), { flag: 'a' })
      await runtime.tidy()
    }
    expect((await readdir(join(home, 'logs'))).sort()).toEqual([
      'abc-sep.log',
      'abc-sep.log.1',
      'abc-sep.log.2',
      'abc-sep.log.3',
    ])
  })
})

describe('a file lock', () => {
  it('has one holder at a time', async () => {
    let inside = 0
    let most = 0
    const enter = () =>
      withLock(join(home, 'lock'), async () => {
        most = Math.max(most, ++inside)
        await sleep(5)
        inside--
      })
    await Promise.all(Array.from({ length: 8 }, enter))
    expect(most).toBe(1)
  })

  it('does not wait for a dead holder', async () => {
    const child = spawn(process.execPath, ['-e', ''])
    await new Promise(resolve => child.once('exit', resolve))
    await writeFile(join(home, 'lock'), JSON.stringify({ pid: child.pid, startTime: '1' }))
    expect(await withLock(join(home, 'lock'), async () => 'in')).toBe('in')
  })

  it('leaves the folders that it creates open to the users of servers, such as a cache of what was built', async () => {
    const before = process.umask(0o022)
    await withLock(join(home, 'cache', 'windlass', 'lock'), async () => undefined)
    process.umask(before)
    for (const folder of [join(home, 'cache'), join(home, 'cache', 'windlass')])
      expect(statSync(folder).mode & 0o777).toBe(0o755)
  })
})

async function answer(): Promise<string> {
  for (;;) {
    const response = await fetch(runtime.address(spec)).catch(() => null)
    if (response) return response.text()
    await sleep(20)
  }
}

const isPassable = (path: string): boolean =>
  path === dirname(path) || ((statSync(dirname(path)).mode & 0o001) === 1 && isPassable(dirname(path)))
const canChangeUser = process.getuid?.() === 0 && isPassable(process.execPath)
if (!canChangeUser) {
  console.warn(
    'NOT RUN: servers as users of their own. Run this as root, with Node where others can reach it.',
  )
}

describe.runIf(canChangeUser)('servers of a control plane that is root', () => {
  const PROBE = `
    const { readFileSync } = require('node:fs')
    const attempt = path => { try { return readFileSync(path, 'utf8') } catch (error) { return error.code } }
    console.log(JSON.stringify({
      uid: process.getuid(), gid: process.getgid(), groups: process.getgroups(),
      own: attempt(process.env.OWN), shared: attempt(process.env.SHARED),
      sibling: attempt(process.env.OTHER), stranger: attempt(process.env.STRANGER),
    }))
    require('node:http').createServer((_, response) => response.end(String(process.pid))).listen(process.env.PORT, '127.0.0.1')
  `
  const user = { uid: 21_001, gid: 21_000, shared: ['secrets/shared'] }

  it('run as a user of their own, who reads their files and nobody else’s', async () => {
    await chmod(home, 0o711)
    const program = join(home, 'probe.cjs')
    writeFileSync(program, PROBE)
    for (const anchor of ['anchor', 'stranger']) {
      for (const folder of [join(home, anchor), join(home, anchor, 'secrets')]) makePrivateFolder(folder)
      for (const name of ['own', 'other', 'shared']) {
        await writeFile(join(home, anchor, 'secrets', name), `${anchor} ${name}`, { mode: 0o600 })
      }
    }
    spec = {
      ...{ ...spec, user },
      files: { OWN: 'secrets/own', SHARED: 'secrets/shared' },
      env: {
        OTHER: join(home, 'anchor/secrets/other'),
        STRANGER: join(home, 'stranger/secrets/own'),
      },
    }
    runtime = processesWith(program)
    await runtime.start(spec)
    await answer()
    const [line = ''] = await runtime.log('abc', 'sep', 1)
    expect(JSON.parse(line)).toEqual({
      ...{ uid: 21_001, gid: 21_000, groups: [21_000] },
      ...{ own: 'anchor own', shared: 'anchor shared', sibling: 'EACCES', stranger: 'EACCES' },
    })
  })

  /** An ordinary user's process, with whatever arguments it likes. */
  async function startAsStranger(source: string, ...args: string[]): Promise<number> {
    const options = { uid: STRANGER, gid: STRANGER, cwd: '/', stdio: 'ignore' as const }
    const child = spawn(process.execPath, ['-e', source, '--', ...args], options)
    onTestFinished(() => void child.kill('SIGKILL'))
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    return child.pid ?? 0
  }
  const STRANGER = 1_234
  const listens = (port: number) =>
    `require('node:http').createServer((_, response) => response.end('stranger')).listen(${port}, '127.0.0.1')`

  it('are never a stranger’s process that has their arguments', async () => {
    const pid = await startAsStranger(
      'setInterval(() => {}, 1000)',
      markOf(join(home, 'run', 'abc-sep.json')),
    )
    await runtime.start(spec)
    expect(await answer()).toBe(String((await runFile())?.pid))
    expect((await runFile())?.pid).not.toBe(pid)
    await runtime.stop('abc', 'sep')
    expect(await identify(pid)).not.toBeNull()
  })

  it('do not run while a stranger has taken the port of one that ended', async () => {
    const program = join(home, 'deaf.cjs')
    writeFileSync(program, 'setInterval(() => {}, 1000)')
    await processesWith(program).start(spec)
    expect(await runtime.inspect('abc', 'sep')).toMatchObject({ running: true })
    await startAsStranger(listens(spec.port))
    expect(await answer()).toBe('stranger')
    await expect.poll(async () => (await runtime.inspect('abc', 'sep'))?.running, soon).toBe(false)
    // The control plane gives it another port then.
    await expect(runtime.start(spec)).rejects.toMatchObject({ code: 'port-taken' })
  })

  it('run as root only on a developer’s machine where a user of their own could not reach them', async () => {
    await chmod(home, 0o700)
    const strict = createProcesses({
      runFolder: join(home, 'run'),
      logFolder: join(home, 'logs'),
      programs: { sep: join(home, 'server.cjs'), business: join(home, 'nowhere.cjs') },
      memory: 64,
      requireUsers: true,
    })
    await expect(strict.start({ ...spec, user })).rejects.toMatchObject({
      code: 'server-not-started',
      message: expect.stringContaining(`cannot read ${home}`),
    })
    expect(await runtime.start({ ...spec, user })).toMatchObject({ running: true })
  })
})
