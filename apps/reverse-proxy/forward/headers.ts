import { plainAddress, PROXY_SECRET_HEADER } from '@windlass/service/client-address.ts'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** RFC 9110 §7.6.1: for one connection only. `transfer-encoding` is the HTTP library's own business. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'upgrade',
  'expect',
]
/** A sender may not have these taken away by naming them in `Connection`. */
const ESSENTIAL = new Set(['host', 'content-length', 'transfer-encoding', 'content-type'])
const CLAIMS = /^(forwarded|via|x-real-ip|x-client-ip|true-client-ip|x-forwarded-.*|x-windlass-.*)$/

/** Takes away what concerned one connection only, also what `Connection` names. */
export function dropHopByHop(headers: IncomingHttpHeaders): void {
  const named = String(headers.connection ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
  for (const name of [...HOP_BY_HOP, ...named]) if (!ESSENTIAL.has(name)) delete headers[name]
}

export interface Client {
  address: string
  protocol: string
  host: string
}

/** Replaces what a stranger claims about where a request came from by what we know. */
export function setForwarded(headers: IncomingHttpHeaders, client: Client, proxySecret: string | null): void {
  for (const name of Object.keys(headers)) if (CLAIMS.test(name)) delete headers[name]
  headers['x-forwarded-for'] = client.address
  headers['x-forwarded-proto'] = client.protocol
  headers['x-forwarded-host'] = client.host
  if (proxySecret !== null) headers[PROXY_SECRET_HEADER] = proxySecret
}

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
