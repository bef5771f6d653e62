/// <reference path="./undici-parts.d.ts" />
import { loopbackAddresses } from '../process/loopback.ts'
import { toStranger } from '../observe/current-request.ts'
import { lookup as resolve, type LookupAddress, type LookupAllOptions } from 'node:dns'
import { BlockList, isIP, type LookupFunction, type Socket } from 'node:net'
import type { buildConnector as connectors } from 'undici'
// The whole of undici takes 1 to 2 MB more in each server of an anchor.
import request from 'undici/lib/api/api-request.js'
import buildConnector from 'undici/lib/core/connect.js'
import Agent from 'undici/lib/dispatcher/agent.js'
import { addressesOf, openTunnel, proxyOf } from './proxy.ts'

/** Where hosts under the anchors' suffix are reached, whatever the machine's resolver returns. */
export interface Ingress {
  /** `anchors.localhost` */
  suffix: string
  /** `http://127.0.0.1:80` */
  url: string
}

export interface OutboundOptions {
  ingress?: Ingress
  /** Loopback and private ranges; the platform's operator allows them locally. */
  allowPrivate: boolean
  /** Connections to one host at a time. */
  connections?: number
  /**
   * Default: true. False where so many hosts are asked so rarely that their open connections cost more than new ones: one
   * holds about 30 kB.
   */
  keepAlive?: boolean
  /** The addresses of a name, before a proxy gets one; by default as this machine finds them. */
  resolve?: (name: string) => Promise<string[]>
}

export interface OutboundRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS'
  headers?: Record<string, string>
  body?: string
  /** Milliseconds for everything; default 5,000. */
  timeout?: number
  /** Bytes of the answer that are read at most, by default 64 KB; a longer one throws. */
  maxBytes?: number
  /** By what we prove who we are, and who may sign the server's certificate; by default public authorities. */
  tls?: OutboundTls
}

/** PEM each. */
export interface OutboundTls {
  cert?: string
  key?: string
  ca?: string
}

export interface OutboundAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** Why a request failed, in a word. */
type OutboundFailure = 'refused-address' | 'too-long' | 'timeout' | 'unreachable'

export class OutboundError extends Error {
  readonly failure: OutboundFailure

  constructor(message: string, { failure = 'unreachable', ...options }: OutboundErrorOptions = {}) {
    super(message, options)
    this.failure = failure
  }
}

interface OutboundErrorOptions extends ErrorOptions {
  failure?: OutboundFailure
}

export const outboundFailure = (error: unknown): OutboundFailure =>
  error instanceof OutboundError ? error.failure : 'unreachable'

const OWN_WORDS: Readonly<Partial<Record<OutboundFailure, string>>> = {
  'refused-address': 'the host has no public address',
  'too-long': 'the answer is too long',
  timeout: 'the host did not answer in time',
}
const CONNECTION: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name cannot be resolved',
  EAI_AGAIN: 'the host name cannot be resolved',
  ECONNREFUSED: 'the host refused the connection',
  ECONNRESET: 'the host closed the connection',
  UND_ERR_SOCKET: 'the host closed the connection',
}
const CERTIFICATE = /^(CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)[A-Z_]{1,60}$/

/** As {@link outboundFailure}, for people: in words of ours, since a stranger's server writes parts of the error. */
export function describeOutboundFailure(error: unknown): string {
  const own = OWN_WORDS[outboundFailure(error)]
  if (own) return own
  const { code } = ((error as Error | undefined)?.cause ?? {}) as { code?: unknown }
  if (typeof code !== 'string') return 'the host cannot be reached'
  if (CERTIFICATE.test(code)) return `the host’s certificate is not valid (${code})`
  return CONNECTION[code] ?? 'the host cannot be reached'
}

/** Sends requests to servers that strangers named: addresses checked when connecting, no redirects, bounded in time and size. */
export interface Outbound {
  request(url: string, init?: OutboundRequest): Promise<OutboundAnswer>
  close(): Promise<void>
}

/** Throws {@link OutboundError} for a forbidden address, a failed connection, a late or too long answer. */
export function createOutbound(options: OutboundOptions): Outbound {
  const agent = new Agent({
    connect: connector(options),
    connections: options.connections ?? 8,
    maxResponseSize: -1,
    keepAliveTimeout: 20_000,
  })
  return {
    request: async (url, { tls, ...init } = {}) => {
      if (tls === undefined) return send(agent, url, init, options.keepAlive === false)
      // A connection with a certificate is used for nobody else.
      const own = new Agent({ connect: connector(options, tls), maxResponseSize: -1 })
      return send(own, url, init, true).finally(() => void own.destroy())
    },
    close: () => agent.close(),
  }
}

async function send(
  agent: InstanceType<typeof Agent>,
  url: string,
  init: OutboundRequest,
  reset: boolean,
): Promise<OutboundAnswer> {
  const signal = AbortSignal.timeout(init.timeout ?? 5_000)
  try {
    const { origin, pathname, search } = new URL(url)
    const answer = await toStranger(() =>
      request.call(agent, {
        origin,
        path: pathname + search,
        method: init.method ?? 'GET',
        headers: init.headers ?? {},
        body: init.body ?? null,
        reset,
        signal,
      }),
    )
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: await readText(answer.body, init.maxBytes ?? 65_536),
    }
  } catch (error) {
    if (error instanceof OutboundError) throw error
    const isLate = signal.aborted
    const reason = isLate ? 'did not answer in time' : (error as Error).message
    const failure = isLate ? 'timeout' : 'unreachable'
    throw new OutboundError(`${hostOf(url)}: ${reason}`, { cause: error, failure })
  }
}

async function readText(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  // Leaving the loop destroys the body and with it the connection.
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw answerTooLong(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export const answerTooLong = (maxBytes: number): OutboundError =>
  new OutboundError(`the answer is longer than ${maxBytes} bytes`, { failure: 'too-long' })

/** The host of an address as sockets take it: an address of IPv6 without its brackets. */
export const bareHost = (host: string): string => host.replace(/^\[|\]$/g, '')

/** Where the requests to a host are sent if not to the host itself. */
export function ingressOf(
  { ingress }: OutboundOptions,
  host: string,
): Pick<URL, 'protocol' | 'hostname' | 'port'> | null {
  if (!ingress || !host.endsWith(`.${ingress.suffix}`)) return null
  const { protocol, hostname, port } = new URL(ingress.url)
  return { protocol, hostname: bareHost(hostname), port: port || (protocol === 'https:' ? '443' : '80') }
}

/** Throws {@link OutboundError} if a host is an address that may not be asked. */
export function refuseAddress({ allowPrivate }: OutboundOptions, host: string): void {
  if (isIP(host) && !allowPrivate && isPrivate(host)) {
    throw new OutboundError(`${host} is not a public address`, { failure: 'refused-address' })
  }
}

function connector(options: OutboundOptions, tls: OutboundTls = {}): connectors.connector {
  const guarded = buildConnector({ timeout: 5_000, lookup: checkedLookup(options), ...tls })
  const direct = buildConnector({ timeout: 5_000, ...tls })
  return (target, callback) => {
    const host = bareHost(target.hostname)
    const ingress = ingressOf(options, host)
    if (ingress) {
      const { protocol, ...at } = ingress
      // TLS ends in front of an ingress that speaks http.
      const plain = protocol === 'http:' ? { protocol } : {}
      return direct({ ...target, ...at, ...plain }, callback)
    }
    try {
      refuseAddress(options, host)
    } catch (error) {
      return callback(error as Error, null)
    }
    const tunnel = tunnelTo(options, target.protocol, host, target.port)
    if (!tunnel) return guarded(target, callback)
    tunnel.then(
      socket =>
        target.protocol === 'https:'
          ? direct({ ...target, httpSocket: socket }, callback)
          : callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
}

/**
 * A connection through the proxy, where there is one for this host. The proxy gets an address that was checked here, never a
 * name, which it might look up otherwise; only where private addresses are allowed, there is nothing to check.
 */
export function tunnelTo(
  { allowPrivate, resolve: find = addressesOf }: OutboundOptions,
  protocol: string,
  host: string,
  port: string | undefined,
): Promise<Socket> | null {
  const at = port || (protocol === 'https:' ? '443' : '80')
  const proxy = proxyOf(`${protocol}//${isIP(host) === 6 ? `[${host}]` : host}:${at}`)
  if (!proxy) return null
  if (allowPrivate) return openTunnel(proxy, host, at)
  return (isIP(host) ? Promise.resolve([host]) : find(host)).then(addresses => {
    const address = addresses.find(each => !isPrivate(each))
    if (address === undefined) throw noAddress(host)
    return openTunnel(proxy, address, at)
  })
}

/** Checked where the connection is made, so that a name cannot answer differently the second time. */
export function checkedLookup({ allowPrivate }: OutboundOptions): LookupFunction {
  return (hostname, lookupOptions, callback) => {
    lookUp(hostname, { ...lookupOptions, all: true }, (error, found) => {
      const addresses = (found ?? []).filter(({ address }) => allowPrivate || !isPrivate(address))
      const [first] = addresses
      if (error) return callback(error, '', 0)
      if (!first) return callback(noAddress(hostname), '', 0)
      if (lookupOptions.all) return callback(null, addresses)
      return callback(null, first.address, first.family)
    })
  }
}

const noAddress = (host: string): OutboundError =>
  new OutboundError(`${host} has no public address`, { failure: 'refused-address' })

const LOOPBACK: LookupAddress[] = loopbackAddresses().map(address => ({ address, family: isIP(address) }))

/** Names below `localhost` are this machine (RFC 6761, 6.3), which not every resolver knows: wallets have them in development. */
function lookUp(
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found?: LookupAddress[]) => void,
): void {
  resolve(hostname, options, (error, found) =>
    error && /\.localhost$/i.test(hostname) ? callback(null, LOOPBACK) : callback(error, found),
  )
}

// Two lists: in one, Node takes an IPv4 address for its mapped form and finds it among the IPv6 networks.
const forbidden = { ipv4: new BlockList(), ipv6: new BlockList() }
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  forbidden.ipv4.addSubnet(net, bits, 'ipv4')
}
for (const [net, bits] of [
  // Forms that carry an IPv4 address (mapped, compatible, NAT64, Teredo, 6to4) would lead around the list above.
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 23],
  ['2002::', 16],
  ['100::', 64],
  ['2001:db8::', 32],
  ['3fff::', 20],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  forbidden.ipv6.addSubnet(net, bits, 'ipv6')
}

/** Loopback, private, link-local (metadata services), documentation, multicast and mapped addresses. */
export function isPrivate(address: string): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  return forbidden[family].check(address, family)
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : 'the address')
