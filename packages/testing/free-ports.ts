import { createServer } from 'node:net'

/**
 * Below the ports that Linux gives to outgoing connections, any of which could take one before what it was meant for
 * listens there, or while that is restarted.
 */
const [FIRST, END] = [11_000, 20_000]
let next = FIRST + Math.floor(Math.random() * (END - FIRST))

/** Ports in a row at which nothing listens now; each is given once in a process. */
export async function freePorts(count: number): Promise<number[]> {
  for (;;) {
    if (next + count > END) next = FIRST
    const ports = Array.from({ length: count }, (_, index) => next + index)
    next += count
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return ports
  }
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}

/** Where the ports of anchors’ servers begin, apart from those above. */
export const freePortBase = (): number => 22_000 + Math.floor(Math.random() * 8_000)

export async function isFree(port: number): Promise<boolean> {
  const free = await Promise.all(['127.0.0.1', '::1'].map(host => canListen(port, host)))
  return free.every(Boolean)
}

/** A machine without IPv6 has nothing that listens there. */
const canListen = (port: number, host: string): Promise<boolean> =>
  new Promise(resolve => {
    const server = createServer()
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'EADDRNOTAVAIL'))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
