import { once } from 'node:events'
import type { Server } from 'node:net'
import { askLauncher, hasLauncher } from './launcher.ts'

/** Something that listens: its socket, and how it stops. */
export interface Listener {
  server: Server
  close(): Promise<void>
}

/**
 * Listens on `host`, where `localhost` means both loopback addresses, each with a listener of its own. `make` is
 * called for each. Port 0 takes any, the same on both. Rejects as `listen` does (`EADDRINUSE`, `EACCES`). The launcher, if
 * there is one, provides ports that only root can bind.
 */
export async function bind(
  port: number,
  host: string,
  make: () => Listener,
): Promise<{ port: number; close(): Promise<void> }> {
  const listeners: Listener[] = []
  const close = async () => void (await Promise.all(listeners.map(listener => listener.close())))
  try {
    for (const address of host === 'localhost' ? ['127.0.0.1', '::1'] : [host]) {
      const listener = make()
      const bound = await listen(listener.server, port, address)
      if (bound === null) continue
      port = bound
      listeners.push(listener)
    }
    return { port, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The port, or `null` where a machine does not know IPv6. */
async function listen(server: Server, port: number, host: string): Promise<number | null> {
  try {
    server.listen(isPrivileged(port) && hasLauncher() ? await bindByLauncher(port, host) : { port, host })
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (host === '::1' && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')) return null
    throw error
  }
  const address = server.address()
  return typeof address === 'object' && address ? address.port : port
}

const isPrivileged = (port: number): boolean => port > 0 && port < 1024

async function bindByLauncher(port: number, host: string): Promise<Server> {
  const { server } = await askLauncher('listen', [port, host])
  if (!server) throw new Error(`the launcher sent no server for port ${port}`)
  return server
}
