import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { isRunning, type ProcessIdentity } from './process-identity.ts'

/** Nice values between the platform's services and an anchor's server, which then weighs a tenth of one. */
const SERVER = 10
/** Loaded for the next anchor that starts: before servers, after what someone waits for. */
const SPARE = 5
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
  // Nobody else may raise it again.
  if (process.getuid?.() === 0) setThreads(pid, SPARE)
}

/** Gives a spare the priority of this process. */
export function comeFirst(pid: number): void {
  if (process.getuid?.() === 0) setThreads(pid, 0)
}

function setThreads(pid: number, steps: number): void {
  const value = Math.min(LAST, getPriority() + steps)
  try {
    // On Linux each thread has a priority of its own.
    const threads = process.platform === 'linux' ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid]
    for (const thread of threads) setPriority(thread, value)
  } catch {
    // It has just ended, or belongs to a user whose processes we may not change.
  }
}
