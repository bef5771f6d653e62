import { Keypair } from '@stellar/stellar-sdk'
import { fork, spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePorts } from '@windlass/testing/free-ports.ts'
import pg from 'pg'
import type { AnchorAsset } from './cases.ts'

/** The folder of the Anchor Platform's compiled programs: its jar and those of its dependencies. */
const FOLDER = process.env.BENCH_ANCHOR_PLATFORM
const STARTS_WITHIN_MS = 5 * 60_000

/** What its SEP server and its platform server, in one process, are asked at. */
export interface Platform {
  port: number
  /** Its process, and the business that it asks. */
  pids: ReadonlyMap<string, number>
  stop(): Promise<void>
}

interface Given extends AnchorAsset {
  /** A Postgres that lets roles and databases be made. */
  postgresUrl: string
  horizonUrl: string
}

/**
 * Starts Stellar's Anchor Platform (https://github.com/stellar/anchor-platform) on a database of its own, without its event
 * queue, so that it does no more than answer. Null where it is not there.
 */
export async function startPlatform(given: Given): Promise<Platform | null> {
  if (!FOLDER) {
    console.log(
      "SKIPPED: Stellar's Anchor Platform. Set BENCH_ANCHOR_PLATFORM to the folder of its jars, then it is asked the same.",
    )
    return null
  }
  const database = await createDatabase(given.postgresUrl)
  const business = fork(fileURLToPath(new URL('./platform-business.ts', import.meta.url)), {
    env: { ...process.env, BENCH_DATABASE_URL: database.href },
  })
  const [businessPort] = (await once(business, 'message')) as [number]
  const [port = 0, ...others] = await freePorts(4)
  const folder = mkdtempSync(join(tmpdir(), 'anchor-platform-'))
  const log = openSync(join(folder, 'log'), 'w')
  const java = spawn(
    'java',
    ['-cp', `${FOLDER}/*`, 'org.stellar.anchor.platform.ServiceRunner', '--sep-server', '--platform-server'],
    {
      env: { PATH: process.env.PATH, ...settingsOf(given, database, [port, ...others], businessPort) },
      stdio: ['ignore', log, log],
    },
  )
  const stop = async () => {
    business.disconnect()
    if (java.exitCode === null && java.kill()) await once(java, 'exit')
    rmSync(folder, { recursive: true })
  }
  try {
    await answers(java, port)
  } catch (error) {
    console.error(readFileSync(join(folder, 'log'), 'utf8').slice(-3_000))
    await stop()
    throw error
  }
  const processes = [
    ['platform', java.pid ?? 0],
    ['its business', business.pid ?? 0],
  ] as const
  return { port, pids: new Map(processes), stop }
}

async function createDatabase(postgresUrl: string): Promise<URL> {
  const url = new URL(postgresUrl)
  const [name, password] = [`platform_${randomBytes(4).toString('hex')}`, randomBytes(16).toString('hex')]
  const client = new pg.Client({ connectionString: postgresUrl })
  await client.connect()
  try {
    await client.query(`create role ${name} login password '${password}'`)
    await client.query(`grant ${name} to current_user`)
    await client.query(`create database ${name} owner ${name}`)
  } finally {
    await client.end()
  }
  Object.assign(url, { username: name, password, pathname: `/${name}` })
  return url
}

async function answers(java: ChildProcess, port: number): Promise<void> {
  const until = performance.now() + STARTS_WITHIN_MS
  while (performance.now() < until) {
    if (java.exitCode !== null) throw new Error(`The Anchor Platform ended with ${java.exitCode}`)
    const answer = await fetch(`http://127.0.0.1:${port}/sep38/info`).catch(() => null)
    if (answer?.ok) return
    await sleep(500)
  }
  throw new Error('The Anchor Platform did not start')
}

/** Its settings: everything that the cases ask is on, and what is not named stays as it comes. */
function settingsOf(
  { horizonUrl, code, issuer, fiat }: Given,
  database: URL,
  [sep, ...others]: number[],
  businessPort: number,
): Record<string, string> {
  const key = Keypair.random()
  const [origin, asset] = [`http://localhost:${sep}`, `stellar:${code}:${issuer}`]
  const [platform, ...management] = others
  const operation = { enabled: true, min_amount: 1, max_amount: 1_000_000, methods: ['bank_account'] }
  const secret = () => randomBytes(32).toString('hex')
  const exchange = (other: string) => ({ enabled: true, exchangeable_assets: [other] })
  return {
    SEP_SERVER_PORT: `${sep}`,
    SEP_SERVER_MANAGEMENT_SERVER_PORT: `${management[0]}`,
    PLATFORM_SERVER_PORT: `${platform}`,
    PLATFORM_SERVER_MANAGEMENT_SERVER_PORT: `${management[1]}`,
    PLATFORM_API_BASE_URL: `http://localhost:${platform}`,
    CALLBACK_API_BASE_URL: `http://127.0.0.1:${businessPort}`,
    STELLAR_NETWORK_TYPE: 'horizon',
    STELLAR_NETWORK_NETWORK: 'TESTNET',
    STELLAR_NETWORK_HORIZON_URL: horizonUrl,
    DATA_TYPE: 'postgres',
    DATA_SERVER: database.host,
    DATA_DATABASE: database.pathname.slice(1),
    DATA_FLYWAY_ENABLED: 'true',
    SECRET_DATA_USERNAME: database.username,
    SECRET_DATA_PASSWORD: database.password,
    EVENTS_ENABLED: 'false',
    SEP1_ENABLED: 'true',
    SEP1_TOML_TYPE: 'string',
    SEP1_TOML_VALUE: tomlOf(origin, key.publicKey(), code, issuer),
    SEP10_ENABLED: 'true',
    SEP10_HOME_DOMAINS: `localhost:${sep}`,
    SEP10_WEB_AUTH_DOMAIN: `localhost:${sep}`,
    SECRET_SEP10_SIGNING_SEED: key.secret(),
    SECRET_SEP10_JWT_SECRET: secret(),
    SEP12_ENABLED: 'true',
    SEP24_ENABLED: 'true',
    SEP24_INTERACTIVE_URL_BASE_URL: `${origin}/interactive`,
    SEP24_MORE_INFO_URL_BASE_URL: `${origin}/more_info`,
    SECRET_SEP24_INTERACTIVE_URL_JWT_SECRET: secret(),
    SECRET_SEP24_MORE_INFO_URL_JWT_SECRET: secret(),
    SEP38_ENABLED: 'true',
    ASSETS_TYPE: 'json',
    ASSETS_VALUE: JSON.stringify({
      items: [
        {
          ...{ id: asset, distribution_account: issuer, significant_decimals: 7 },
          sep24: { enabled: true, deposit: operation, withdraw: operation },
          sep38: exchange(fiat),
        },
        { id: fiat, significant_decimals: 2, sep31: { enabled: false }, sep38: exchange(asset) },
      ],
    }),
  }
}

function tomlOf(origin: string, key: string, code: string, issuer: string): string {
  return `NETWORK_PASSPHRASE="Test SDF Network ; September 2015"
SIGNING_KEY="${key}"
ACCOUNTS=["${issuer}"]
WEB_AUTH_ENDPOINT="${origin}/auth"
KYC_SERVER="${origin}/sep12"
TRANSFER_SERVER_SEP0024="${origin}/sep24"
ANCHOR_QUOTE_SERVER="${origin}/sep38"

[[CURRENCIES]]
code="${code}"
issuer="${issuer}"
status="test"

[DOCUMENTATION]
ORG_NAME="Anchor"
`
}
