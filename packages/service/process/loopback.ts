import { networkInterfaces } from 'node:os'

/**
 * The loopback addresses of this machine, which `localhost` means: both, or the one that it has. One that has IPv6 alone
 * has no 127.0.0.1.
 */
export function loopbackAddresses(interfaces = networkInterfaces): string[] {
  const own = Object.values(interfaces()).flatMap(each => each?.map(({ address }) => address) ?? [])
  const found = ['127.0.0.1', '::1'].filter(address => own.includes(address))
  return found.length > 0 ? found : ['127.0.0.1']
}

/** Where parts of this machine reach each other. */
export const LOOPBACK = loopbackAddresses()[0] ?? '127.0.0.1'

/** The same in an address of HTTP or Postgres. */
export const LOOPBACK_HOST = LOOPBACK === '::1' ? '[::1]' : LOOPBACK
