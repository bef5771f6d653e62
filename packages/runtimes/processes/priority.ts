import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { isRunning, type ProcessIdentity } from './process-identity.ts'

/** Nice values between the platform's services and an anchor's server, which then weighs a tenth of one. */
const SERVER = 10
/** Loaded for the next anchor that starts: before servers, after what someone waits for. */
const SPARE = 5
/**
 * Priority of a server that starts from a spare: it needs a quarter of a second, and someone waits. Later it gets the
 * usual one.
 */
const AWAITED = -5
const LAST = 19
/** Someone may wait for an anchor that starts. */
const AFTER_MS = 10_000

/** Lets the platform's services, and anchors that start, come before this server where the processors are full. */
export function comeLater(server: ProcessIdentity, afterMs = AFTER_MS): void {
  const lower = async () => {
    if (await isRunning(server)) setThreads(server.pid, SERVER)
  }
  setTimeout(() => void lower(), afterMs).unref()
}

/** The same for a spare, until {@link comeFirst}. */
export function comeLaterAsSpare(pid: number): void {
  // Only root, and in a container not always root, may raise it again.
  if (setThreads(pid, AWAITED)) setThreads(pid, SPARE)
}

/** Lets a server that starts from a spare come before everything else. */
export function comeFirst(pid: number): void {
  setThreads(pid, AWAITED)
}

/** Whether it could. */
function setThreads(pid: number, steps: number): boolean {
  const value = Math.min(LAST, getPriority() + steps)
  try {
    // On Linux each thread has a priority of its own.
    const threads = process.platform === 'linux' ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid]
    for (const thread of threads) setPriority(thread, value)
    return true
  } catch {
    // It has just ended, or belongs to a user whose processes we may not change.
    return false
  }
}
