import { createClient, ProblemError, type Client } from '@windlass/client/client.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { acceptJob, getControlPlaneJob } from '@windlass/contracts/internal/control-plane.ts'
import type { Job } from '@windlass/contracts/platform/provisioning.ts'
import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import { findByArguments } from '@windlass/runtimes/processes/process-identity.ts'
import { sharedMigrations } from '@windlass/service/postgres/database.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { freePort, freePortBase, freePorts } from '@windlass/testing/free-ports.ts'
import { anchorServers, childEnvironment, serviceProgram } from '@windlass/testing/processes.ts'
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { migrations } from '../tables.ts'
import { startGate, type Gate } from './gate.ts'
import { startPlatformStandIn, type PlatformStandIn } from './platform-stand-in.ts'

/**
 * Everything that provisioning uses, for real: Postgres, a Stellar network, the reverse proxy, and control planes and
 * anchors' servers as processes. Only the platform API is a stand-in, so that tests can count what it receives.
 */
export interface Fixture {
  network: LocalNetwork
  faucet: Gate
  /** The gate in front of the network's Horizon, for control planes that use its address. */
  horizon: Gate
  platform: PlatformStandIn
  /** The reverse proxy's administration. */
  proxy: Client
  /** The control plane's database. */
  database: pg.Pool
  home: string
  env: Record<string, string>
  /** Starts a control plane on its own port, or CONTROL_PLANE_PORT; resolves when it is ready. */
  startControlPlane(env?: Record<string, string>): Promise<ControlPlaneProcess>
  /** Stops every anchor's servers permanently: no control plane restarts them. */
  endAnchors(): Promise<void>
  /** Empties the ledger, as the public test network does a few times a year. */
  resetNetwork(): Promise<void>
  stop(): Promise<void>
}

export interface ControlPlaneProcess {
  url: string
  /** As the platform calls it. */
  client: Client
  accept(plan: AnchorPlan, jobId?: string): Promise<Job>
  /** Accepts the plan's job and resolves with it once it is completed. */
  provision(plan: AnchorPlan, seconds?: number): Promise<Job>
  job(jobId: string): Promise<Job>
  /** Resolves with the job once the condition is true; throws with the job and the log after a timeout. */
  until(jobId: string, holds: (job: Job) => boolean, seconds?: number): Promise<Job>
  untilCompleted(plan: AnchorPlan, seconds?: number): Promise<Job>
  /** What it has logged. */
  logged(): Record<string, unknown>[]
  /** Resolves when the process has ended by itself. */
  ended: Promise<string>
  kill(): Promise<void>
  stop(): Promise<void>
}

const PREFIX = 'windlass-control-plane-'
const SERVICE_SECRET = 's'.repeat(40)

/**
 * @param postgresUrl of the test's own server, which it may restart
 * @param funding accounts are funded by one account, on a network that closes so often (milliseconds)
 */
export async function startFixture({
  postgresUrl,
  funding,
}: { postgresUrl?: string; funding?: { closeEvery: number } } = {}): Promise<Fixture> {
  await removeLeftovers()
  const home = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`))
  // Where we are root, anchors' servers run as users of their own.
  chmodSync(home, 0o711)
  const payer = funding ? generateKey() : null
  const [database, network, platform, programs] = await Promise.all([
    postgresUrl ? ownDatabase(postgresUrl) : testDatabase(sharedMigrations, migrations),
    startLocalNetwork({
      closeEvery: funding?.closeEvery ?? 'at-once',
      ...(payer ? { genesis: { accounts: [{ address: payer.publicKey, lumens: '1000' }] } } : {}),
    }),
    startPlatformStandIn(SERVICE_SECRET),
    anchorServers(),
  ])
  const ledger: { network: LocalNetwork } = { network }
  const faucet = await startGate(() => ledger.network.friendbotUrl.replace(/\/$/, ''))
  const horizon = await startGate(() => ledger.network.url)
  const keys = await (postgresUrl ? ownDatabase(postgresUrl, 'signer') : testDatabase())
  const [proxyPort, dashboardPort, signerPort] = await freePorts(3)
  const env = {
    ...childEnvironment(),
    DEPLOYMENT: 'local',
    WINDLASS_HOME: home,
    SERVICE_SECRET,
    PROXY_SECRET: 'p'.repeat(40),
    MASTER_KEY: `v1:${randomBytes(32).toString('base64')}`,
    CONTROL_PLANE_DATABASE_URL: database.url,
    ANCHORS_DATABASE_URL: postgresUrl ?? inject('postgresUrl'),
    SIGNER_DATABASE_URL: keys.url,
    SIGNER_KEY: `v1:${randomBytes(32).toString('base64')}`,
    ...(payer ? { FUNDING_ACCOUNT: payer.secret } : {}),
    SIGNER_SECRET: randomBytes(32).toString('hex'),
    SIGNER_PORT: String(signerPort),
    SIGNER_URL: `http://127.0.0.1:${signerPort}`,
    PLATFORM_URL: platform.url,
    HORIZON_URL: network.url,
    FRIENDBOT_URL: faucet.url,
    PROXY_PORT: String(proxyPort),
    DASHBOARD_PORT: String(dashboardPort),
    PROXY_ADMIN_URL: `http://127.0.0.1:${dashboardPort}`,
    ANCHOR_INGRESS: `http://127.0.0.1:${proxyPort}`,
    ANCHOR_PUBLIC_PORT: String(proxyPort),
    ANCHOR_PORT_BASE: String(freePortBase()),
    ANCHOR_PROGRAMS: programs,
    LEASE_SECONDS: '2',
    RECONCILE_SECONDS: '1',
    LEDGER_CHECK_SECONDS: '1',
    KYC_PROVIDER: 'mock',
    ALLOW_MOCK_KYC: 'true',
    PROVIDER_WEBHOOK_SECRET: 'whsec_dGVzdHRlc3R0ZXN0dGVzdA==',
  }
  const children: ChildProcess[] = []
  const [proxy, signer] = await Promise.all([launch('reverse-proxy', env, home), launch('signer', env, home)])
  children.push(proxy.child, signer.child)
  await untilListening(`${env.PROXY_ADMIN_URL}/health`, proxy)
  await untilListening(`${env.SIGNER_URL}/health`, signer)
  const pool = new pg.Pool({ connectionString: database.url, max: 2 })
  // Dropping the database, or a restart, ends connections that are still closing.
  pool.on('connect', client => client.on('error', () => undefined))
  pool.on('error', () => undefined)

  const fixture: Fixture = {
    network,
    faucet,
    horizon,
    platform,
    proxy: clientOf(env.PROXY_ADMIN_URL),
    database: pool,
    home,
    env,
    startControlPlane: async extra => {
      const port = extra?.CONTROL_PLANE_PORT ?? String(await freePort())
      const settings = { ...env, ...extra, CONTROL_PLANE_PORT: port }
      const launched = await launch('control-plane', settings, home)
      children.push(launched.child)
      const url = `http://127.0.0.1:${port}`
      await untilListening(`${url}/health`, launched)
      return controlPlane(url, launched)
    },
    endAnchors: async () => {
      await pool.query('update anchors set running = false')
      await endAnchors(home)
    },
    resetNetwork: async () => {
      const port = Number(new URL(fixture.network.url).port)
      await fixture.network.stop()
      fixture.network = await startLocalNetwork({ closeEvery: 'at-once', port })
      ledger.network = fixture.network
    },
    stop: async () => {
      await Promise.all(children.map(child => end(child, 'SIGKILL')))
      await endAnchors(home)
      await pool.end()
      await Promise.all([
        fixture.network.stop(),
        faucet.stop(),
        horizon.stop(),
        platform.stop(),
        database.drop(),
        keys.drop(),
      ])
      await rm(home, { recursive: true, force: true })
    },
  }
  return fixture
}

export interface Launched {
  child: ChildProcess
  log: string
}

/** Starts a service that logs to a file in the fixture's folder. */
export async function launch(app: string, env: Record<string, string>, home: string): Promise<Launched> {
  const program = await serviceProgram(app)
  const log = join(home, `${app}-${randomBytes(3).toString('hex')}.log`)
  const fd = openSync(log, 'a')
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', fd, fd] })
  closeSync(fd)
  return { child, log }
}

/** Throws with its log when it exits instead. */
export async function untilListening(url: string, { child, log }: Launched): Promise<void> {
  for (let tries = 0; tries < 1_000 && child.exitCode === null && child.signalCode === null; tries++) {
    const answer = await fetch(url).catch(() => null)
    if (answer?.ok) return
    await sleep(50)
  }
  throw new Error(`nothing listens at ${url}:\n${readFileSync(log, 'utf8').slice(-3_000)}`)
}

const clientOf = (baseUrl: string): Client =>
  createClient({ baseUrl, headers: { 'x-service-secret': SERVICE_SECRET } })

function controlPlane(url: string, { child, log }: Launched): ControlPlaneProcess {
  const client = clientOf(url)
  const job = (jobId: string) => client.call(getControlPlaneJob, { params: { jobId } })
  const plane: ControlPlaneProcess = {
    url,
    client,
    job,
    accept: (plan, jobId = jobIdOf(plan)) => client.call(acceptJob, { body: { jobId, plan } }),
    provision: async (plan, seconds) => {
      await plane.accept(plan)
      return plane.untilCompleted(plan, seconds)
    },
    untilCompleted: (plan, seconds) =>
      plane.until(jobIdOf(plan), ({ status }) => status === 'completed', seconds),
    until: async (jobId, holds, seconds = 60) => {
      let last: Job | undefined
      for (const end = performance.now() + seconds * 1_000; performance.now() < end; await sleep(50)) {
        last = await job(jobId).catch(unlessOutage)
        if (last && holds(last)) return last
        // Only a retry continues a failed job.
        if (last?.status === 'failed') break
      }
      throw new Error(
        `the job did not reach the expected state: ${JSON.stringify(last, null, 1)}\n${logTail(log)}`,
      )
    },
    logged: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter(line => line.startsWith('{') && line.endsWith('}'))
        .map(line => JSON.parse(line) as Record<string, unknown>),
    ended: new Promise(resolve => child.once('exit', (code, signal) => resolve(signal ?? String(code)))),
    kill: () => end(child, 'SIGKILL'),
    stop: () => end(child, 'SIGTERM'),
  }
  return plane
}

/** The last log lines of a control plane, without its requests. */
function logTail(log: string): string {
  const lines = readFileSync(log, 'utf8').split('\n')
  return lines
    .filter(line => !line.includes('"msg":"answered"'))
    .join('\n')
    .slice(-6_000)
}

/** The API answers 503 while its database is away. */
function unlessOutage(error: unknown): undefined {
  if (!(error instanceof ProblemError && error.status === 503)) throw error
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise(resolve => child.once('exit', resolve))
  child.kill(signal)
  await gone
}

/** Processes whose run file is in a home, by their arguments in /proc. */
export async function anchorProcesses(home: string): Promise<{ pid: number; mark: string }[]> {
  const found = await findByArguments(argument => argument.startsWith(`--run-file=${home}/`))
  return found.map(({ pid, word }) => ({ pid, mark: word }))
}

/** The server and its databases are removed with the test. */
async function ownDatabase(
  server: string,
  name = 'control_plane',
): Promise<{ url: string; drop(): Promise<void> }> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return { url: Object.assign(new URL(server), { pathname: `/${name}` }).href, drop: async () => {} }
}

/** A killed run cannot stop its anchors' servers; its folder's name holds its pid. */
async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter(name => name.startsWith(PREFIX))) {
    const pid = Number(name.slice(PREFIX.length).split('-')[0])
    if (existsSync(`/proc/${pid}`)) continue
    await endAnchors(join(tmpdir(), name))
    await rm(join(tmpdir(), name), { recursive: true, force: true })
  }
}

async function endAnchors(home: string): Promise<void> {
  for (const { pid } of await anchorProcesses(home)) process.kill(pid, 'SIGKILL')
  while ((await anchorProcesses(home)).length > 0) await sleep(20)
}

export const jobIdOf = (plan: AnchorPlan) => `job-of-${plan.anchorId}`

/** A plan as the platform creates it from a redeemed invitation. */
export function somePlan(fixture: Fixture, subdomain = `a${randomBytes(4).toString('hex')}`): AnchorPlan {
  return {
    anchorId: randomBytes(10).toString('hex'),
    organizationName: 'Mumbai Exchange',
    businessEmail: 'founder@example.com',
    subdomain,
    homeDomain: `${subdomain}.anchors.localhost:${fixture.env.ANCHOR_PUBLIC_PORT}`,
    asset: { code: 'MUMBAI', name: 'Mumbai dollar', anchoredTo: 'USD', issued: '1000000' },
    rails: ['UPI'],
    regions: ['IN'],
    settlement: 'instant',
    fees: { fixed: '0.5', percentage: '0.005' },
    limits: { min: '1', max: '1000000' },
  }
}
