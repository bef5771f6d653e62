import { plainAddress } from '@windlass/service/http/client-address.ts'
import type { Client } from '@windlass/service/http/forwarding.ts'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Who asks: the peer, or whom a trusted proxy in front of us names last. */
export function clientOf(request: IncomingMessage, trusted: BlockList): Client {
  const peer = plainAddress(request.socket.remoteAddress ?? '')
  const host = request.headers.host ?? ''
  if (!contains(trusted, peer)) return { address: peer, protocol: 'http', host }
  const last = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)
    ?.trim()
  const protocol = request.headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  return { address: last && isIP(last) ? last : peer, protocol, host }
}

const contains = (list: BlockList, address: string) =>
  isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Reads addresses and networks such as `10.0.0.0/8`. Throws on one that is neither. */
export function networks(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}
