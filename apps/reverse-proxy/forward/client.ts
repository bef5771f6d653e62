import { plainAddress } from '@windlass/service/http/client-address.ts'
import type { Client } from '@windlass/service/http/forwarding.ts'
import type { IncomingMessage } from 'node:http'
import { createHash, X509Certificate } from 'node:crypto'
import { BlockList, isIP } from 'node:net'

/** Proxies in front of us. */
export interface Front {
  /** Whose headers count. */
  trusted: BlockList
  /** The header in which they name the certificate of the client. */
  certificateHeader?: string | undefined
}

/** Who asks: the peer, or whom a trusted proxy in front of us names last. */
export function clientOf(request: IncomingMessage, { trusted, certificateHeader }: Front): Client {
  const peer = plainAddress(request.socket.remoteAddress ?? '')
  const host = request.headers.host ?? ''
  if (!contains(trusted, peer)) return { address: peer, protocol: 'http', host }
  const last = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)
    ?.trim()
  const protocol = request.headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  const certificate = certificateHeader && digestOf(request.headers[certificateHeader])
  return { address: last && isIP(last) ? last : peer, protocol, host, ...(certificate && { certificate }) }
}

/** The SHA-256 of a certificate that is given as that, or whole, as PEM in percent encoding; undefined: it is neither. */
function digestOf(given: string | string[] | undefined): string | undefined {
  if (typeof given !== 'string') return undefined
  const plain = given.replaceAll(':', '').toLowerCase()
  if (/^[0-9a-f]{64}$/.test(plain)) return plain
  try {
    const { raw } = new X509Certificate(decodeURIComponent(given))
    return createHash('sha256').update(raw).digest('hex')
  } catch {
    return undefined
  }
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
