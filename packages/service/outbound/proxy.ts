import { lookup } from 'node:dns/promises'
import { Agent as HttpAgent, request, type IncomingMessage } from 'node:http'
import { Agent } from 'node:https'
import { isIP, type Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { ConfigError, optional, type Env } from '../process/env.ts'

/** Through which proxies this process leaves its network: HTTP_PROXY, HTTPS_PROXY, and whom NO_PROXY excepts. */
interface Proxies {
  http: string | undefined
  https: string | undefined
  exceptions: readonly string[]
}

/** They hold for the whole process, as the environment does. */
let proxies: Proxies | null = null

/**
 * Sends what this process fetches through the proxies that its environment names, in upper or lower case. Parts of Windlass
 * and hosts of this machine are always reached directly.
 *
 * @throws {ConfigError}
 */
export async function useProxies(env: Env): Promise<void> {
  const either = (name: string) => optional(env, name) ?? optional(env, name.toLowerCase())
  const [http, https] = [proxyIn('HTTP_PROXY', either), proxyIn('HTTPS_PROXY', either)]
  proxies = http || https ? { http, https, exceptions: exceptionsIn(either('NO_PROXY') ?? '') } : null
  if (!proxies) return
  const undici = await import('undici')
  const direct = new undici.Agent()
  const through = new undici.EnvHttpProxyAgent({
    httpProxy: http ?? '',
    httpsProxy: https ?? '',
    noProxy: '',
  })
  class ByHost extends undici.Dispatcher {
    override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      const proxied = proxyOf(String(options.origin ?? '')) !== null
      return (proxied ? through : direct).dispatch(options, handler)
    }
  }
  undici.setGlobalDispatcher(new ByHost())
}

function proxyIn(name: string, either: (name: string) => string | undefined): string | undefined {
  const value = either(name)
  if (value !== undefined && URL.parse(value)?.protocol !== 'http:')
    throw new ConfigError(`${name} must be the address of a proxy, such as http://proxy.example:3128`)
  return value
}

const exceptionsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)

/** The proxy by which an address is reached; null: directly. */
export function proxyOf(address: string): URL | null {
  const url = URL.parse(address)
  if (!proxies || !url) return null
  const proxy = url.protocol === 'https:' ? proxies.https : proxies.http
  return proxy && !isNear(url.hostname) && !isExcepted(url, proxies.exceptions) ? new URL(proxy) : null
}

/** This machine, and parts of Windlass, which containers find by names without a dot. */
const isNear = (host: string): boolean =>
  /^(127\.[\d.]+|\[::1\]|(.+\.)?localhost|[^.:]+)$/i.test(host) && !/^\d+$/.test(host)

function isExcepted({ hostname, port, protocol }: URL, exceptions: readonly string[]): boolean {
  const at = port || (protocol === 'https:' ? '443' : '80')
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  return exceptions.some(exception => {
    const [, name = '', only] = /^\[?(.+?)\]?(?::(\d+))?$/.exec(exception) ?? []
    if (exception === '*') return true
    if (isIP(exception)) return exception === host
    if (only !== undefined && only !== at) return false
    const suffix = name.replace(/^\*?\./, '')
    return host === suffix || (!isIP(host) && host.endsWith(`.${suffix}`))
  })
}

/** For clients of others' that take an agent: tunnels, so that the proxy sees nothing of what is sent. Undefined without proxies. */
export function proxiedAgent(): Agent | undefined {
  if (!proxies?.https) return undefined
  const { https: HTTPS_PROXY, exceptions } = proxies
  return new Agent({ keepAlive: true, proxyEnv: { HTTPS_PROXY, NO_PROXY: exceptions.join(',') } })
}

/** An agent for a client of others' that sends to one address, by whichever protocol. */
export function agentTo(address: string): HttpAgent | Agent {
  const { protocol } = new URL(address)
  const proxy = proxyOf(address)?.href
  const keepAlive = true
  if (protocol === 'https:')
    return new Agent({ keepAlive, ...(proxy && { proxyEnv: { HTTPS_PROXY: proxy } }) })
  return new HttpAgent({ keepAlive, ...(proxy && { proxyEnv: { HTTP_PROXY: proxy } }) })
}

/** Opens a connection to a host and port by a proxy. Throws what the proxy refused. */
export function openTunnel(proxy: URL, host: string, port: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const { username, password } = proxy
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
  const asked = request({
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port || 80,
    method: 'CONNECT',
    path: authority,
    headers: {
      host: authority,
      ...(username && { 'proxy-authorization': `Basic ${credentials.toString('base64')}` }),
    },
    agent: false,
    timeout: CONNECTS_WITHIN_MS,
  })
  asked.once('connect', (answer: IncomingMessage, socket: Socket) => {
    if (answer.statusCode === 200) return resolve(socket)
    socket.destroy()
    reject(new Error(`the proxy answered ${answer.statusCode}`))
  })
  asked.once('response', answer => {
    answer.destroy()
    reject(new Error(`the proxy answered ${answer.statusCode}`))
  })
  asked.once('timeout', () => asked.destroy(new Error('the proxy did not answer in time')))
  asked.once('error', reject)
  asked.end()
  return promise
}

const CONNECTS_WITHIN_MS = 5_000

/** The addresses of a name, as this machine finds them. */
export const addressesOf = async (name: string): Promise<string[]> =>
  (await lookup(name, { all: true })).map(({ address }) => address)
