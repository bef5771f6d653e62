import {
  ConfigError,
  type Env,
  integer,
  optional,
  required,
  secret,
  url,
} from '@windlass/service/process/env.ts'
import { resolve } from 'node:path'
import { isHost } from './routes/host.ts'
import { refuseTarget } from './routes/target.ts'

/** What the reverse proxy reads from its environment. */
export interface Config {
  port: number
  dashboardPort: number
  bindHost: string
  /** Where routes set over the admin interface are kept. */
  routesFile: string
  /** The platform's own hosts and where each is served. */
  staticHosts: ReadonlyMap<string, string>
  /** Where copies of this proxy are asked for their routes, if there may be others. */
  copiesAt?: string | undefined
  serviceSecret: string
  /** Proves to platform services that a request came through here. */
  proxySecret: string
  /** Addresses or networks (`10.0.0.0/8`) in front of us whose forwarded headers count. */
  trustedProxies: string[]
  /** The header in which these name the certificate of the client; they set it on every request. */
  certificateHeader?: string | undefined
  /** Where TLS ends, as `host:port`: certificates that are served there are watched. */
  certificatesAt?: string | undefined
}

/** Throws `ConfigError` on what is missing or wrong. */
export function loadConfig(env: Env): Config {
  return {
    port: integer(env, 'PROXY_PORT', 80),
    dashboardPort: integer(env, 'DASHBOARD_PORT', 8090),
    bindHost: optional(env, 'BIND_HOST') ?? 'localhost',
    routesFile: resolve(required(env, 'WINDLASS_HOME'), 'proxy', 'routes.json'),
    staticHosts: parseHosts(optional(env, 'PROXY_HOSTS') ?? ''),
    copiesAt: copiesAt(env),
    serviceSecret: secret(env, 'SERVICE_SECRET'),
    proxySecret: secret(env, 'PROXY_SECRET'),
    trustedProxies: list(optional(env, 'TRUSTED_PROXIES') ?? ''),
    certificateHeader: certificateHeader(env),
    certificatesAt: certificatesAt(env),
  }
}

/** A name that several may have. On this machine the launcher lets one run. */
function copiesAt(env: Env): string | undefined {
  const address = url(env, 'PROXY_ADMIN_URL', 'http://localhost:8090')
  return new URL(address).hostname === 'localhost' ? undefined : address
}

function certificateHeader(env: Env): string | undefined {
  const name = optional(env, 'CLIENT_CERTIFICATE_HEADER')?.toLowerCase()
  if (name === undefined || /^x-[a-z0-9-]{1,60}$/.test(name)) return name
  throw new ConfigError('CLIENT_CERTIFICATE_HEADER must be the name of a header that begins with x-')
}

function certificatesAt(env: Env): string | undefined {
  const address = optional(env, 'CERTIFICATES_AT')
  if (address === undefined || /^[^\s/@]+:\d{1,5}$/.test(address)) return address
  throw new ConfigError('CERTIFICATES_AT must be host:port')
}

/** Reads `console.localhost=http://127.0.0.1:4001,api.localhost=http://127.0.0.1:4000`. */
function parseHosts(text: string): Map<string, string> {
  return new Map(
    list(text).map(entry => {
      const [host = '', ...rest] = entry.split('=')
      const target = rest.join('=')
      const wrong = isHost(host) ? refuseTarget(target) : 'the host is not one'
      if (wrong) throw new ConfigError(`PROXY_HOSTS has "${entry}": ${wrong}`)
      return [host, target]
    }),
  )
}

const list = (text: string) =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(Boolean)
