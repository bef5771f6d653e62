import { databaseUrl } from '@windlass/postgres/databases.ts'
import { ConfigError, optional } from '@windlass/service/process/env.ts'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import packageFile from '../../../package.json' with { type: 'json' }
import type { Variables } from '../base-env.ts'
import { DATABASES, SERVICES } from '../services.ts'
import { SETTINGS, settingOf } from '../settings-list.ts'
import { consoleOrigins, portOf, publicConsoles, rolePassword, variablesFor } from '../settings.ts'

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

/**
 * The base env file's variables, overridden by the known settings of the environment. What `NAME_FILE` names is read
 * here: containers do not see this machine's files.
 */
export function givenVariables(baseEnv: Variables, environment: NodeJS.ProcessEnv): Variables {
  const given = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      Boolean(entry[1]) && (isForContainers(entry[0]) || entry[0] in baseEnv),
  )
  return { ...withFilesRead(baseEnv), ...withFilesRead(Object.fromEntries(given)) }
}

/** @throws {ConfigError} where a file cannot be read. */
function withFilesRead(variables: Variables): Variables {
  const entries = Object.entries(variables).map(([name, value]) => {
    const setting = settingOf(name)?.name
    return setting !== undefined && name === `${setting}_FILE`
      ? [setting, optional(variables, setting) ?? '']
      : [name, value]
  })
  return Object.fromEntries(entries)
}

/**
 * Behind Caddy: its ports are the public ones, and the reverse proxy trusts only its forwarded headers. Anchors are reached
 * as wallets reach them, certificate included. Nothing trusts an authority of Caddy's own (`internal`): with it they are
 * reached inside of it, also while they are upgraded.
 *
 * @param issuer TLS_ISSUER
 */
export function behindTls(issuer = 'acme'): Variables {
  return {
    ANCHOR_PUBLIC_PORT: '443',
    ANCHOR_INGRESS: issuer === 'internal' ? 'http://reverse-proxy:80' : 'https://caddy:443',
    TRUSTED_PROXIES: '172.30.84.2',
    CERTIFICATES_AT: 'caddy:443',
  }
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
  const open = publicConsoles(given)
  const portInside = (name: string) => SERVICES.find(service => service.name === name)?.ports[0]?.[1]
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
    ...(given.HORIZON_URL ? {} : browsersOnThisMachine(at('LOCAL_NETWORK_PORT'))),
    ...Object.fromEntries(databases),
    ANCHOR_DOMAIN_SUFFIX: 'anchors.localhost',
    ANCHOR_INGRESS: 'http://reverse-proxy:80',
    ANCHOR_PUBLIC_PORT: publicPort,
    ANCHOR_RUNTIME: 'docker',
    ANCHOR_NETWORK: NETWORK,
    ANCHOR_IMAGE: IMAGE,
    ANCHOR_VOLUME: ANCHORS_VOLUME,
    ALLOWED_ORIGINS: consoleOrigins({ ...given, ...ports }, proxied),
    PROXY_HOSTS: [
      ...open.map(({ service, host }) => `${host}=http://${service}:${portInside(service)}`),
      'console.localhost=http://founder-console:4001',
      'admin.localhost=http://admin-console:4002',
      'account.localhost=http://customer-portal:4003',
      'api.localhost=http://platform-api:4000',
      'aggregator.localhost=http://aggregator:3005',
    ].join(','),
    ...given,
  }
}

const browsersOnThisMachine = (horizonUrl: string): Variables => ({
  BROWSER_HORIZON_URL: horizonUrl,
  BROWSER_FRIENDBOT_URL: `${horizonUrl}/friendbot`,
})

/** Where the compose file mounts the secrets of a part. */
const SECRETS_FOLDER = '/run/secrets'

/** Without what only the launcher of processes needs. */
const SECRETS = SETTINGS.filter(({ name, secretOf }) => secretOf?.length || name === 'POSTGRES_PASSWORD').map(
  ({ name }) => name,
)

/**
 * One env file for each part, without secrets: `NAME_FILE` names the file at which the compose file mounts one. The
 * secrets are files in a folder below; only its owner enters it, but containers' users read what is mounted.
 */
export function writeEnvFiles(folder: string, variables: Variables): void {
  const secretsFolder = join(folder, 'secrets')
  for (const each of [folder, secretsFolder]) {
    mkdirSync(each, { recursive: true })
    chmodSync(each, 0o700)
  }
  for (const name of SECRETS) writeIfChanged(join(secretsFolder, name), variables[name] ?? '', 0o644)
  const write = (part: string, settings: Variables, secrets: readonly string[]) => {
    const files = secrets.map(name => [`${name}_FILE`, `${SECRETS_FOLDER}/${name}`])
    const content = { ...settings, ...Object.fromEntries(files), ...changedAt(secretsFolder, secrets) }
    writeIfChanged(join(folder, `${part}.env`), envFile(content), 0o600)
  }
  for (const { name } of SERVICES) {
    const own = Object.entries(variablesFor(name, variables))
    const isSecret = ([variable]: [string, string]) => settingOf(variable)?.secretOf !== undefined
    const secrets = own.filter(entry => isSecret(entry) && entry[1] !== '').map(([variable]) => variable)
    write(name, Object.fromEntries(own.filter(entry => !isSecret(entry))), secrets)
  }
  write('postgres', {}, ['POSTGRES_PASSWORD'])
}

// Its time says whether a container is older.
function writeIfChanged(file: string, text: string, mode: number): void {
  const before = statSync(file, { throwIfNoEntry: false }) && readFileSync(file, 'utf8')
  if (before !== text) writeFileSync(file, text, { mode })
  chmodSync(file, mode)
}

// Compose recreates a container where its env file changed, and does not look at what a secret's file holds.
function changedAt(secretsFolder: string, secrets: readonly string[]): Variables {
  if (secrets.length === 0) return {}
  const times = secrets.map(name => statSync(join(secretsFolder, name)).mtimeMs)
  return { SECRETS_CHANGED_AT: new Date(Math.max(...times)).toISOString() }
}

// Compose reads a value up to the end of the line; later releases read $ as the start of a variable.
function envFile(variables: Variables): string {
  const lines = Object.entries(variables).map(([name, value]) => {
    if (/[\r\n$]/.test(value)) throw new ConfigError(`${name} must not hold a line break or a $ sign`)
    return `${name}=${value}\n`
  })
  return lines.join('')
}
