import type { Server } from 'node:net'

/** A service's request to the process that started it; see docs/adr/0036-services-have-users-of-their-own.md. */
export interface LauncherRequest {
  id: number
  act: string
  args: unknown[]
}

/** Comes with a listening server where that was asked for. */
export interface LauncherAnswer {
  id: number
  result?: unknown
  error?: { code: string | undefined; message: string }
}

/** A message that the launcher sends unasked. */
export interface LauncherNotice {
  notice: string
  detail: unknown
}

/** The launcher refused, failed or is gone (`launcher-gone`). */
class LauncherError extends Error {
  readonly code: string | undefined

  constructor(code: string | undefined, message: string) {
    super(message)
    this.name = 'LauncherError'
    this.code = code
  }
}

/** Whether this process runs as a user of its own, and the launcher does for it what needs root. */
export const hasLauncher = (): boolean => attached

interface Waiting {
  resolve: (answer: { result: unknown; server: Server | undefined }) => void
  reject: (error: LauncherError) => void
}

let asked = 0
const waiting = new Map<number, Waiting>()
const noticed = new Set<(notice: LauncherNotice) => void>()
let attached = false

/** Throws {@link LauncherError}. */
export function askLauncher(
  act: string,
  args: unknown[],
): Promise<{ result: unknown; server: Server | undefined }> {
  return new Promise((resolve, reject) => {
    const id = ++asked
    const fail = () => {
      waiting.delete(id)
      reject(new LauncherError('launcher-gone', 'The process that started this service is gone.'))
    }
    if (!process.connected) return fail()
    waiting.set(id, { resolve, reject })
    const request: LauncherRequest = { id, act, args }
    process.send?.(request, undefined, undefined, error => error && fail())
  })
}

/** Calls `act` with each notice until the returned function is called. */
export function onLauncherNotice(act: (notice: LauncherNotice) => void): () => void {
  noticed.add(act)
  return () => void noticed.delete(act)
}

/** Called once, in a process that the launcher gave a channel. */
export function attachToLauncher(): void {
  if (attached || process.send === undefined) return
  attached = true
  process.on('message', (message: LauncherAnswer | LauncherNotice, server: unknown) => {
    if ('notice' in message) return noticed.forEach(act => act(message))
    const asker = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.error) asker?.reject(new LauncherError(message.error.code, message.error.message))
    else asker?.resolve({ result: message.result, server: server as Server | undefined })
  })
  process.once('disconnect', () => {
    for (const { reject } of waiting.values()) {
      reject(new LauncherError('launcher-gone', 'The process that started this service is gone.'))
    }
    waiting.clear()
  })
}
