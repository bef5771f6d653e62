import { loopbackAddresses } from './loopback.ts'
import { once } from 'node:events'
import type { Server } from 'node:net'
import { handsOver, inheritedSockets } from './handover.ts'

/** Something that listens: its socket, and how it stops. */
export interface Listener {
  server: Server
  close(): Promise<void>
}

/**
 * Listens on `host`, where `localhost` means both loopback addresses, each with a listener of its own. `make` is
 * called for each. Port 0 takes any, the same on both. Rejects as `listen` does (`EADDRINUSE`, `EACCES`). Where the launcher
 * bound the port, its sockets are used.
 */
export async function bind(
  port: number,
  host: string,
  make: () => Listener,
): Promise<{ port: number; close(): Promise<void> }> {
  const listeners: Listener[] = []
  const close = async () => void (await Promise.all(listeners.map(listener => listener.close())))
  const inherited = inheritedSockets(port).map(fd => ({ fd }))
  const addresses = host === 'localhost' ? loopbackAddresses() : [host]
  try {
    for (const at of inherited.length > 0 ? inherited : addresses) {
      const listener = make()
      const bound = await listen(listener.server, typeof at === 'string' ? { port, host: at } : at)
      if (bound === null) continue
      if (typeof at === 'string') port = bound
      handsOver(listener.server)
      listeners.push(listener)
    }
    return { port, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The port, or `null` where a machine does not know IPv6. */
async function listen(
  server: Server,
  at: { port: number; host: string } | { fd: number },
): Promise<number | null> {
  try {
    server.listen(at)
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as { code?: unknown }
    if ('host' in at && at.host === '::1' && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT'))
      return null
    throw error
  }
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}
