import { StrKey } from '@stellar/stellar-sdk/base'
import { anchorEndpoints } from '@windlass/contracts/internal/anchor-endpoints.ts'
import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import { NATIVE, servedAssets } from '@windlass/contracts/internal/served-assets.ts'
import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import { createBinder, type Binder } from '@windlass/service/seals/binding.ts'
import { renderDiscoveryFile } from '@windlass/stellar/discovery-file.ts'
import { fundFromFaucet } from '@windlass/stellar/friendbot.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { issueAsset, trustAsset } from '@windlass/stellar/issuing.ts'
import { generateKey, seedSigner, type AccountKey } from '@windlass/stellar/keys.ts'
import { memoryEnvelopes } from '@windlass/stellar/testing/memory-envelopes.ts'
import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import { freePorts } from '@windlass/testing/free-ports.ts'
import { anchorServers, childEnvironment } from '@windlass/testing/processes.ts'
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startFakePlatform, type FakePlatform } from './fake-platform.ts'
import { startFront } from './front.ts'
import { routePublicHost } from './public-host.ts'
import { startFakeRpc, type FakeRpc } from './stellar-rpc.ts'

/** A whole anchor: a ledger, two processes, a database, a public host, and a fake platform. */
export interface RunningAnchor {
  anchor: AnchorConfig
  network: LocalNetwork
  platform: FakePlatform
  /** Present with `contracts`. */
  rpc: FakeRpc | null
  database: TestDatabase
  issuer: AccountKey
  /** Issues the assets in `further`. */
  furtherIssuer: AccountKey
  distribution: AccountKey
  secrets: Readonly<Record<'summary' | 'service' | 'link' | 'webhook' | 'jwt', string>>
  businessUrl: string
  /** Proves a row as the business server does, for rows that a test adds. */
  bind: Binder['bind']
  /** What both processes have written to their logs. */
  logs(): string
  /** Their configuration. */
  folder: string
  /** Where the public host is really reached. */
  frontPort: number
  /** Kills the process (`SIGKILL`). */
  kill(server: Role): Promise<void>
  /** Starts it again, with further settings, and waits until it is healthy. */
  start(server: Role, settings?: Record<string, string>): Promise<void>
  /** Waits until the process has ended by itself; the signal that ended it. */
  ended(server: Role): Promise<NodeJS.Signals | null>
  query<T extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<T[]>
  stop(): Promise<void>
}

export type Role = 'sep' | 'business'

interface AnchorOptions {
  assetCode?: string
  rails?: string[]
  issued?: string
  /** The asset exists: the anchor has a trustline for it, and none of it. */
  existing?: boolean
  /** The asset is XLM, of which a dollar buys 8. */
  xlm?: boolean
  /** Codes of further assets, all of one issuer. */
  further?: string[]
  settlement?: 'instant' | 'under_60_minutes'
  limits?: { min: string; max: string }
  /**
   * The anchor reaches the network through two Horizon instances, `current` and `behind`, behind one address. They
   * have the faults that `network.setFaults` gives them; `main` has none.
   */
  severalInstances?: boolean
  /** Contract accounts log in and are paid. */
  contracts?: boolean
  /** A collector that gets the traces of both servers. */
  collector?: string
}

/** Both instances of `severalInstances`, without a fault. */
export const NO_FAULTS = {
  instances: { current: {}, behind: {} },
  balancer: { instances: ['current', 'behind'] },
}

const HOST = 'mumbai.anchors.localhost'

export async function startRunningAnchor(options: AnchorOptions = {}): Promise<RunningAnchor> {
  const secret = () => randomBytes(32).toString('base64url')
  const secrets = { summary: secret(), service: secret(), link: secret(), webhook: secret(), jwt: secret() }
  const [network, database, platform, ports, programs] = await Promise.all([
    startLocalNetwork({
      ...(options.severalInstances ? { closeEvery: 200, faults: NO_FAULTS } : { closeEvery: 'at-once' }),
    }),
    testDatabase(),
    startFakePlatform(secrets.service, secrets.webhook),
    freePorts(3),
    anchorServers(),
  ])
  const [publicPort = 0, sepPort = 0, businessPort = 0] = ports
  platform.webhookUrl = `http://localhost:${businessPort}/api/v1/customer/kyc/webhook`
  const contract = StrKey.encodeContract(randomBytes(32))
  const rpc = options.contracts
    ? await startFakeRpc(contract, network.passphrase, `${network.url}/rpc`)
    : null
  const keys = { issuer: generateKey(), distribution: generateKey(), signing: generateKey() }
  const furtherIssuer = generateKey()
  const anchor: AnchorConfig = {
    plan: {
      anchorId: 'mumbai00000000000000',
      organizationName: 'Mumbai Pay <b>& Sons</b>',
      businessEmail: 'ops@mumbai.example',
      subdomain: 'mumbai',
      homeDomain: HOST,
      asset: {
        code: options.assetCode ?? 'MUMBAI',
        name: 'Mumbai dollar',
        anchoredTo: 'USD',
        ...(options.existing
          ? { issuer: keys.issuer.publicKey, issued: '0' }
          : { issued: options.issued ?? '1000000' }),
        ...(options.xlm
          ? { code: 'XLM', name: 'Lumen', anchoredTo: 'XLM', issuer: NATIVE, issued: '0' }
          : {}),
      },
      ...(options.further
        ? { furtherAssets: options.further.map(code => furtherAsset(code, furtherIssuer)) }
        : {}),
      rails: options.rails ?? ['UPI'],
      regions: ['IN'],
      settlement: options.settlement ?? 'instant',
      fees: { fixed: '0.5', percentage: '0.005' },
      limits: options.limits ?? { min: '1', max: '10000' },
    },
    accounts: {
      issuer: options.xlm ? NATIVE : keys.issuer.publicKey,
      distribution: keys.distribution.publicKey,
      signing: keys.signing.publicKey,
    },
    publicUrl: `http://${HOST}`,
    network: {
      passphrase: network.passphrase,
      horizonUrl: network.faults().balancer?.url ?? network.url,
      explorer: `${network.url}/#`,
      browsers: { horizonUrl: network.url, friendbotUrl: network.friendbotUrl },
      ...(rpc ? { contractLogin: { rpcUrl: rpc.url, contract } } : {}),
    },
    platformUrl: platform.url,
    ...(options.xlm ? { fxRates: { INR: '88.50', XLM: '8' } } : {}),
    sepServerUrl: `http://127.0.0.1:${sepPort}`,
    businessServerUrl: `http://127.0.0.1:${businessPort}`,
    version: '0.1.0',
  }
  if (options.further)
    await fundFromFaucet(network.friendbotUrl, createHorizon(network), furtherIssuer.publicKey)
  await issue(anchor, network, keys)
  const pool = new pg.Pool({ connectionString: database.url, max: 2 })
  // Dropping the database ends connections that are still closing.
  pool.on('connect', client => client.on('error', () => undefined))
  pool.on('error', () => undefined)
  await pool.query('create schema sep; create schema business')
  const folder = mkdtempSync(join(tmpdir(), 'windlass-anchor-'))
  const details = randomBytes(32)
  const env = writeFiles(
    folder,
    anchor,
    keys,
    { ...secrets, details: details.toString('base64') },
    database.url,
  )
  const front = await startFront(publicPort, sepPort, businessPort)
  const hidePublicHost = routePublicHost(HOST, publicPort)
  const running = new Map<Role, ChildProcess>()
  const logs: string[] = []

  const start = async (role: Role, settings: Record<string, string> = {}): Promise<void> => {
    const port = role === 'sep' ? sepPort : businessPort
    const url = `${database.url}${database.url.includes('?') ? '&' : '?'}options=-csearch_path%3D${role === 'sep' ? 'sep' : 'business'}`
    const child = spawn(process.execPath, [join(programs, `${role}.mjs`)], {
      env: {
        ...env,
        ...(options.collector ? { OTEL_EXPORTER_OTLP_ENDPOINT: options.collector } : {}),
        ...{ PORT: String(port), DATABASE_URL: url, BIND_HOST: '127.0.0.1' },
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      logs.push(text)
      if (process.env.ANCHOR_LOGS) process.stdout.write(text)
    })
    running.set(role, child)
    await untilHealthy(`http://127.0.0.1:${port}/health`, child)
  }
  const ended = async (role: Role): Promise<NodeJS.Signals | null> => {
    const child = running.get(role)
    if (!child) throw new Error(`${role} was not started`)
    if (child.exitCode === null && child.signalCode === null) {
      await new Promise(resolve => child.once('exit', resolve))
    }
    return child.signalCode
  }
  const kill = async (role: Role, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    if (!running.has(role)) return
    const gone = ended(role)
    running.get(role)?.kill(signal)
    await gone
  }
  await Promise.all([start('sep'), start('business')]).catch(async error => {
    await Promise.all([kill('sep'), kill('business')])
    throw error
  })
  return {
    anchor,
    network,
    platform,
    rpc,
    database,
    issuer: keys.issuer,
    furtherIssuer,
    distribution: keys.distribution,
    secrets,
    businessUrl: anchor.businessServerUrl,
    frontPort: publicPort,
    bind: createBinder(new Map([[1, details]])).bind,
    logs: () => logs.join(''),
    folder,
    start,
    ended,
    kill,
    query: async (text, values) => (await pool.query(text, values)).rows,
    stop: async () => {
      await Promise.all([kill('sep', 'SIGTERM'), kill('business', 'SIGTERM')])
      front.closeAllConnections()
      front.close()
      hidePublicHost()
      await pool.end()
      await rpc?.close()
      await Promise.all([platform.server.close(), network.stop(), database.drop()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const furtherAsset = (code: string, { publicKey: issuer }: AccountKey) => ({
  ...{ code, issuer, name: `${code} of another issuer`, anchoredTo: 'USD' },
})

async function issue(
  anchor: AnchorConfig,
  network: LocalNetwork,
  keys: { issuer: AccountKey; distribution: AccountKey },
): Promise<void> {
  const horizon = createHorizon(network)
  await Promise.all(
    [keys.issuer, keys.distribution].map(({ publicKey }) =>
      fundFromFaucet(network.friendbotUrl, horizon, publicKey),
    ),
  )
  const { asset, furtherAssets: further = [], homeDomain } = anchor.plan
  const common = {
    horizon,
    networkPassphrase: network.passphrase,
    store: memoryEnvelopes(),
    distribution: seedSigner(keys.distribution.secret),
    homeDomain,
    reference: 'test',
  }
  const { code, issuer, issued: amount } = asset
  if (issuer) {
    const assets = [...(issuer === NATIVE ? [] : [{ code, issuer }]), ...further]
    return void (await trustAsset({ ...common, assets }))
  }
  const own = { issuer: seedSigner(keys.issuer.secret), assetCode: code, amount }
  await issueAsset({ ...common, ...own, further })
}

function writeFiles(
  folder: string,
  anchor: AnchorConfig,
  keys: Readonly<Record<'issuer' | 'distribution' | 'signing', AccountKey>>,
  secrets: RunningAnchor['secrets'] & { details: string },
  databaseUrl: string,
): Record<string, string> {
  const configFile = join(folder, 'anchor.json')
  const tomlFile = join(folder, 'stellar.toml')
  writeFileSync(configFile, JSON.stringify(anchor))
  writeFileSync(
    tomlFile,
    renderDiscoveryFile({
      networkPassphrase: anchor.network.passphrase,
      endpoints: anchorEndpoints(anchor.publicUrl),
      signingKey: keys.signing.publicKey,
      accounts: Object.values(anchor.accounts).filter(account => account !== anchor.plan.asset.issuer),
      organization: { name: anchor.plan.organizationName },
      currencies: servedAssets(anchor).map(asset => ({ ...asset, status: 'test' })),
    }),
  )
  return {
    ...childEnvironment(),
    DEPLOYMENT: 'local',
    ANCHOR_CONFIG: configFile,
    STELLAR_TOML: tomlFile,
    DATABASE_URL: databaseUrl,
    SIGNING_KEY: keys.signing.secret,
    DISTRIBUTION_KEY: keys.distribution.secret,
    SEP_JWT_SECRET: secrets.jwt,
    LINK_SECRET: secrets.link,
    DETAILS_KEY: `v1:${secrets.details}`,
    SUMMARY_SECRET: secrets.summary,
    ANCHOR_SERVICE_SECRET: secrets.service,
  }
}

async function untilHealthy(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 450; tries++) {
    const end = child.signalCode ?? child.exitCode
    if (end !== null) throw new Error(`the server ended with ${end}`)
    const answer = await fetch(url).catch(() => null)
    await answer?.body?.cancel()
    if (answer?.ok) return
    await sleep(100)
  }
  throw new Error(`${url} does not become healthy`)
}
