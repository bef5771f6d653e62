import { getPriority, setPriority } from 'node:os'
import { isRunning, type ProcessIdentity } from './process-identity.ts'

/** Nice values between the platform's services and an anchor's server, which then weighs a third of one. */
const STEPS = 5
const LAST = 19
/** Somebody may wait for an anchor that starts. */
const AFTER_MS = 10_000

/** Lets the platform's services, and anchors that start, come before this server where the processors are full. */
export function comeLater(server: ProcessIdentity, afterMs = AFTER_MS): void {
  setTimeout(() => void lower(server), afterMs).unref()
}

async function lower(server: ProcessIdentity): Promise<void> {
  if (!(await isRunning(server))) return
  try {
    setPriority(server.pid, Math.max(getPriority(server.pid), Math.min(LAST, getPriority() + STEPS)))
  } catch {
    // It has just ended, or belongs to a user whose processes we may not change.
  }
}
