import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Runtime, ServerRole, ServerSpec } from '../runtime.ts'
import { ALLOCATOR } from '../server-process.ts'
import { isPortFree } from './free-port.ts'
import { createProcesses } from './processes.ts'
import { readRunFile } from './run-file.ts'
import { firstUnreachable } from './server-user.ts'
import { createSpares, type Spares } from './spares.ts'

const PROGRAM = fileURLToPath(new URL('../testing/spare-server.ts', import.meta.url))
const STARTER = fileURLToPath(new URL('../testing/starter.ts', import.meta.url))
const soon = { timeout: 60_000, interval: 50 }
const programs = { sep: PROGRAM, business: PROGRAM }

let home: string
let runtime: Runtime
let spares: Spares
let nextPort = 24_000 + (process.pid % 4_000)

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'windlass-spares-'))
  chmodSync(home, 0o711)
})
afterEach(async () => {
  runtime?.close?.()
  for (const anchorId of ['one', 'other'])
    await Promise.all((['sep', 'business'] as const).map(role => runtimeWith(0).stop(anchorId, role)))
  rmSync(home, { recursive: true, force: true })
})

function runtimeWith(count: number, loadAfterMs = 0): Runtime {
  const common = { programs, memory: 64 }
  spares = createSpares({ ...common, count, loadAfterMs })
  return createProcesses({ ...common, runFolder: join(home, 'run'), logFolder: join(home, 'logs'), spares })
}

async function specOf(anchorId: string, role: ServerRole = 'sep'): Promise<ServerSpec> {
  const folder = join(home, anchorId)
  mkdirSync(folder, { recursive: true })
  while (!(await isPortFree(++nextPort)));
  return { anchorId, role, folder, port: nextPort, env: { COLOUR: anchorId }, files: {}, version: '1' }
}

/** Spares that a process has started and nobody has taken. */
function sparesOf(starter: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => {
      try {
        const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
        return Number(parent) === starter && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--spare=')
      } catch {
        return false
      }
    })
}
const untilSpares = (count: number, starter = process.pid) =>
  expect.poll(() => sparesOf(starter).length, soon).toBe(count)

const untilRehearsed = (pids: readonly number[]) =>
  expect.poll(() => pids.every(pid => readlinkSync(`/proc/${pid}/cwd`) !== '/'), soon).toBe(true)

const logged = (anchorId: string) =>
  JSON.parse(readFileSync(join(home, 'logs', `${anchorId}-sep.log`), 'utf8')) as Record<string, unknown>
const pidOf = async (anchorId: string) => (await readRunFile(join(home, 'run', `${anchorId}-sep.json`)))?.pid
const answerOf = async ({ port }: ServerSpec) => (await fetch(`http://127.0.0.1:${port}`)).text()
const isAlive = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const barriers = await Promise.all([PROGRAM, process.execPath].map(path => firstUnreachable(path, -1)))
const canDrop = process.getuid?.() === 0 && barriers.every(barrier => barrier === null)

describe.runIf(process.platform === 'linux')('a spare', () => {
  it('becomes the server of the anchor that starts first: it serves when the start has ended', async () => {
    runtime = runtimeWith(1)
    await untilSpares(2)
    const before = sparesOf(process.pid)
    await untilRehearsed(before)
    const spec = await specOf('one')
    await runtime.start(spec)
    const pid = Number(await answerOf(spec))
    expect(before).toContain(pid)
    expect(await pidOf('one')).toBe(pid)
    expect(logged('one')).toMatchObject({
      folder: spec.folder,
      rehearsed: true,
      env: { ...ALLOCATOR, COLOUR: 'one', PORT: String(spec.port) },
    })
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('COLOUR')
    // Another one is loaded in its place.
    await untilSpares(2)
  })

  it.runIf(process.getuid?.() === 0)(
    'is loaded after what someone waits for, and comes before everything else once it is taken',
    async () => {
      runtime = runtimeWith(1, 1_000)
      await untilSpares(2)
      const priorities = () => sparesOf(process.pid).map(pid => getPriority(pid) - getPriority())
      await expect.poll(priorities, soon).toEqual([5, 5])
      // The other one finds none left.
      for (const anchor of ['one', 'other']) {
        await runtime.start(await specOf(anchor))
        const pid = (await pidOf(anchor)) ?? 0
        const threads = readdirSync(`/proc/${pid}/task`).map(Number)
        expect(new Set(threads.map(thread => getPriority(thread) - getPriority()))).toEqual(new Set([-5]))
      }
    },
  )

  it('serves one anchor: those that start at once get one each, or load their program themselves', async () => {
    runtime = runtimeWith(1)
    await untilSpares(2)
    const specs = [await specOf('one'), await specOf('other')]
    await Promise.all(specs.map(spec => runtime.start(spec)))
    await expect.poll(() => Promise.all(specs.map(answerOf)).catch(() => []), soon).toHaveLength(2)
    const colours = ['one', 'other'].map(anchor => (logged(anchor).env as { COLOUR: string }).COLOUR)
    expect(colours).toEqual(['one', 'other'])
    expect(await pidOf('one')).not.toBe(await pidOf('other'))
  })

  it('is loaded at once for an anchor that starts while none is left, once one has become a server', async () => {
    runtime = runtimeWith(1, 1_000)
    await untilSpares(2)
    const specs = [await specOf('one'), await specOf('other')]
    for (const spec of specs) await runtime.start(spec)
    for (const spec of specs) {
      const run = await readRunFile(join(home, 'run', `${spec.anchorId}-sep.json`))
      expect(await answerOf(spec)).toBe(String(run?.pid))
      // A server that loads its program as itself has it as its last argument.
      expect(run?.command.at(-1)).toBe(PROGRAM)
    }
  })

  it('has others beside it while starts find none left, within the memory that is free', async () => {
    let free = 8 * 2 ** 30
    const common = { programs, memory: 64 }
    spares = createSpares({
      ...{ ...common, count: 1, most: 3, loadAfterMs: 0, missedForMs: 3_000 },
      freeMemory: () => free,
    })
    runtime = createProcesses({
      ...common,
      runFolder: join(home, 'run'),
      logFolder: join(home, 'logs'),
      spares,
    })
    const startAtOnce = async (names: readonly string[]) => {
      const specs = []
      for (const name of names) specs.push(await specOf(name))
      await Promise.all(specs.map(spec => runtime.start(spec)))
    }
    const anchors = ['one', 'a', 'b', 'c', 'd', 'e', 'f']
    try {
      await untilSpares(2)
      await startAtOnce(['one'])
      await untilSpares(2)
      await startAtOnce(['a', 'b', 'c'])
      // Three of the role that starts, one of the other.
      await untilSpares(4)
      await untilSpares(2)
      free = 2 ** 30
      await startAtOnce(['d', 'e', 'f'])
      expect(sparesOf(process.pid).length).toBeLessThanOrEqual(2)
      await untilSpares(2)
    } finally {
      for (const anchor of anchors) await runtimeWith(0).stop(anchor, 'sep')
    }
  })

  it('is found by its arguments once it is a server, and stopped with its run file lost', async () => {
    runtime = runtimeWith(1)
    await untilSpares(2)
    const spec = await specOf('one')
    await runtime.start(spec)
    const pid = Number(await answerOf(spec))
    rmSync(join(home, 'run', 'one-sep.json'))
    await runtimeWith(0).stop('one', 'sep')
    expect(isAlive(pid)).toBe(false)
  })

  it('that was killed is not given to an anchor', async () => {
    runtime = runtimeWith(1)
    await untilSpares(2)
    const killed = sparesOf(process.pid)
    for (const pid of killed) process.kill(pid, 'SIGKILL')
    await expect.poll(() => killed.filter(isAlive), soon).toEqual([])
    const spec = await specOf('one')
    await runtime.start(spec)
    await expect.poll(() => answerOf(spec).catch(() => ''), soon).not.toBe('')
  })

  it('of a program that ends at once is not started without end, and servers start without', async () => {
    const broken = join(home, 'broken.mjs')
    writeFileSync(broken, `import { appendFileSync } from 'node:fs'; appendFileSync('${home}/starts', 'x')`)
    const options = { programs: { sep: broken, business: broken }, memory: 64 }
    const none = createSpares({ ...options, count: 1, loadAfterMs: 0 })
    const starts = () => readFileSync(join(home, 'starts'), 'utf8').length
    await expect.poll(() => starts(), soon).toBe(2)
    await expect.poll(() => sparesOf(process.pid), soon).toEqual([])
    expect([await none.take('business'), await none.take('sep')]).toEqual([null, null])
    expect(starts()).toBe(2)
    none.stop()
  })

  it('ends with the process that started it, however that ends; a server that it became runs on', async () => {
    const starter = fork(STARTER, [home, PROGRAM], { execArgv: [] })
    const { pid: starterPid = 0 } = starter
    await untilSpares(2, starterPid)
    const spec = await specOf('one')
    await ask(starter, spec)
    const server = Number(await answerOf(spec))
    await untilSpares(2, starterPid)
    const left = sparesOf(starterPid)
    starter.kill('SIGKILL')
    await expect.poll(() => left.filter(isAlive), soon).toEqual([])
    expect(await answerOf(spec)).toBe(String(server))
    // The next control plane adopts it.
    await runtimeWith(0).start(spec)
    expect(await answerOf(spec)).toBe(String(server))
  })

  it('leaves one server, whenever the process is killed that assigns it', async () => {
    for (const delay of [0, 2, 5, 10, 20, 40, 80]) {
      const starter = fork(STARTER, [home, PROGRAM], { execArgv: [] })
      await untilSpares(2, starter.pid)
      const spec = await specOf('one')
      starter.send(spec)
      await new Promise(resolve => setTimeout(resolve, delay))
      starter.kill('SIGKILL')
      await once(starter, 'exit')
      const next = runtimeWith(0)
      await expect
        .poll(async () => {
          await next.start(spec)
          return answerOf(spec).catch(() => '')
        }, soon)
        .not.toBe('')
      expect(await answerOf(spec)).toBe(String(await pidOf('one')))
      await next.stop('one', 'sep')
      await expect.poll(() => isPortFree(spec.port), soon).toBe(true)
    }
  })

  it.runIf(canDrop)(
    'of root becomes the anchor’s own user before it serves, and keeps no other right',
    async () => {
      runtime = runtimeWith(1)
      await untilSpares(2)
      const spec = { ...(await specOf('one')), user: { uid: 21_001, gid: 21_000, shared: [] } }
      await runtime.start(spec)
      const pid = Number(await answerOf(spec))
      expect(logged('one')).toMatchObject({ uid: 21_001, gid: 21_000, groups: [21_000] })
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      expect(status).toMatch(/^Uid:(\s+21001){4}$/m)
      expect(status).toMatch(/^Gid:(\s+21000){4}$/m)
      expect(status).toMatch(/^CapEff:\s+0+$/m)
      expect(status).toMatch(/^CapPrm:\s+0+$/m)
    },
  )
})

async function ask(starter: ChildProcess, spec: ServerSpec): Promise<void> {
  starter.send(spec)
  await once(starter, 'message')
}
