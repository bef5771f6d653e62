import { databaseUrl } from '@windlass/postgres/databases.ts'
import { ConfigError } from '@windlass/service/env.ts'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import packageFile from '../../../package.json' with { type: 'json' }
import type { Variables } from '../base-env.ts'
import { DATABASES, SERVICES } from '../services.ts'
import { settingOf } from '../settings-list.ts'
import { portOf, rolePassword, variablesFor } from '../settings.ts'

/** The image of all services, of this checkout. */
export const IMAGE = `windlass:${packageFile.version}`
/** Names in the compose file. */
export const NETWORK = 'platform-net'
const ANCHORS_VOLUME = 'windlass-anchors'

const HOME = '/var/lib/windlass'
/** Set by the compose file: another value would not fit its mounts and networks. */
const OF_THE_COMPOSE_FILE = [
  'WINDLASS_HOME',
  'BIND_HOST',
  'DOCKER_HOST',
  'ANCHOR_PROGRAMS',
  'LOCAL_NETWORK_HOME',
]

function isForContainers(variable: string): boolean {
  const setting = settingOf(variable)
  return setting !== undefined && setting.group !== 'Ports' && !OF_THE_COMPOSE_FILE.includes(setting.name)
}

/** The base env file's variables, overridden by the known settings of the environment. */
export function givenVariables(baseEnv: Variables, environment: NodeJS.ProcessEnv): Variables {
  const given = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      Boolean(entry[1]) && (isForContainers(entry[0]) || entry[0] in baseEnv),
  )
  return { ...baseEnv, ...Object.fromEntries(given) }
}

/** Behind Caddy: its ports are the public ones, and the reverse proxy trusts only its forwarded headers. */
export const BEHIND_TLS: Variables = {
  ANCHOR_PUBLIC_PORT: '443',
  ANCHOR_INGRESS: 'https://caddy:443',
  TRUSTED_PROXIES: '172.30.84.2',
}
const PROXY_PORT_BEHIND_TLS = '8081'

/** Where the compose file publishes each port of the parts on this machine. */
export function publishedPorts(environment: NodeJS.ProcessEnv, tls: boolean): Variables {
  const asked: Variables = {
    ...(tls ? { PROXY_PORT: PROXY_PORT_BEHIND_TLS } : {}),
    ...Object.fromEntries(
      Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1])),
    ),
  }
  const ports = [...SERVICES.flatMap(service => service.ports), ['POSTGRES_PORT', 5432] as const]
  return Object.fromEntries(ports.map(([name, fallback]) => [name, String(portOf(asked, name, fallback))]))
}

/**
 * Variables of all parts in containers: each other's addresses by their names in the network, and what the public
 * sees by the published ports. `given` wins.
 */
export function containerVariables(given: Variables, ports: Variables): Variables {
  const at = (name: string) => `http://localhost:${ports[name]}`
  const publicPort = given.ANCHOR_PUBLIC_PORT ?? ports.PROXY_PORT ?? '80'
  const proxied = (name: string) =>
    publicPort === '443' ? `https://${name}` : `http://${name}${publicPort === '80' ? '' : `:${publicPort}`}`
  const databases = DATABASES.map(({ variable, name }) => [
    variable,
    databaseUrl('postgres://postgres:5432', name, name, rolePassword(given, name)),
  ])
  return {
    BIND_HOST: '0.0.0.0',
    WINDLASS_HOME: HOME,
    PLATFORM_URL: 'http://platform-api:4000',
    CONTROL_PLANE_URL: 'http://control-plane:3002',
    AGGREGATOR_URL: 'http://aggregator:3005',
    SECRETS_ENDPOINT: 'http://secrets-store:4566',
    SIGNER_URL: 'http://signer:8002',
    PROXY_ADMIN_URL: 'http://reverse-proxy:8090',
    FOUNDER_CONSOLE_URL: at('FOUNDER_CONSOLE_PORT'),
    ADMIN_CONSOLE_URL: at('ADMIN_CONSOLE_PORT'),
    CUSTOMER_PORTAL_URL: at('CUSTOMER_PORTAL_PORT'),
    MAIL_CATCHER_URL: at('MAIL_CATCHER_PORT'),
    SMTP_URL: 'smtp://mail-catcher:1025',
    HORIZON_URL: 'http://local-network:8000',
    LEDGER_GATEWAY_URL: 'http://ledger-gateway:8001',
    FRIENDBOT_URL: 'http://local-network:8000/friendbot',
    ...Object.fromEntries(databases),
    ANCHOR_DOMAIN_SUFFIX: 'anchors.localhost',
    ANCHOR_INGRESS: 'http://reverse-proxy:80',
    ANCHOR_PUBLIC_PORT: publicPort,
    ANCHOR_RUNTIME: 'docker',
    ANCHOR_NETWORK: NETWORK,
    ANCHOR_IMAGE: IMAGE,
    ANCHOR_VOLUME: ANCHORS_VOLUME,
    ALLOWED_ORIGINS: [
      at('FOUNDER_CONSOLE_PORT'),
      at('ADMIN_CONSOLE_PORT'),
      at('CUSTOMER_PORTAL_PORT'),
      proxied('console.localhost'),
      proxied('admin.localhost'),
      proxied('account.localhost'),
    ].join(','),
    PROXY_HOSTS: [
      'console.localhost=http://founder-console:4001',
      'admin.localhost=http://admin-console:4002',
      'account.localhost=http://customer-portal:4003',
      'api.localhost=http://platform-api:4000',
      'aggregator.localhost=http://aggregator:3005',
    ].join(','),
    ...given,
  }
}

/** One file for each part, mode 0600, with everything but the secrets of others. */
export function writeEnvFiles(folder: string, variables: Variables): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const write = (name: string, content: Variables) =>
    writeFileSync(join(folder, `${name}.env`), envFile(content), { mode: 0o600 })
  for (const { name } of SERVICES) write(name, variablesFor(name, variables))
  write('postgres', { POSTGRES_PASSWORD: variables.POSTGRES_PASSWORD ?? '' })
}

// Compose reads a value up to the end of the line; later releases read $ as the start of a variable.
function envFile(variables: Variables): string {
  const lines = Object.entries(variables).map(([name, value]) => {
    if (/[\r\n$]/.test(value)) throw new ConfigError(`${name} must not hold a line break or a $ sign`)
    return `${name}=${value}\n`
  })
  return lines.join('')
}
