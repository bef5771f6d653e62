import { Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** A service's request to the process that started it; see docs/adr/0036-services-have-users-of-their-own.md. */
export interface LauncherRequest {
  id: number
  act: string
  args: unknown[]
}

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
export const hasLauncher = (): boolean => channel !== undefined

interface Waiting {
  resolve: (result: unknown) => void
  reject: (error: LauncherError) => void
}

let asked = 0
const waiting = new Map<number, Waiting>()
const noticed = new Set<(notice: LauncherNotice) => void>()
let channel: Socket | undefined

const gone = () => new LauncherError('launcher-gone', 'The process that started this service is gone.')

/** Throws {@link LauncherError}. */
export function askLauncher(act: string, args: unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    if (!channel?.writable) return reject(gone())
    const request: LauncherRequest = { id: ++asked, act, args }
    waiting.set(request.id, { resolve, reject })
    channel.write(`${JSON.stringify(request)}\n`)
  })
}

/** Calls `act` with each notice until the returned function is called. */
export function onLauncherNotice(act: (notice: LauncherNotice) => void): () => void {
  noticed.add(act)
  return () => void noticed.delete(act)
}

/** @param descriptor `WINDLASS_CHANNEL`: the channel, in a process that the launcher gave one. Lines of JSON. */
export function attachToLauncher(descriptor: string | undefined): void {
  if (channel !== undefined || !descriptor) return
  channel = new Socket({ fd: Number(descriptor), readable: true, writable: true })
  channel.unref()
  channel.on('error', () => undefined)
  const lines = createInterface({ input: channel })
  // A launcher may be killed before it read everything; 'close' follows.
  lines.on('error', () => undefined)
  lines.on('line', line => {
    const message = JSON.parse(line) as LauncherAnswer | LauncherNotice
    if ('notice' in message) return noticed.forEach(act => act(message))
    const asker = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.error) asker?.reject(new LauncherError(message.error.code, message.error.message))
    else asker?.resolve(message.result)
  })
  channel.once('close', () => {
    for (const { reject } of waiting.values()) reject(gone())
    waiting.clear()
  })
}
