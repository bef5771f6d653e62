import { LOOPBACK } from '@windlass/service/process/loopback.ts'
import { listeningSockets } from '@windlass/service/process/tcp-sockets.ts'

interface Held {
  port: number
  /** Whom the server runs as; undefined: not known. */
  uid?: number
}

/** A table of a thousand servers takes milliseconds to read. */
const FRESH_MS = 1_000
/**
 * Where connections to 127.0.0.1 arrive: that address, every address of IPv4, every address, 127.0.0.1 as IPv6. And those to
 * ::1, where a machine has no other.
 */
const REACHED =
  LOOPBACK === '::1' ? /^(0{24}01000000|0{32}):/ : /^(0100007F|0{8}|0{32}|0{16}FFFF00000100007F):/

let known = { at: -Infinity, users: new Map<number, Set<number>>() }

/**
 * Whether connections to a server's port reach a program of another user: any user can take the port of a server that has
 * just ended, and would hear what the platform tells the server. Linux says whose a socket is; elsewhere it is not known.
 *
 * @param now by default what was known within the last second is enough
 */
export function isHeldByStranger({ port, uid }: Held, now = false): boolean {
  if (process.platform !== 'linux' || uid === undefined) return false
  const users = listeners(now ? 0 : FRESH_MS).get(port)
  // Where ours listens, others do so at other addresses.
  return users !== undefined && !users.has(uid)
}

/** Users whose programs listen at a port. */
function listeners(withinMs: number): Map<number, Set<number>> {
  if (performance.now() - known.at < withinMs) return known.users
  const users = new Map<number, Set<number>>()
  for (const { local, localPort, uid } of listeningSockets()) {
    if (REACHED.test(local)) users.set(localPort, (users.get(localPort) ?? new Set()).add(uid))
  }
  known = { at: performance.now(), users }
  return users
}
