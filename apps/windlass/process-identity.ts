import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process told apart from a later one with the same id: process ids are used again. */
export interface ProcessIdentity {
  pid: number
  /** When it started, as the system writes it; undefined where the system does not tell. */
  startTime: string | undefined
}

/** The identity of a running process, or undefined when there is none (or only an uncollected dead one). */
export function identify(pid: number): ProcessIdentity | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  if (process.platform === 'linux') {
    const fields = statFields(pid)
    if (fields === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined
    return { pid, startTime: fields[19] }
  }
  if (!exists(pid)) return undefined
  return { pid, startTime: process.platform === 'win32' ? undefined : startTimeFromPs(pid) }
}

/** Whether exactly this process still runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  const now = identify(identity.pid)
  if (now === undefined) return false
  return identity.startTime === undefined || now.startTime === identity.startTime
}

/**
 * Ends a process: SIGTERM, and SIGKILL for one that has not ended after `patience` milliseconds. Does nothing to
 * another process that got the same id.
 */
export async function end(identity: ProcessIdentity, patience: number): Promise<'ended' | 'killed'> {
  if (!signal(identity, 'SIGTERM') || (await untilGone(identity, patience))) return 'ended'
  signal(identity, 'SIGKILL')
  await untilGone(identity, 2000)
  return 'killed'
}

function signal(identity: ProcessIdentity, name: 'SIGTERM' | 'SIGKILL'): boolean {
  if (!isRunning(identity)) return false
  try {
    process.kill(identity.pid, name)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EPERM') {
      throw new Error(`process ${identity.pid} belongs to another user; stop it as that user`)
    }
    return false
  }
}

async function untilGone(identity: ProcessIdentity, patience: number): Promise<boolean> {
  for (let waited = 0; waited < patience; waited += 20) {
    if (!isRunning(identity)) return true
    await sleep(20)
  }
  return !isRunning(identity)
}

/** The fields of /proc/<pid>/stat from the third on (proc(5)): [0] state, [19] start time in ticks since boot. */
function statFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function startTimeFromPs(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', 'lstart='], { encoding: 'utf8' }).trim() || undefined
  } catch {
    return undefined
  }
}
