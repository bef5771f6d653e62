import { open, ownMigrations } from '@windlass/aggregator/start.ts'
import { loadConfig } from '@windlass/aggregator/config.ts'
import { endpoint } from '@windlass/contracts/endpoint.ts'
import { createQuote, QuoteRequest, type Quote } from '@windlass/contracts/aggregator/quotes.ts'
import { RouteAnswer, RouteRequest } from '@windlass/contracts/aggregator/routing.ts'
import { migrate, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { keepDayPartitions } from '@windlass/aggregator/database/day-partitions.ts'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { size } from '../stand/run.ts'
import { quotedCorridor, seedAnchors, seedHour } from './seed.ts'

/*
 * The aggregator in a process of its own, as it is run, with two handlers more on the same server to compare with:
 * POST /constant answers the same JSON always; POST /bare-insert does one INSERT of a quote's row and no more.
 */

const databaseUrl = process.env.BENCH_DATABASE_URL ?? ''
const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 })
await migrate(pool, [sharedMigrations, ownMigrations])
await keepDayPartitions(pool, new Date())
await seedAnchors(pool, { anchors: size(10_000, 400), apiPort: Number(process.env.FLEET_PORT) })
await seedHour(pool)
await pool.end()

const config = loadConfig({
  DEPLOYMENT: 'local',
  SERVICE_SECRET: 's'.repeat(32),
  AGGREGATOR_DATABASE_URL: databaseUrl,
})
const aggregator = await open(config, createLogger('aggregator', 'warn'))
const { server, deps } = aggregator

let constant: RouteAnswer
const constantAnswer = endpoint('POST /constant', {
  realm: 'public',
  summary: 'Always the same',
  body: RouteRequest,
  response: { 200: RouteAnswer },
})
server.on(constantAnswer).serve(() => constant)

let quote: Quote
const bareInsert = endpoint('POST /bare-insert', {
  realm: 'public',
  summary: 'One INSERT',
  body: QuoteRequest,
  response: createQuote.response,
})
server.on(bareInsert).serve(async () => {
  await deps.database.pool.query({
    name: 'bare-insert',
    text: `insert into quotes (id, anchor_id, amount, currency, asset, rail, region, fx_rate, fee_fixed, fee_percentage,
      fee_variable, fee_total, sell_amount, firm, reasoning, created_at, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
    values: [
      randomUUID(),
      quote.anchorId,
      quote.amount,
      quote.currency,
      quote.asset,
      quote.rail,
      quote.region,
      quote.fxRate,
      quote.fee.fixed,
      quote.fee.percentage,
      quote.fee.variable,
      quote.fee.total,
      quote.sellAmount,
      false,
      quote.reasoning,
      quote.createdAt,
      quote.expiresAt,
    ],
  })
  return quote
})

const response = await server.app.inject({
  method: 'POST',
  url: '/route',
  payload: { amount: '100', ...quotedCorridor },
})
constant = response.json()
const quoted = await server.app.inject({
  method: 'POST',
  url: '/quotes',
  payload: { amount: '100', ...quotedCorridor },
})
quote = quoted.json()

/** What the server's process was like since the last time it was asked. */
export interface ServerLoad {
  /**
   * Milliseconds of its event loop; `own`: the 99th percentile of what it computed itself between two turns. The rest
   * it waited for a processor, which it shares with everything else that runs on this machine.
   */
  lag: { p99: number; max: number; own: number }
  /** Microseconds of processor time that the answering thread took. */
  cpu: number
  /** The same of all threads of the process. */
  process: number
  /** At most, so far. */
  megabytes: number
}

const microseconds = () => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
const own = createHistogram()
let atLastTurn = microseconds()
setInterval(() => {
  const now = microseconds()
  // A histogram holds nothing below 1.
  own.record(Math.max(1, now - atLastTurn))
  atLastTurn = now
}, 1).unref()
let most = 0
let before = microseconds()
const processTime = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}
let processBefore = processTime()
setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 1_000).unref()
process.on('message', () => {
  const now = microseconds()
  const processNow = processTime()
  const load: ServerLoad = {
    cpu: now - before,
    process: processNow - processBefore,
    lag: { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6, own: own.percentile(99) / 1e3 },
    megabytes: most / 2 ** 20,
  }
  before = now
  processBefore = processNow
  delay.reset()
  own.reset()
  process.send?.(load)
})

const port = await server.listen(0, '127.0.0.1')
process.send?.({ port, bytes: response.body.length, eligible: constant.eligible })
process.on('disconnect', () => void aggregator.stop().then(() => process.exit(0)))
