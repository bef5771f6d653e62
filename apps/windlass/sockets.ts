import { loopbackAddresses } from '@windlass/service/process/loopback.ts'
import net from 'node:net'

/** A bound TCP socket that processes inherit: it outlives each of them, and connections wait in it meanwhile. */
export interface BoundSocket {
  port: number
  fd: number
  close(): void
}

/** As Node's cluster module binds them. */
interface Handle {
  fd: number
  getsockname(into: { port?: number }): number
  close(): void
}

/**
 * Binds a socket without listening: who inherits it accepts, this process never does. Node has no public way to do that.
 * `localhost` is both loopback addresses, where the machine has them.
 *
 * @throws {Error} where the port is taken or not allowed.
 */
export function bindSockets(port: number, host: string): BoundSocket[] {
  const addresses = host === 'localhost' ? loopbackAddresses() : [host]
  return addresses.flatMap(address => bindOne(port, address) ?? [])
}

function bindOne(port: number, address: string): BoundSocket | null {
  const { _createServerHandle: create } = net as unknown as {
    _createServerHandle(
      address: string,
      port: number,
      family: number,
      fd: number,
      flags: number,
    ): Handle | number
  }
  const isIPv6 = net.isIPv6(address)
  const handle = create(address, port, isIPv6 ? 6 : 4, -1, 0)
  if (typeof handle === 'number') {
    if (address === '::1') return null
    throw new Error(`port ${port} of ${address} cannot be bound (${handle})`)
  }
  const name: { port?: number } = {}
  // A port that is taken shows here.
  if (handle.getsockname(name) !== 0 || !name.port) {
    handle.close()
    throw new Error(`port ${port} of ${address} is taken`)
  }
  return { port: name.port, fd: handle.fd, close: () => handle.close() }
}

/** The variable by which a process finds what it inherits: each port with its descriptors, which begin at `first`. */
export function socketsVariable(ports: readonly number[], first: number): string {
  const entries = new Map<number, number[]>()
  ports.forEach((port, index) => entries.set(port, [...(entries.get(port) ?? []), first + index]))
  return [...entries].map(([port, fds]) => `${port}:${fds.join(',')}`).join(';')
}
