import { SPARES } from '@windlass/runtimes/processes/spares.ts'
import {
  ConfigError,
  type Env,
  databaseAddress,
  deployment,
  flag,
  integer,
  keyring,
  optional,
  secret,
  url,
} from '@windlass/service/process/env.ts'
import { loadRateSettings } from '@windlass/service/outbound/exchange-rates.ts'
import { readProofSettings } from './proof-settings.ts'
import { givenListSettings } from '@windlass/service/process/list-settings.ts'
import { readSecondSource, type SecondSourceSettings } from '@windlass/service/process/second-source.ts'
import { StrKey } from '@stellar/stellar-sdk/base'
import { parseRate } from '@windlass/money/rate.ts'
import { DEFAULT_MAX_FEE } from '@windlass/stellar/fees.ts'
import { type LedgerSource, TEST_NETWORK } from '@windlass/stellar/network.ts'
import { isEngineAddress } from '@windlass/runtimes/docker/engine.ts'
import { totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { VERSION } from './programs.ts'

export interface Config {
  local: boolean
  mainnet: boolean
  port: number
  bindHost: string
  databaseUrl: string
  /** A role that may create roles and databases: anchors' own. */
  anchorsDatabaseUrl: string
  masterKey: Map<number, Buffer>
  serviceSecret: string
  /** Where the proxy and the platform reach us. */
  ownUrl: string
  platformUrl: string
  proxyAdminUrl: string
  /** Secret of the reverse proxy. What proves the proxy to anchors follows from it. */
  proxySecret: string | undefined
  /** Where the keys of anchors' accounts are. */
  signer: { url: string; secret: string }
  ledger: {
    horizonUrl: string
    /** Horizon as this machine's services share it. */
    gatewayUrl: string
    networkPassphrase: string
    /** The most that is offered for an operation, in stroops. */
    maxFee: bigint
    /** A Horizon with full history; anchors read there what HORIZON_URL no longer has. */
    historyHorizonUrl: string | undefined
    /** Another, independent source. */
    second: SecondSourceSettings
    /** The settings of archives and validators, for anchors' servers. */
    proofs: Record<string, string>
    /** People see an account at `<explorer>/account/G…`; null where we know none for this ledger. */
    explorer: string | null
    /** By what contract accounts log in at anchors (SEP-45); null: they cannot. */
    contractLogin: { rpcUrl: string; contract: string } | null
    /** Pays for accounts where the signer has no funding account; null on the public network. */
    friendbotUrl: string | null
    /** Horizon and the faucet as browsers reach them; null on the public network. */
    browsers: { horizonUrl: string; friendbotUrl: string } | null
  }
  anchors: {
    domainSuffix: string
    /** Where every host under the suffix is reached from here. */
    ingress: string
    /** How the public reaches them. */
    scheme: 'http' | 'https'
    portBase: number
    /** Megabytes of heap for each server. */
    memory: number
    /** Processes of each role that have loaded their program and wait for an anchor; only of bundled programs. */
    spares: number
    folder: string
    /** Further releases of the servers' software, each a checkout below its version. */
    releasesFolder: string
    /** Where the data of removed anchors is kept. */
    exportsFolder: string
    runFolder: string
    logFolder: string
    /** Servers' programs by role, bundled; without them servers run from the checkout's sources. */
    programs?: { sep: string; business: string }
    /** Where Node keeps compiled programs, so that each next server starts sooner and smaller. */
    compileCache?: string
    runtime: RuntimeSettings
    /** ClamAV's clamd, for customers' files: a socket's path or `host:port`. */
    clamd: string | undefined
    /** Where Razorpay's API is, in tests; undefined: Razorpay's own. */
    railProviderUrl: string | undefined
    /** Bank statements, in a folder for each anchor's subdomain with one for each rail. */
    statements: string | undefined
    /** What anchors' servers log and trace. */
    observed?: Readonly<Record<string, string>>
    /** The settings of sanctions lists, for anchors' servers. */
    lists: Record<string, string>
    /** Currency units for one US dollar by ISO 4217 code, handed on to business servers. */
    fxRates: Readonly<Record<string, string>>
    /** Seconds; undefined: the rates are fixed. */
    fxRatesWithin: number | undefined
  }
  /** Without `endpoint` it is AWS itself; without `credentials` the AWS SDK looks for them (a machine's role). */
  secretsStore: {
    endpoint?: string
    region: string
    credentials?: { accessKeyId: string; secretAccessKey: string }
  }
  work: {
    /** Seconds after which a silent worker's job is taken over. */
    leaseSeconds: number
    concurrency: number
    reconcileSeconds: number
    /** Seconds within which a server that was started must be healthy. */
    healthySeconds: number
    /** Seconds without a request after which an anchor's servers sleep; 0: never. */
    sleepAfterSeconds: number
    /** Seconds that its servers run on after everyone was sent to the stand-in: the aggregator may have the old address. */
    sleepGraceSeconds: number
    /** While as many anchors' servers run, requests of strangers wake no further ones. */
    awakeAtMost: number
    /** Different anchors that one client network wakes in an hour. */
    wakesOfClient: number
    /** Subdomains of anchors whose servers never sleep. */
    alwaysOn: readonly string[]
    /** Seconds between looks whether an anchor's accounts are still on the ledger. */
    ledgerCheckSeconds: number
    /** Outside production: the point at which this process kills itself, for tests of recovery. */
    faultPoint?: string
  }
}

/** Where anchors' servers run. */
type RuntimeSettings =
  | { kind: 'processes' }
  | {
      kind: 'docker'
      /** The engine's address: `unix:///var/run/docker.sock` or `tcp://host:2375`. */
      engine: string
      /** The network that anchors' servers share with us. */
      network: string
      /** What both servers run from. */
      image: string
      /** An image of its own for the SEP server; its command starts it. */
      sepImage?: string
      /** The engine's volume that is mounted here as WINDLASS_HOME; without one we share files with the engine. */
      volume?: { name: string; mountedAt: string }
      /** We run outside of the network: servers are reached by ports of 127.0.0.1. */
      publish: boolean
    }
  | {
      kind: 'swarm'
      /** The address of one of its managers. */
      engine: string
      /** The overlay network that anchors' servers share with us. */
      network: string
      image: string
      sepImage?: string
      /** Constraints of the nodes that run anchors' servers. */
      placement: readonly string[]
    }

const FRIENDBOT = 'http://localhost:8000/friendbot'
/** Resident memory of an anchor's two servers. */
const BYTES_OF_ANCHOR = 250 * 2 ** 20

/** Throws `ConfigError` naming the setting that is missing or wrong. */
export function loadConfig(env: Env): Config {
  const where = deployment(env)
  refuseMockKyc(env, where.mainnet)
  const home = resolve(optional(env, 'WINDLASS_HOME') ?? '.windlass')
  const publicPort = integer(env, 'ANCHOR_PUBLIC_PORT', where.local ? 80 : 443)
  return {
    ...where,
    port: integer(env, 'CONTROL_PLANE_PORT', 3002),
    bindHost: optional(env, 'BIND_HOST') ?? 'localhost',
    databaseUrl: databaseAddress(env, 'CONTROL_PLANE_DATABASE_URL'),
    anchorsDatabaseUrl: databaseAddress(env, 'ANCHORS_DATABASE_URL'),
    masterKey: keyring(env, 'MASTER_KEY'),
    serviceSecret: secret(env, 'SERVICE_SECRET'),
    ownUrl: url(env, 'CONTROL_PLANE_URL', `http://127.0.0.1:${integer(env, 'CONTROL_PLANE_PORT', 3002)}`),
    platformUrl: url(env, 'PLATFORM_URL', 'http://localhost:4000'),
    proxySecret: optional(env, 'PROXY_SECRET'),
    proxyAdminUrl: url(env, 'PROXY_ADMIN_URL', 'http://localhost:8090'),
    signer: { url: url(env, 'SIGNER_URL', 'http://localhost:8002'), secret: secret(env, 'SIGNER_SECRET') },
    ledger: {
      horizonUrl: url(env, 'HORIZON_URL', 'http://localhost:8000'),
      gatewayUrl: url(env, 'LEDGER_GATEWAY_URL', url(env, 'HORIZON_URL', 'http://localhost:8000')),
      networkPassphrase: optional(env, 'NETWORK_PASSPHRASE') ?? TEST_NETWORK,
      maxFee: BigInt(integer(env, 'MAX_FEE_STROOPS', Number(DEFAULT_MAX_FEE))),
      historyHorizonUrl: optional(env, 'HISTORY_HORIZON_URL')?.replace(/\/+$/, ''),
      second: readSecondSource(env, where),
      proofs: readProofSettings(env),
      explorer: explorer(env),
      contractLogin: contractLogin(env),
      friendbotUrl: where.mainnet ? null : url(env, 'FRIENDBOT_URL', FRIENDBOT),
      browsers: where.mainnet ? null : browsers(env),
    },
    anchors: {
      domainSuffix: optional(env, 'ANCHOR_DOMAIN_SUFFIX') ?? 'anchors.localhost',
      ingress: url(env, 'ANCHOR_INGRESS', 'http://127.0.0.1:80'),
      scheme: publicPort === 443 ? 'https' : 'http',
      portBase: integer(env, 'ANCHOR_PORT_BASE', 20_000),
      memory: integer(env, 'ANCHOR_MEMORY_MB', 192),
      spares: integer(env, 'ANCHOR_SPARES', SPARES),
      folder: join(home, 'anchors'),
      releasesFolder: join(home, 'releases'),
      exportsFolder: join(home, 'exports'),
      runFolder: join(home, 'run', 'anchors'),
      logFolder: join(home, 'logs', 'anchors'),
      programs: programs(env),
      compileCache: optional(env, 'NODE_COMPILE_CACHE'),
      runtime: runtime(env, home, where.mainnet),
      clamd: clamd(env),
      railProviderUrl: where.local ? optional(env, 'RAIL_PROVIDER_URL') : undefined,
      statements: statements(env),
      observed: { ...logging(env), ...tracing(env), ...proxies(env) },
      lists: givenListSettings(env, where),
      fxRates: fxRates(env),
      fxRatesWithin: loadRateSettings(env)?.maxAgeSeconds,
    },
    secretsStore: secretsStore(env),
    work: {
      // A longer one would count as planned before the clock was set back.
      leaseSeconds: Math.min(300, Math.max(2, integer(env, 'LEASE_SECONDS', 15))),
      concurrency: Math.max(1, integer(env, 'PROVISIONING_CONCURRENCY', 4)),
      reconcileSeconds: Math.max(1, integer(env, 'RECONCILE_SECONDS', 5)),
      healthySeconds: Math.max(1, integer(env, 'HEALTHY_WITHIN_SECONDS', 45)),
      sleepAfterSeconds: integer(env, 'ANCHOR_SLEEP_AFTER_SECONDS', 0),
      sleepGraceSeconds: integer(env, 'ANCHOR_SLEEP_GRACE_SECONDS', 45),
      awakeAtMost: integer(env, 'ANCHORS_AWAKE', Math.max(10, Math.floor(totalmem() / BYTES_OF_ANCHOR))),
      wakesOfClient: integer(env, 'ANCHOR_WAKES_PER_CLIENT', where.local ? 1_000 : 20),
      alwaysOn: (optional(env, 'ANCHORS_ALWAYS_ON') ?? '').split(',').map(name => name.trim()),
      ledgerCheckSeconds: Math.max(1, integer(env, 'LEDGER_CHECK_SECONDS', 60)),
      faultPoint: where.local ? optional(env, 'FAULT_POINT') : undefined,
    },
  }
}

function logging(env: Env): Record<string, string> {
  const level = optional(env, 'LOG_LEVEL')
  return level ? { LOG_LEVEL: level } : {}
}

/** Anchors' servers leave the network as we do. */
function proxies(env: Env): Record<string, string> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']
  const given = names.map(name => [name, optional(env, name) ?? optional(env, name.toLowerCase())])
  return Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** Anchors' servers send their spans where ours go. */
function tracing(env: Env): Record<string, string> {
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: optional(env, 'OTEL_EXPORTER_OTLP_ENDPOINT'),
    OTEL_TRACES_SAMPLER: optional(env, 'OTEL_TRACES_SAMPLER'),
    OTEL_TRACES_SAMPLER_ARG: optional(env, 'OTEL_TRACES_SAMPLER_ARG'),
  }
  const given = Object.entries(settings).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return settings.OTEL_EXPORTER_OTLP_ENDPOINT ? Object.fromEntries(given) : {}
}

/** Where their addresses differ from those that services use, as in containers. */
const browsers = (env: Env) => ({
  horizonUrl: url(env, 'BROWSER_HORIZON_URL', url(env, 'HORIZON_URL', 'http://localhost:8000')),
  friendbotUrl: url(env, 'BROWSER_FRIENDBOT_URL', url(env, 'FRIENDBOT_URL', FRIENDBOT)),
})

/** Both or neither: an RPC alone does not say which contract is called. */
function contractLogin(env: Env): { rpcUrl: string; contract: string } | null {
  const contract = optional(env, 'WEB_AUTH_CONTRACT_ID')
  if (!optional(env, 'STELLAR_RPC_URL') && !contract) return null
  if (!contract || !StrKey.isValidContract(contract))
    throw new ConfigError('WEB_AUTH_CONTRACT_ID must be a contract (C…) beside STELLAR_RPC_URL')
  return { rpcUrl: url(env, 'STELLAR_RPC_URL'), contract }
}

/** Horizon, or the gateway in front of it. */
export const gatewayOf = ({ ledger }: Pick<Config, 'ledger'>): LedgerSource => ({
  url: ledger.gatewayUrl,
  passphrase: ledger.networkPassphrase,
})

/** EXPLORER_URL, else the local network's own pages, else what is known for the public networks. */
function explorer(env: Env): string | null {
  const given = optional(env, 'EXPLORER_URL')
  if (given) return url(env, 'EXPLORER_URL')
  const horizon = new URL(url(env, 'HORIZON_URL', 'http://localhost:8000'))
  if (['localhost', '127.0.0.1', '[::1]'].includes(horizon.hostname)) return `${horizon.origin}/#`
  if (horizon.hostname === 'horizon.stellar.org') return 'https://stellar.expert/explorer/public'
  if (horizon.hostname === 'horizon-testnet.stellar.org') return 'https://stellar.expert/explorer/testnet'
  return null
}

function runtime(env: Env, home: string, mainnet: boolean): RuntimeSettings {
  const kind = optional(env, 'ANCHOR_RUNTIME') ?? 'processes'
  if (kind === 'processes' && mainnet) {
    throw new ConfigError(
      'ANCHOR_RUNTIME=processes must not run with IS_MAINNET=true, because anchors then share one system: set ANCHOR_RUNTIME=docker or swarm',
    )
  }
  if (kind === 'processes') return { kind }
  if (kind !== 'docker' && kind !== 'swarm')
    throw new ConfigError('ANCHOR_RUNTIME must be processes, docker or swarm')
  const engine = optional(env, 'DOCKER_HOST') ?? 'unix:///var/run/docker.sock'
  if (!isEngineAddress(engine)) {
    throw new ConfigError('DOCKER_HOST must be like unix:///var/run/docker.sock or tcp://host:2375')
  }
  const containers = {
    engine,
    network: optional(env, 'ANCHOR_NETWORK') ?? 'platform-net',
    image: optional(env, 'ANCHOR_IMAGE') ?? `windlass:${VERSION}`,
    sepImage: optional(env, 'ANCHOR_PROTOCOL_IMAGE'),
  }
  if (kind === 'swarm') return { kind, ...containers, placement: placement(env) }
  const volume = optional(env, 'ANCHOR_VOLUME')
  return {
    kind,
    ...containers,
    volume: volume ? { name: volume, mountedAt: home } : undefined,
    publish: flag(env, 'ANCHOR_PUBLISH_PORTS'),
  }
}

const CONSTRAINT = /^(node|engine)\.[\w.-]+\s*[!=]=\s*[\w.:-]+$/

function placement(env: Env): string[] {
  const constraints = (optional(env, 'ANCHOR_PLACEMENT') ?? '').split(',').map(each => each.trim())
  const given = constraints.filter(each => each !== '')
  const wrong = given.find(each => !CONSTRAINT.test(each))
  if (wrong) throw new ConfigError(`ANCHOR_PLACEMENT must be like node.labels.anchors==true, not ${wrong}`)
  return given
}

function clamd(env: Env): string | undefined {
  const address = optional(env, 'CLAMD_ADDRESS')
  const inContainers = ['docker', 'swarm'].includes(optional(env, 'ANCHOR_RUNTIME') ?? '')
  if (address && inContainers && !/:\d+$/.test(address)) {
    throw new ConfigError(
      'CLAMD_ADDRESS must be host:port with anchors in containers, which see no socket of the machine',
    )
  }
  return address
}

function statements(env: Env): string | undefined {
  const folder = optional(env, 'STATEMENTS_FOLDER')
  if (folder && optional(env, 'ANCHOR_RUNTIME') === 'swarm') {
    throw new ConfigError(
      'STATEMENTS_FOLDER must not be set with ANCHOR_RUNTIME=swarm, because a folder is on one node: founders upload statements',
    )
  }
  if (folder && optional(env, 'ANCHOR_RUNTIME') === 'docker' && !/^\/[^:]*$/.test(folder)) {
    throw new ConfigError(
      'STATEMENTS_FOLDER must be an absolute path without a colon with ANCHOR_RUNTIME=docker',
    )
  }
  return folder
}

function programs(env: Env): Config['anchors']['programs'] {
  const folder = optional(env, 'ANCHOR_PROGRAMS')
  if (!folder) return undefined
  return { sep: join(folder, 'sep.mjs'), business: join(folder, 'business.mjs') }
}

/** The mock identity provider approves everybody: no service of a stack starts with it on the public network. */
function refuseMockKyc(env: Env, mainnet: boolean): void {
  if (optional(env, 'KYC_PROVIDER') !== 'mock') return
  if (mainnet) throw new ConfigError('KYC_PROVIDER=mock must not run with IS_MAINNET=true')
  if (!flag(env, 'ALLOW_MOCK_KYC')) throw new ConfigError('KYC_PROVIDER=mock needs ALLOW_MOCK_KYC=true')
}

/** Every FX_RATE_<code>_USDC, by code. */
function fxRates(env: Env): Record<string, string> {
  const rates = Object.entries(env).flatMap(([name, value]) => {
    const code = /^FX_RATE_([A-Z]{3})_USDC$/.exec(name)?.[1]
    if (!code || !value) return []
    if (!isPositiveRate(value)) throw new ConfigError(`${name} must be a positive decimal number`)
    return [[code, value] as const]
  })
  return Object.fromEntries(rates.sort())
}

function isPositiveRate(value: string): boolean {
  try {
    return parseRate(value).numerator > 0n
  } catch {
    return false
  }
}

function secretsStore(env: Env): Config['secretsStore'] {
  const accessKeyId = optional(env, 'AWS_ACCESS_KEY_ID')
  const secretAccessKey = optional(env, 'AWS_SECRET_ACCESS_KEY')
  return {
    endpoint: optional(env, 'SECRETS_ENDPOINT'),
    region: optional(env, 'AWS_REGION') ?? 'local',
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  }
}
