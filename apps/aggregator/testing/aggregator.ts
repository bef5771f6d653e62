import type { Registration } from '@windlass/contracts/aggregator/registry.ts'
import type { Clock } from '@windlass/service/work/clock.ts'
import { sharedMigrations } from '@windlass/service/postgres/database.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import type { InjectOptions } from 'fastify'
import { loadConfig } from '../config.ts'
import { open, ownMigrations, type Aggregator } from '../start.ts'

export const SERVICE_SECRET = 'service-secret-of-the-tests-0123456789'

export interface TestAggregator extends Aggregator {
  databaseUrl: string
  get(url: string, headers?: Record<string, string>): Promise<TestAnswer>
  post(url: string, body?: unknown, headers?: Record<string, string>): Promise<TestAnswer>
  /** With the service secret. */
  write(method: 'POST' | 'DELETE', url: string, body?: unknown): Promise<TestAnswer>
  /** Registers an anchor like {@link anchor} and returns its id. */
  register(changes?: Partial<Registration>): Promise<string>
  drop(): Promise<void>
}

interface TestAnswer {
  status: number
  headers: Record<string, unknown>
  // The tests read answers as they come.
  body: ReturnType<typeof JSON.parse>
}

interface TestAggregatorOptions {
  clock?: Clock
  env?: Record<string, string>
  /** Share the database of another aggregator. */
  databaseUrl?: string
  /** Default: a minute, so that a busy machine is not an outage. */
  databaseAnswersWithinMs?: number
}

/** A whole aggregator on a database of its own, spoken to over HTTP inject. */
export async function testAggregator(options: TestAggregatorOptions = {}): Promise<TestAggregator> {
  const own = options.databaseUrl ? null : await testDatabase(sharedMigrations, ownMigrations)
  const databaseUrl = options.databaseUrl ?? own?.url ?? ''
  const { clock } = options
  const settings = loadConfig({
    DEPLOYMENT: 'local',
    SERVICE_SECRET,
    AGGREGATOR_DATABASE_URL: databaseUrl,
    HEALTH_POLL_SECONDS: '3600',
    ...options.env,
  })
  const config = { ...settings, databaseAnswersWithinMs: options.databaseAnswersWithinMs ?? 60_000 }
  const aggregator = await open(config, createLogger('aggregator', 'silent'), clock ? { clock } : {})
  await aggregator.server.app.ready()
  const send = async (request: InjectOptions): Promise<TestAnswer> => {
    const response = await aggregator.server.app.inject(request)
    const isJson = String(response.headers['content-type']).includes('json')
    return {
      status: response.statusCode,
      headers: response.headers,
      body: isJson ? response.json() : response.body,
    }
  }
  const payload = (body: unknown) => (body === undefined ? {} : { payload: body as object })
  const withSecret = { 'x-service-secret': SERVICE_SECRET }
  const write: TestAggregator['write'] = (method, url, body) =>
    send({ method, url, headers: withSecret, ...payload(body) })
  return {
    ...aggregator,
    databaseUrl,
    get: (url, headers = {}) => send({ method: 'GET', url, headers }),
    post: (url, body, headers = {}) => send({ method: 'POST', url, headers, ...payload(body) }),
    write,
    register: async changes => {
      const { status, body } = await write('POST', '/anchors', anchor(changes))
      if (status !== 201 && status !== 200) throw new Error(`not registered: ${JSON.stringify(body)}`)
      return body.anchor.id
    },
    drop: async () => {
      await aggregator.stop()
      await own?.drop()
    },
  }
}

export const ISSUER = `G${'A'.repeat(55)}`
let made = 0

/** A registration that is right in everything; `changes` make it another. */
export function anchor(changes: Partial<Registration> = {}): Registration {
  made += 1
  const slug = changes.slug ?? `anchor-${made}`
  return {
    id: `anchor${made}`,
    slug,
    name: `Anchor ${made}`,
    domain: `${slug}.example.com`,
    apiUrl: 'http://127.0.0.1:9',
    status: 'active',
    regions: ['IN'],
    assets: [{ code: 'USDC', issuer: ISSUER, anchoredTo: 'USD' }],
    rails: ['UPI'],
    limits: { min: '1', max: '1000000' },
    fees: { fixed: '0.5', percentage: '0.005' },
    settlement: 'instant',
    treasury_capacity: '100000',
    ...changes,
  }
}
