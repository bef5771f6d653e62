import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { SERVING, SPARE, type Assignment } from '@windlass/service/process/spare.ts'
import type { ServerRole } from '../runtime.ts'
import { ALLOCATOR, nodeFlags } from '../server-process.ts'
import { comeFirst, comeLaterAsSpare } from './priority.ts'
import { identify, isRunning, type ProcessIdentity } from './process-identity.ts'

interface SparesOptions {
  programs: Readonly<Record<ServerRole, string>>
  /** Heap limit of a server, in megabytes. */
  memory: number
  /** Spares of each role; 0: none. */
  count: number
  /** Node's compile cache. Nobody else may write it: spares run as the user that starts them. */
  compileCache?: string
  /** How many of each role at most, while anchors start one after the other; by default three more. */
  most?: number
  /** Bytes that the machine could still give to processes; by default what the kernel says. */
  freeMemory?(): number
  /** By default 1,500: what took a spare, and a start of the whole platform, need the processor first. */
  loadAfterMs?: number
  /** By default 60,000: for so long a start that found no spare counts. */
  missedForMs?: number
}

/** A process that has loaded, or loads, the program of a role and belongs to no anchor. */
interface Spare extends ProcessIdentity {
  child: ChildProcess
  command: string[]
  /** Makes an anchor's server of it. Resolves once it serves, and to false when it has ended, or after a while. */
  assign(assignment: Assignment): Promise<boolean>
}

export interface Spares {
  /**
   * A spare that nobody else gets; null: there is none. Another one is loaded later. Where none is left and one has served
   * before, it is one that loads now: with the compiled code of the others.
   */
  take(role: ServerRole): Promise<Spare | null>
  /** Ends those that are left. */
  stop(): void
}

/** Spares of each role, by default. */
export const SPARES = 1
/** Further ones, of each role, while one start follows another. */
const FURTHER = 3
/** A start that found no spare counts for so long. */
const MISSED_FOR_MS = 60_000
/** Further spares are loaded only where this stays free beside them. */
const KEPT_FREE_BYTES = 1.5 * 2 ** 30
const LOAD_AFTER_MS = 1_500
/** A program that cannot even be loaded is not started without end. */
const LOAD_AGAIN_AFTER_MS = 30_000
const SERVING_WITHIN_MS = 10_000
/** Beside the path of its own program: a spare's title takes the place of its arguments. */
const ROOM = '-'.repeat(256)

/** Keeps a few servers' processes ready, so that a start does not wait until Node has loaded their program. */
export function createSpares(options: SparesOptions): Spares {
  const { count, programs, loadAfterMs = LOAD_AFTER_MS, missedForMs = MISSED_FOR_MS } = options
  const { freeMemory = process.availableMemory } = options
  const most = options.most ?? (count > 0 ? count + FURTHER : 0)
  /** When starts found none left. */
  const missed: Record<ServerRole, number[]> = { sep: [], business: [] }
  const loading: Record<ServerRole, number> = { sep: 0, business: 0 }
  const waiting: Record<ServerRole, Spare[]> = { sep: [], business: [] }
  const timers = new Set<NodeJS.Timeout>()
  /** Roles whose program is known to load: what a spare writes while it does is in no log. */
  const served = new Set<ServerRole>()
  let stopped = false

  const loadLater = (role: ServerRole, afterMs: number): void => {
    loading[role] += 1
    const timer = setTimeout(() => {
      timers.delete(timer)
      void load(role).finally(() => (loading[role] -= 1))
    }, afterMs).unref()
    timers.add(timer)
  }
  /** As many as starts found none lately, beside those that are always there. */
  const wanted = (role: ServerRole): number => {
    const since = performance.now() - missedForMs
    missed[role] = missed[role].filter(at => at > since)
    if (missed[role].length === 0 || freeMemory() < KEPT_FREE_BYTES) return count
    return Math.min(most, count + missed[role].length)
  }
  /** After one was taken: those that are missing, at once where others may be waiting for one. */
  const refill = (role: ServerRole): void => {
    const afterMs = missed[role].length > 0 ? 0 : loadAfterMs
    for (let left = wanted(role) - waiting[role].length - loading[role]; left > 0; left--)
      loadLater(role, afterMs)
  }
  /** Those that are no longer wanted. */
  const endFurther = (role: ServerRole): void => {
    for (const spare of waiting[role].splice(wanted(role))) spare.child.kill('SIGKILL')
  }
  const startFor = (role: ServerRole) => start(programs[role], options, () => served.add(role))
  const load = async (role: ServerRole): Promise<void> => {
    const spare = existsSync(programs[role]) ? await startFor(role) : null
    if (!spare) return loadLater(role, LOAD_AGAIN_AFTER_MS)
    if (stopped) return void spare.child.kill('SIGKILL')
    comeLaterAsSpare(spare.pid)
    waiting[role].push(spare)
    spare.child.once('exit', () => {
      const place = waiting[role].indexOf(spare)
      if (place < 0) return
      waiting[role].splice(place, 1)
      served.delete(role)
      if (!stopped) loadLater(role, LOAD_AGAIN_AFTER_MS)
    })
  }
  for (let index = 0; index < count; index++) {
    loadLater('sep', loadAfterMs)
    loadLater('business', loadAfterMs)
  }
  return {
    take: async role => {
      for (let spare = waiting[role].shift(); spare; spare = waiting[role].shift()) {
        refill(role)
        if (!(await isRunning(spare))) continue
        comeFirst(spare.pid)
        return spare
      }
      const isKnown = served.has(role) && !stopped
      if (isKnown) {
        missed[role].push(performance.now())
        refill(role)
        const timer = setTimeout(() => (timers.delete(timer), endFurther(role)), missedForMs + 100).unref()
        timers.add(timer)
      }
      const late = isKnown ? await startFor(role) : null
      if (late) comeFirst(late.pid)
      return late
    },
    stop: () => {
      stopped = true
      timers.forEach(timer => clearTimeout(timer))
      for (const { child } of [...waiting.sep.splice(0), ...waiting.business.splice(0)]) child.kill('SIGKILL')
    },
  }
}

async function start(
  program: string,
  { memory, compileCache }: SparesOptions,
  served: () => void,
): Promise<Spare | null> {
  const args = [...nodeFlags(memory), program, `${SPARE}${ROOM}`]
  const child = spawn(process.execPath, args, {
    cwd: '/',
    detached: true,
    env: { ...ALLOCATOR, ...(compileCache ? { NODE_COMPILE_CACHE: compileCache } : {}) },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  child.on('error', () => undefined)
  const identity = child.pid === undefined ? null : await identify(child.pid)
  if (!identity) return null
  const channel = child.stdio[3] as Duplex & { unref(): void }
  channel.on('error', () => undefined)
  channel.unref()
  child.unref()
  const command = [process.execPath, ...args.slice(0, -1)]
  return { ...identity, child, command, assign: assignment => assign(channel, assignment, served) }
}

/** Waits for no event of the child: it may have ended before. */
function assign(channel: Duplex, assignment: Assignment, served: () => void): Promise<boolean> {
  return new Promise(resolve => {
    const done = (serves: boolean) => {
      clearTimeout(late)
      resolve(serves)
    }
    const late = setTimeout(done, SERVING_WITHIN_MS, false)
    channel.setEncoding('utf8').on('data', text => {
      if (text !== SERVING) return
      served()
      done(true)
    })
    channel.once('close', () => done(false))
    channel.write(`${JSON.stringify(assignment)}\n`)
    if (channel.destroyed) done(false)
  })
}
