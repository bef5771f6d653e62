import { adminLogin } from '@windlass/contracts/platform/administrators.ts'
import { type Client, CookieJar, createClient } from '@windlass/client/client.ts'
import { kycMigrations } from '@windlass/kyc-providers/create-provider.ts'
import { type Database, openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import type { Server } from '@windlass/service/http/server.ts'
import { TEST_NETWORK } from '@windlass/stellar/network.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { type FakeClock, fakeClock } from '@windlass/testing/fake-clock.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buildApp } from '../app.ts'
import { startWorkers } from '../workers.ts'
import { type Config, loadConfig } from '../config.ts'
import { type Deps, closeDeps, createDeps } from '../deps.ts'
import type { SecretsStore } from '../infrastructure/secrets-store.ts'
import type { Mailer } from '../infrastructure/mailer.ts'
import { type Tables, migrations } from '../tables.ts'

export const testEnv = {
  DEPLOYMENT: 'local',
  PLATFORM_DATABASE_URL: 'postgres://nowhere/platform',
  SECRETS_ENDPOINT: 'http://127.0.0.1:1',
  SERVICE_SECRET: 'service-secret-'.padEnd(40, 's'),
  PLATFORM_KEY: `v1:${Buffer.alloc(32, 7).toString('base64')}`,
  ADMIN_USERNAME: 'admin@windlass.test',
  ADMIN_PASSWORD: 'open-the-sluice-9',
  OPERATOR_TOKEN_KEY: 'operator-'.padEnd(40, 'o'),
  CUSTOMER_TOKEN_KEY: 'customer-'.padEnd(40, 'c'),
  ADMIN_TOKEN_KEY: 'admin-'.padEnd(40, 'a'),
  OTP_KEY: 'otp-'.padEnd(40, 'k'),
  PROXY_SECRET: 'proxy-'.padEnd(40, 'p'),
  ANCHOR_DOMAIN_SUFFIX: 'anchors.localhost',
  KYC_PROVIDER: 'mock',
  ALLOW_MOCK_KYC: 'true',
  PROVIDER_WEBHOOK_SECRET: 'whsec_dGVzdC13ZWJob29rLXNlY3JldA==',
} as const

/** What production demands on top: nothing is assumed there. */
export const productionEnv = {
  DEPLOYMENT: 'production',
  FOUNDER_CONSOLE_URL: 'https://console.windlass.example/',
  ADMIN_CONSOLE_URL: 'https://admin.windlass.example',
  CUSTOMER_PORTAL_URL: 'https://account.windlass.example',
  PLATFORM_URL: 'https://api.windlass.example',
  CONTROL_PLANE_URL: 'http://control-plane:3002',
  AGGREGATOR_URL: 'http://aggregator:3005',
  SMTP_URL: 'smtp://mail:25',
  HORIZON_URL: 'http://horizon.invalid:8000',
} as const

type SentMail = Parameters<Mailer['send']>[0]

/** The platform API on a database of its own, asked over HTTP inject; its services are given by the test. */
export interface TestApp {
  server: Server
  deps: Deps
  config: Config
  clock: FakeClock
  database: Database<Tables>
  /** Everything that was mailed. */
  mails: SentMail[]
  /** What is in the secrets store; `down` makes it fail. */
  secrets: Map<string, string> & { down: boolean }
  /** A caller with a cookie jar of its own. */
  client(headers?: Record<string, string>): Client & { cookies: CookieJar }
  /** A caller with the service secret. */
  service: Client
  /** Delivers what the outbox holds, as far as it can be delivered. */
  drain(): Promise<void>
  close(): Promise<void>
}

interface TestAppOptions {
  env?: Record<string, string | undefined>
  deps?: Partial<Deps>
}

export async function testApp({ env = {}, deps: given = {} }: TestAppOptions = {}): Promise<TestApp> {
  const { url, drop } = await testDatabase(sharedMigrations, kycMigrations, migrations)
  const config = loadConfig({ ...testEnv, PLATFORM_DATABASE_URL: url, ...env })
  const clock = fakeClock(new Date())
  const mails: SentMail[] = []
  const secrets = Object.assign(new Map<string, string>(), { down: false })
  const database = openDatabase<Tables>(url, { name: 'test', max: 10 })
  const logger = createLogger('test', 'silent')
  const deps = createDeps(config, logger, {
    database,
    clock,
    mailer: { send: async mail => void mails.push(mail), close: () => undefined },
    secrets: memorySecrets(secrets),
    ...given,
  })
  const server = await buildApp(deps)
  return {
    server,
    deps,
    config,
    clock,
    database,
    mails,
    secrets,
    client: headers => clientOf(server, headers),
    service: clientOf(server, { 'x-service-secret': config.serviceSecret }),
    drain: () => drainOutbox(deps),
    close: async () => {
      await server.close()
      await closeDeps(deps)
      await drop()
    },
  }
}

/** The owner whom the settings name. */
export async function signInAdmin(app: TestApp): Promise<ReturnType<TestApp['client']>> {
  const admin = app.client()
  await admin.call(adminLogin, { body: { email: testEnv.ADMIN_USERNAME, password: testEnv.ADMIN_PASSWORD } })
  return admin
}

/** A client whose requests never leave the process. */
export function clientOf(
  server: Server,
  headers: Record<string, string> = {},
): Client & { cookies: CookieJar } {
  const cookies = new CookieJar()
  return Object.assign(createClient({ baseUrl: '', headers, cookies, fetch: injectFetch(server) }), {
    cookies,
  })
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export function injectFetch(server: Server) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const answer = await server.app.inject({
      url,
      method: (init.method ?? 'GET') as Method,
      headers: { host: 'localhost:4000', ...(init.headers as Record<string, string>) },
      ...(typeof init.body === 'string' || Buffer.isBuffer(init.body) ? { payload: init.body } : {}),
    })
    const headers = new Headers()
    for (const [name, value] of Object.entries(answer.headers)) {
      for (const one of [value].flat()) if (one !== undefined) headers.append(name, String(one))
    }
    const empty = answer.statusCode === 204 || answer.statusCode === 304
    return new Response(empty ? null : answer.body, { status: answer.statusCode, headers })
  }
}

function memorySecrets(kept: Map<string, string> & { down: boolean }): SecretsStore {
  const requireUp = (): void => {
    if (kept.down) throw new Error('connect ECONNREFUSED')
  }
  return {
    put: async (name, value) => {
      requireUp()
      kept.set(name, value)
    },
    remove: async name => {
      requireUp()
      kept.delete(name)
    },
    close: () => undefined,
  }
}

async function drainOutbox(deps: Deps): Promise<void> {
  const workers = startWorkers(deps)
  await workers.drain()
  await workers.stop()
}

/** Answers what a stand-in for Horizon is asked first: which network it is of. Returns whether it was that. */
export function answerRoot({ url }: IncomingMessage, response: ServerResponse): boolean {
  if (url !== '/') return false
  response.end(JSON.stringify({ network_passphrase: TEST_NETWORK }))
  return true
}
