import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How long requests under way may take to end once the network stops, in milliseconds. */
const grace = 3_000

/** Longer than clients keep an idle connection, so that it is they who close it and no request meets a closed one. */
const keepAlive = 72_000

/** Thousands of wallets may connect at once; what the system allows at most is taken where that is less. */
const backlog = 4096

/** How long a client may take to send a request, in milliseconds: a slow one must not hold a connection. */
const requestWithin = 30_000

export interface Listening {
  readonly port: number
  /** Takes no more connections, lets answers under way end, then closes what is left. */
  close(): Promise<void>
}

/**
 * Serves at an address. `localhost` means 127.0.0.1 and ::1, as far as this machine has them, whatever its resolver
 * makes of the name.
 * @throws the listener's error, such as EADDRINUSE
 */
export async function listen(
  handle: RequestListener,
  host: string,
  port: number,
  requestTimeout = requestWithin,
): Promise<Listening> {
  const servers: Server[] = []
  const open = async (address: string, at: number) => {
    const limits = {
      keepAliveTimeout: keepAlive,
      requestTimeout,
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.min(1_000, requestTimeout),
    }
    const server = createServer(limits, handle)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ port: at, host: address, backlog }, () => {
        server.off('error', reject)
        resolve()
      })
    })
    servers.push(server)
    return portOf(server.address())
  }
  let bound = port
  for (const address of host === 'localhost' ? ['127.0.0.1', '::1'] : [host]) {
    try {
      bound = await open(address, bound)
    } catch (error) {
      if (host === 'localhost' && isAbsent(error)) continue
      await closeAll(servers)
      throw error
    }
  }
  if (servers.length === 0) throw new Error('this machine has no loopback address')
  return { port: bound, close: () => closeAll(servers) }
}

/** This machine has no such address. */
function isAbsent(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    /^(EADDRNOTAVAIL|EAFNOSUPPORT|EINVAL)$/.test(String(error.code))
  )
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP')
  return address.port
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(
    servers.map(async server => {
      const late = setTimeout(() => server.closeAllConnections(), grace)
      // A connection whose answer ends now is kept alive by its client.
      const idle = setInterval(() => server.closeIdleConnections(), 20)
      await new Promise<void>(resolve => {
        server.close(() => resolve())
      })
      clearInterval(idle)
      clearTimeout(late)
    }),
  )
}
