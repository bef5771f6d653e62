import { LOOPBACK_HOST } from '@windlass/service/process/loopback.ts'
import { createHmac } from 'node:crypto'
import { databaseUrl } from '@windlass/postgres/databases.ts'
import { ConfigError, deployment } from '@windlass/service/process/env.ts'
import type { Variables } from './base-env.ts'
import { undecidedSettings } from './production.ts'
import { DATABASES, SERVICES, type Service } from './services.ts'
import { settingOf } from './settings-list.ts'

/** A stack's settings before its ports are chosen. */
export interface Settings {
  /** The base env file's variables under the environment's. */
  variables: Variables
  local: boolean
  mainnet: boolean
  /** Host the services listen on. */
  bindHost: string
  /** Parts to start. */
  services: Service[]
  /** Databases of the embedded Postgres. */
  databases: (typeof DATABASES)[number][]
  /** One sentence for each part that an external service replaces. */
  replaced: string[]
}

/**
 * Merges the two and decides which parts to start.
 *
 * @throws {ConfigError} where the combination must not run: mainnet with mock identity checks or local stand-ins,
 * or a deployment without administrator credentials of its own.
 */
export function readSettings(
  baseEnv: Variables,
  environment: NodeJS.ProcessEnv,
  all: readonly Service[] = SERVICES,
): Settings {
  const given = definedIn(environment)
  const variables = { ...withoutReplaced(baseEnv, given), ...given }
  const { local, mainnet } = deployment(variables)
  requireSafeIdentityChecks(variables, mainnet)
  if (!local) requireDecisions(baseEnv, given)
  const services = all.filter(service => replacementOf(service, variables) === undefined)
  const databases = DATABASES.filter(({ variable }) => !isSet(variables, variable))
  if (mainnet) requireRealParts(services)
  if (isSet(variables, 'FRIENDBOT_URL') && !isSet(variables, 'HORIZON_URL')) {
    throw new ConfigError(
      'FRIENDBOT_URL is set and HORIZON_URL is not: name both of one network, or neither.',
    )
  }
  return {
    variables,
    local,
    mainnet,
    bindHost: variables.BIND_HOST || 'localhost',
    services,
    databases,
    replaced: describeReplaced(all, variables),
  }
}

/** A file that the environment names wins over the base env file's value too. */
function withoutReplaced(baseEnv: Variables, given: Variables): Variables {
  return Object.fromEntries(Object.entries(baseEnv).filter(([name]) => given[`${name}_FILE`] === undefined))
}

/** The variables of an environment that have a value. */
export function definedIn(environment: NodeJS.ProcessEnv): Variables {
  const variables: Variables = {}
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && value !== '') variables[name] = value
  }
  return variables
}

function requireSafeIdentityChecks(variables: Variables, mainnet: boolean): void {
  const provider = variables.KYC_PROVIDER
  if (mainnet && provider === 'mock') {
    throw new ConfigError(
      'IS_MAINNET=true with KYC_PROVIDER=mock: the mock approves everyone and must not run on the public network. ' +
        'Set KYC_PROVIDER to a real provider.',
    )
  }
  if (provider === 'mock' && variables.ALLOW_MOCK_KYC !== 'true') {
    throw new ConfigError('KYC_PROVIDER=mock also needs ALLOW_MOCK_KYC=true.')
  }
}

function requireDecisions(baseEnv: Variables, given: Variables): void {
  const undecided = undecidedSettings(baseEnv, given)
  if (undecided.length === 0) return
  const lines = undecided.map(({ name, problem, decide }) => `  ${name} ${problem}: ${decide}`)
  throw new ConfigError(
    `DEPLOYMENT=production needs ${lines.length} settings (npm run doctor -- --production lists them):\n${lines.join('\n')}`,
  )
}

function requireRealParts(services: Service[]): void {
  const standIns = [
    ['local-network', 'HORIZON_URL (and FUNDING_ACCOUNT)'],
    ['mail-catcher', 'SMTP_URL'],
  ] as const
  for (const [name, variable] of standIns) {
    if (services.some(service => service.name === name)) {
      throw new ConfigError(`IS_MAINNET=true needs ${variable}: the local ${name} is for tests only.`)
    }
  }
}

/** Whether a setting has a value, also from a file. */
function isSet(variables: Variables, name: string): boolean {
  return Boolean(variables[name]) || Boolean(variables[`${name}_FILE`])
}

function replacementOf(service: Service, variables: Variables): string | undefined {
  return service.replacedBy.find(name => isSet(variables, name))
}

function describeReplaced(all: readonly Service[], variables: Variables): string[] {
  const parts = all.flatMap(service => {
    const variable = replacementOf(service, variables)
    return variable === undefined ? [] : [`${service.title}: not started, ${variable} is set`]
  })
  const databases = DATABASES.filter(({ variable }) => isSet(variables, variable)).map(
    ({ variable, name }) => `database ${name}: not created, ${variable} is set`,
  )
  const backups =
    databases.length === DATABASES.length && isSet(variables, 'BACKUP_TO')
      ? ['backups: BACKUP_TO makes none of a Postgres of your own (docs/guides/backup.md)']
      : []
  return [...parts, ...databases, ...backups]
}

/** The port in a variable. */
export function portOf(variables: Variables, variable: string, fallback: number): number {
  const text = variables[variable]
  if (text === undefined) return fallback
  const port = Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65536) return port
  throw new ConfigError(`${variable} must be a port number from 1 to 65535, not "${text}"`)
}

/** The password of a role; it reveals nothing about other roles' passwords. */
export function rolePassword(variables: Variables, role: string): string {
  return createHmac('sha256', variables.POSTGRES_PASSWORD ?? '')
    .update(`role ${role}`)
    .digest('base64url')
}

const CONSOLES = [
  {
    service: 'founder-console',
    name: 'FOUNDER_CONSOLE',
    port: 4001,
    host: 'console.localhost',
    realm: 'operator',
  },
  { service: 'admin-console', name: 'ADMIN_CONSOLE', port: 4002, host: 'admin.localhost', realm: 'admin' },
  {
    service: 'customer-portal',
    name: 'CUSTOMER_PORTAL',
    port: 4003,
    host: 'account.localhost',
    realm: 'customer',
  },
] as const

/** The consoles that have a public address of their own: its origin and its host. */
export function publicConsoles(variables: Variables): { service: string; origin: string; host: string }[] {
  return CONSOLES.flatMap(({ service, name }) => {
    const url = URL.parse(variables[`${name}_URL`] ?? '')
    return url ? [{ service, origin: url.origin, host: url.hostname }] : []
  })
}

/** ALLOWED_ORIGINS: where each realm's console is, on this machine, behind our proxy and in public. */
export function consoleOrigins(variables: Variables, originOfHost: (host: string) => string): string {
  const open = publicConsoles(variables)
  return CONSOLES.flatMap(({ service, name, port, host, realm }) =>
    [
      `http://localhost:${portOf(variables, `${name}_PORT`, port)}`,
      originOfHost(host),
      ...open.filter(each => each.service === service).map(({ origin }) => origin),
    ].map(origin => `${realm}=${origin}`),
  ).join(',')
}

/**
 * The variables derived from ports and folders: the addresses of all parts.
 *
 * @param proxyPort the port that could be bound, see `chooseProxyPort`
 */
export function deriveVariables(settings: Settings, homeFolder: string, proxyPort: number): Variables {
  const { variables } = settings
  const port = (variable: string, fallback: number) => portOf(variables, variable, fallback)
  const at = (variable: string, fallback: number) => `http://localhost:${port(variable, fallback)}`
  const loopback = (variable: string, fallback: number) =>
    `http://${LOOPBACK_HOST}:${port(variable, fallback)}`
  const ports = Object.fromEntries(
    SERVICES.flatMap(({ ports }) => ports.map(([name, value]) => [name, String(port(name, value))])),
  )
  const proxySuffix = proxyPort === 80 ? '' : `:${proxyPort}`
  const open = publicConsoles(variables)
  const consoleAt = (name: string) => {
    const [[variable, fallback] = ['', 0]] = SERVICES.find(service => service.name === name)?.ports ?? []
    return loopback(variable, fallback)
  }
  const databases = settings.databases.map(({ variable, name }) => [
    variable,
    databaseUrl(
      `postgres://${LOOPBACK_HOST}:${port('POSTGRES_PORT', 5432)}`,
      name,
      name,
      rolePassword(variables, name),
    ),
  ])
  const network = settings.services.some(({ name }) => name === 'local-network')
  return {
    BIND_HOST: settings.bindHost,
    PLATFORM_URL: at('PLATFORM_API_PORT', 4000),
    CONTROL_PLANE_URL: at('CONTROL_PLANE_PORT', 3002),
    AGGREGATOR_URL: at('AGGREGATOR_PORT', 3005),
    LEDGER_GATEWAY_URL: at('LEDGER_GATEWAY_PORT', 8001),
    SECRETS_ENDPOINT: at('SECRETS_STORE_PORT', 4566),
    SIGNER_URL: at('SIGNER_PORT', 8002),
    PROXY_ADMIN_URL: at('DASHBOARD_PORT', 8090),
    FOUNDER_CONSOLE_URL: at('FOUNDER_CONSOLE_PORT', 4001),
    ADMIN_CONSOLE_URL: at('ADMIN_CONSOLE_PORT', 4002),
    CUSTOMER_PORTAL_URL: at('CUSTOMER_PORTAL_PORT', 4003),
    MAIL_CATCHER_URL: at('MAIL_CATCHER_PORT', 1080),
    SMTP_URL: `smtp://localhost:${port('SMTP_PORT', 1025)}`,
    ...(network && {
      HORIZON_URL: at('LOCAL_NETWORK_PORT', 8000),
      FRIENDBOT_URL: `${at('LOCAL_NETWORK_PORT', 8000)}/friendbot`,
    }),
    ...Object.fromEntries(databases),
    ANCHOR_DOMAIN_SUFFIX: 'anchors.localhost',
    ANCHOR_INGRESS: `http://${LOOPBACK_HOST}:${proxyPort}`,
    ANCHOR_PUBLIC_PORT: String(proxyPort),
    ALLOWED_ORIGINS: consoleOrigins(variables, host => `http://${host}${proxySuffix}`),
    PROXY_HOSTS: [
      ...open.map(({ service, host }) => `${host}=${consoleAt(service)}`),
      `console.localhost=${loopback('FOUNDER_CONSOLE_PORT', 4001)}`,
      `admin.localhost=${loopback('ADMIN_CONSOLE_PORT', 4002)}`,
      `account.localhost=${loopback('CUSTOMER_PORTAL_PORT', 4003)}`,
      `api.localhost=${loopback('PLATFORM_API_PORT', 4000)}`,
      `aggregator.localhost=${loopback('AGGREGATOR_PORT', 3005)}`,
    ].join(','),
    ...ports,
    POSTGRES_PORT: String(port('POSTGRES_PORT', 5432)),
    PROXY_PORT: String(proxyPort),
    WINDLASS_HOME: homeFolder,
  }
}

/** Chosen ports and folders override the requested ones. */
export function settledPorts(derived: Variables): Variables {
  const names = ['WINDLASS_HOME', ...SERVICES.flatMap(({ ports }) => ports.map(([name]) => name))]
  return Object.fromEntries(names.map(name => [name, derived[name] ?? '']))
}

/** In the variables of a stack: the names of those that someone set, for a backup. All others follow from them. */
export const GIVEN_SETTINGS = 'WINDLASS_GIVEN_SETTINGS'

/** The variables of one part: all but other parts' secrets, npm's own and what backups need. */
export function variablesFor(service: string, variables: Variables): Variables {
  return Object.fromEntries(
    Object.entries(variables).filter(([name]) => {
      if (/^npm_/i.test(name) || name === GIVEN_SETTINGS) return false
      const { secretOf } = settingOf(name) ?? {}
      return secretOf === undefined || secretOf.includes(service)
    }),
  )
}
