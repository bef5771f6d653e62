import { request as requestHttp, Agent as HttpAgent, type IncomingMessage } from 'node:http'
import { request as requestHttps, Agent as HttpsAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import {
  answerTooLong,
  checkedLookup,
  bareHost,
  ingressOf,
  OutboundError,
  refuseAddress,
  tunnelTo,
  type Outbound,
  type OutboundAnswer,
  type OutboundOptions,
  type OutboundRequest,
} from './outbound.ts'

/**
 * As {@link createOutbound}, with a new connection for each request and no traces: for thousands of hosts that are each
 * asked rarely. Node's own client takes two fifths of the processor time of one that keeps a pool for each host.
 */
export function createOutboundOnce(options: Omit<OutboundOptions, 'keepAlive' | 'connections'>): Outbound {
  const agents = { http: new HttpAgent(), https: new HttpsAgent() }
  const lookup = checkedLookup(options)

  const open = (url: URL, { method = 'GET', headers = {} }: OutboundRequest) => {
    const host = bareHost(url.hostname)
    const ingress = ingressOf(options, host)
    if (!ingress) refuseAddress(options, host)
    const { protocol, port } = ingress ?? url
    const shared = {
      host: ingress?.hostname ?? host,
      port,
      path: url.pathname + url.search,
      method,
      headers: { host: url.host, ...headers },
      ...(ingress ? {} : { lookup }),
    }
    const isWeb = protocol === 'http:' || protocol === 'https:'
    const tunnel = ingress || !isWeb ? null : tunnelTo(options, protocol, host, port)
    // Node calls it where there is no agent.
    const connection = tunnel
      ? {
          createConnection: (_: unknown, done: (error: Error | null, socket: Duplex) => void) => {
            tunnel.then(
              socket => done(null, protocol === 'https:' ? connectTls({ socket, servername: host }) : socket),
              (error: Error) => done(error, null as never),
            )
            return undefined
          },
        }
      : null
    if (protocol === 'http:') return requestHttp({ ...shared, ...(connection ?? { agent: agents.http }) })
    if (protocol === 'https:') return requestHttps({ ...shared, ...(connection ?? { agent: agents.https }) })
    throw new OutboundError(`${url.href} is not a web address`)
  }

  return {
    request: async (address, init = {}) => {
      const url = URL.parse(address)
      if (!url) throw new OutboundError('the address is no URL')
      try {
        return await exchange(open(url, init), init)
      } catch (error) {
        if (error instanceof OutboundError) throw error
        throw new OutboundError(`${url.host}: ${(error as Error).message}`, { cause: error })
      }
    },
    close: async () => {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

function exchange(
  request: ReturnType<typeof requestHttp>,
  { body, timeout = 5_000, maxBytes = 65_536 }: OutboundRequest,
): Promise<OutboundAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<OutboundAnswer>()
  const late = (): OutboundError =>
    new OutboundError(`${String(request.getHeader('host'))}: did not answer in time`, { failure: 'timeout' })
  const timer = setTimeout(() => reject(late()), timeout)
  request.on('error', reject)
  request.on('response', response => void readText(response, maxBytes).then(resolve, reject))
  request.end(body)
  return promise
    .catch((error: unknown) => {
      request.destroy()
      throw error
    })
    .finally(() => clearTimeout(timer))
}

function readText(response: IncomingMessage, maxBytes: number): Promise<OutboundAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<OutboundAnswer>()
  const chunks: Buffer[] = []
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    chunks.push(chunk)
    if (size > maxBytes) reject(answerTooLong(maxBytes))
  })
  response.on('error', reject)
  response.on('end', () => {
    const { statusCode = 0, headers } = response
    resolve({ status: statusCode, headers, text: Buffer.concat(chunks).toString('utf8') })
  })
  return promise
}
