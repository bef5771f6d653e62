import { browserRealms, type BrowserRealm } from '@windlass/contracts/realm.ts'
import { type KycSettings, loadKycSettings } from '@windlass/kyc-providers/settings.ts'
import {
  ConfigError,
  type Env,
  databaseAddress,
  deployment,
  flag,
  integer,
  keyring,
  optional,
  required,
  secret,
  url,
} from '@windlass/service/process/env.ts'
import { readSecondSource, type SecondSourceSettings } from '@windlass/service/process/second-source.ts'
import { loadRateSettings, type RateSettings } from '@windlass/service/outbound/exchange-rates.ts'
import type { ConsoleOrigins } from '@windlass/service/http/cookie-rules.ts'
import { installation } from '@windlass/service/http/installation.ts'
import { weaknessOfAdministrator } from '@windlass/service/http/password-strength.ts'
import { TEST_NETWORK, type LedgerSource } from '@windlass/stellar/network.ts'
import { ledgerSeedOf } from './audit/settings.ts'
import { isConfigurationAddress } from './single-sign-on/issuer.ts'

export interface Config {
  deployment: { local: boolean; mainnet: boolean }
  /** A sandbox says so in its emails and on its pages. */
  sandbox: boolean
  /** Rates are this many times as wide: 1, or 100 locally. */
  rateFactor: number
  listen: { port: number; host: string }
  database: { url: string }
  /** Address of each service, without a trailing slash. */
  urls: {
    platform: string
    controlPlane: string
    aggregator: string
    founderConsole: string
    adminConsole: string
    customerPortal: string
  }
  web: {
    origins: ConsoleOrigins
    /** Overrides the rule by which cookies are `Secure`. */
    cookieSecure: boolean | undefined
    proxySecret: string | undefined
  }
  /** Shared by the platform's services and sent to nobody else. */
  serviceSecret: string
  /** Seals emails and anchors' secrets in our own database: version to 32 bytes. */
  keyring: Map<number, Buffer>
  admin: { username: string; password: string }
  /** Whether administrators need a second factor. */
  adminSecondFactor: 'required' | 'optional'
  /** The provider that signs in administrators who accepted an invitation; null: none. */
  adminSignOn: { issuer: string; clientId: string; clientSecret: string; trustsSecondFactor: boolean } | null
  tokens: { operator: string; customer: string; admin: string }
  otpKey: string
  mail: { smtpUrl: string; from: string }
  /** Without `endpoint` it is AWS itself; without `credentials` the AWS SDK looks for them (a machine's role). */
  secretsStore: {
    endpoint: string | undefined
    region: string
    credentials: { accessKeyId: string; secretAccessKey: string } | undefined
  }
  anchors: {
    /** `anchors.localhost` */
    domainSuffix: string
    /** Part of a home domain where it is not 80 or 443. */
    publicPort: number
    /** Address of the proxy that serves the hosts under the suffix. */
    ingress: string
  }
  /** Horizon, or the gateway in front of it. */
  network: LedgerSource
  /** Another source of the ledger, which has to agree who signs for an account. */
  second: SecondSourceSettings
  /** Where the audit log's head is written on the ledger: nowhere without a seed (`S…`). */
  audit: { ledgerSeed: string | undefined; friendbotUrl: string | undefined }
  /** The provider of identity verification; null where none is configured. */
  kyc: KycSettings | null
  /** Null: they are fixed. */
  exchangeRates: RateSettings | null
  /** Whether XLM has a fixed rate, where there is no source of rates. */
  hasXlmRate: boolean
  allowPrivateAddresses: boolean
  /** Outside production: the point at which this process kills itself, for tests of recovery. */
  faultPoint: string | undefined
}

/**
 * Reads the environment once. Throws {@link ConfigError} with one line that names the setting, above all for a
 * weak administrator's password in production and for the mock identity provider on the public network.
 */
export function loadConfig(env: Env): Config {
  const where = deployment(env)
  // Defaults for a developer's machine are not used elsewhere.
  const locally = (value: string) => (where.local ? value : undefined)
  const founderConsole = url(env, 'FOUNDER_CONSOLE_URL', locally('http://localhost:4001'))
  const adminConsole = url(env, 'ADMIN_CONSOLE_URL', locally('http://localhost:4002'))
  const customerPortal = url(env, 'CUSTOMER_PORTAL_URL', locally('http://localhost:4003'))
  const port = integer(env, 'PLATFORM_API_PORT', 4000)
  return {
    deployment: where,
    sandbox: installation(env)?.kind === 'sandbox',
    rateFactor: where.local ? 100 : 1,
    kyc: kycSettings(env),
    listen: { port, host: optional(env, 'BIND_HOST') ?? 'localhost' },
    database: { url: databaseAddress(env, 'PLATFORM_DATABASE_URL') },
    urls: {
      platform: url(env, 'PLATFORM_URL', locally(`http://localhost:${port}`)),
      controlPlane: url(env, 'CONTROL_PLANE_URL', locally('http://localhost:3002')),
      aggregator: url(env, 'AGGREGATOR_URL', locally('http://localhost:3005')),
      founderConsole,
      adminConsole,
      customerPortal,
    },
    web: {
      origins: originsOf(env, { operator: founderConsole, admin: adminConsole, customer: customerPortal }),
      cookieSecure: optional(env, 'COOKIE_SECURE') === undefined ? undefined : flag(env, 'COOKIE_SECURE'),
      proxySecret: optional(env, 'PROXY_SECRET'),
    },
    serviceSecret: secret(env, 'SERVICE_SECRET'),
    keyring: keyring(env, 'PLATFORM_KEY'),
    admin: adminConfig(env, where.local),
    adminSecondFactor: adminSecondFactor(env, where),
    adminSignOn: adminSignOn(env, where.local),
    tokens: tokenKeys(env),
    otpKey: secret(env, 'OTP_KEY'),
    mail: {
      smtpUrl: url(env, 'SMTP_URL', locally('smtp://localhost:1025')),
      from: optional(env, 'MAIL_FROM') ?? 'Windlass <no-reply@windlass.localhost>',
    },
    secretsStore: secretsStore(env),
    anchors: {
      domainSuffix: required(env, 'ANCHOR_DOMAIN_SUFFIX'),
      publicPort: integer(env, 'ANCHOR_PUBLIC_PORT', 80),
      ingress: url(env, 'ANCHOR_INGRESS', 'http://127.0.0.1:80'),
    },
    network: {
      url: url(env, 'LEDGER_GATEWAY_URL', url(env, 'HORIZON_URL', locally('http://localhost:8000'))),
      passphrase: optional(env, 'NETWORK_PASSPHRASE') ?? TEST_NETWORK,
    },
    second: readSecondSource(env, where),
    audit: { ledgerSeed: ledgerSeedOf(env), friendbotUrl: optional(env, 'FRIENDBOT_URL') },
    exchangeRates: loadRateSettings(env),
    hasXlmRate: optional(env, 'FX_RATE_XLM_USDC') !== undefined,
    allowPrivateAddresses: flag(env, 'ALLOW_PRIVATE_ADDRESSES', where.local),
    faultPoint: locally(optional(env, 'FAULT_POINT') ?? '') || undefined,
  }
}

function kycSettings(env: Env): KycSettings | null {
  return optional(env, 'KYC_PROVIDER') === undefined ? null : loadKycSettings(env)
}

function adminConfig(env: Env, local: boolean): Config['admin'] {
  const username = required(env, 'ADMIN_USERNAME')
  const password = required(env, 'ADMIN_PASSWORD')
  const weakness = local ? null : weaknessOfAdministrator(password, [username])
  if (weakness) throw new ConfigError(`ADMIN_PASSWORD ${weakness}`)
  return { username, password }
}

function adminSecondFactor(env: Env, { local, mainnet }: Config['deployment']): Config['adminSecondFactor'] {
  const value = optional(env, 'ADMIN_SECOND_FACTOR') ?? (local ? 'optional' : 'required')
  if (value !== 'required' && value !== 'optional') {
    throw new ConfigError('ADMIN_SECOND_FACTOR must be required or optional')
  }
  if (mainnet && value === 'optional') {
    throw new ConfigError('ADMIN_SECOND_FACTOR must be required where IS_MAINNET is true')
  }
  return value
}

function adminSignOn(env: Env, local: boolean): Config['adminSignOn'] {
  if (optional(env, 'ADMIN_OIDC_ISSUER') === undefined) return null
  const issuer = url(env, 'ADMIN_OIDC_ISSUER')
  if (!local && !issuer.startsWith('https:'))
    throw new ConfigError('ADMIN_OIDC_ISSUER must begin with https:')
  if (isConfigurationAddress(issuer))
    throw new ConfigError('ADMIN_OIDC_ISSUER must be the issuer, not the address of its configuration')
  return {
    // A slash at its end belongs to its name.
    issuer: required(env, 'ADMIN_OIDC_ISSUER'),
    clientId: required(env, 'ADMIN_OIDC_CLIENT_ID'),
    clientSecret: required(env, 'ADMIN_OIDC_CLIENT_SECRET'),
    trustsSecondFactor: flag(env, 'ADMIN_OIDC_TRUSTS_SECOND_FACTOR', false),
  }
}

function tokenKeys(env: Env): Config['tokens'] {
  const keys = {
    operator: secret(env, 'OPERATOR_TOKEN_KEY'),
    customer: secret(env, 'CUSTOMER_TOKEN_KEY'),
    admin: secret(env, 'ADMIN_TOKEN_KEY'),
  }
  if (new Set(Object.values(keys)).size < 3) {
    throw new ConfigError('OPERATOR_TOKEN_KEY, CUSTOMER_TOKEN_KEY and ADMIN_TOKEN_KEY must differ')
  }
  return keys
}

function secretsStore(env: Env): Config['secretsStore'] {
  const endpoint = optional(env, 'SECRETS_ENDPOINT') === undefined ? undefined : url(env, 'SECRETS_ENDPOINT')
  const accessKeyId = optional(env, 'AWS_ACCESS_KEY_ID')
  return {
    endpoint,
    // Our own store accepts any region.
    region: endpoint ? (optional(env, 'AWS_REGION') ?? 'local') : required(env, 'AWS_REGION'),
    credentials: accessKeyId
      ? { accessKeyId, secretAccessKey: required(env, 'AWS_SECRET_ACCESS_KEY') }
      : undefined,
  }
}

/**
 * The origins of each realm's console: its own address, and those of ALLOWED_ORIGINS, as `admin=https://ops.example` for one
 * realm or `https://a.example` for all, unless it is known to be one console's.
 */
function originsOf(env: Env, own: Readonly<Record<BrowserRealm, string>>): ConsoleOrigins {
  const listed = (optional(env, 'ALLOWED_ORIGINS') ?? '')
    .split(',')
    .map(text => /^\s*(?:([a-z]+)=)?(.*?)\s*$/s.exec(text)?.slice(1) ?? [])
    .flatMap(([realm, text]) => (text ? [[realmOf(realm), originOf(text)] as const] : []))
  const named = [...browserRealms.map(realm => [realm, originOf(own[realm])] as const), ...listed]
  const isOnes = (origin: string) => named.some(([realm, each]) => realm && each === origin)
  const originsFor = (realm: BrowserRealm) => {
    const theirs = named.filter(([of, origin]) => of === realm || (!of && !isOnes(origin)))
    return [...new Set(theirs.map(([, origin]) => origin))]
  }
  return { operator: originsFor('operator'), admin: originsFor('admin'), customer: originsFor('customer') }
}

function realmOf(text: string | undefined): BrowserRealm | undefined {
  const realm = browserRealms.find(each => each === text)
  if (text && !realm)
    throw new ConfigError(`ALLOWED_ORIGINS names "${text}", which is none of ${browserRealms.join(', ')}`)
  return realm
}

function originOf(text: string): string {
  if (!URL.canParse(text)) throw new ConfigError(`ALLOWED_ORIGINS holds "${text}", which is not an address`)
  return new URL(text).origin
}
