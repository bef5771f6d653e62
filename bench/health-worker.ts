import { BatchWriter } from '@windlass/aggregator/database/batch-writer.ts'
import { loadConfig } from '@windlass/aggregator/config.ts'
import type { Tables } from '@windlass/aggregator/tables.ts'
import { keepDayPartitions } from '@windlass/aggregator/database/day-partitions.ts'
import { writeChecks, type Check } from '@windlass/aggregator/health/queries.ts'
import { AT_ONCE, createPoller, type Poller } from '@windlass/aggregator/health/poller.ts'
import { timeOrderedId } from '@windlass/aggregator/ids.ts'
import type { Entry } from '@windlass/aggregator/registry/entry.ts'
import { reloadRegistry } from '@windlass/aggregator/registry/load.ts'
import { RegistryIndex } from '@windlass/aggregator/registry/registry-index.ts'
import { ownMigrations } from '@windlass/aggregator/start.ts'
import { systemClock } from '@windlass/service/work/clock.ts'
import { migrate, openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { createOutbound } from '@windlass/service/outbound/outbound.ts'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { report } from './stand/report.ts'
import { scratchPostgres } from './stand/scratch-postgres.ts'
import { seedAnchors } from './aggregator/seed.ts'
import { percentile } from './stand/percentile.ts'
import { repeats, size } from './stand/run.ts'

/*
 * The health worker at 10,000 anchors every 15 seconds, against a plain loop over the same HTTP client: how long the
 * requests of one tick take when all are asked at once, how late polls start on the worker's own schedule, and both
 * again while every tenth anchor hangs. Everything the worker learns is written to Postgres meanwhile.
 */

const ANCHORS = size(10_000, 200)
const PERIOD_SECONDS = size(15, 1)
/** Each has both loops one after the other, which the machine slows alike. */
const ROUNDS = size(15, 1)
/** Each waits for those that hang. */
const HANGING_ROUNDS = size(7, 1)
const PERIODS = repeats(2, 1, 2)

const postgres = await scratchPostgres()
const fleet = fork(fileURLToPath(new URL('./aggregator/anchor-fleet.ts', import.meta.url)))
const database = openDatabase<Tables>(postgres.url, { name: 'bench' })
const outbound = createOutbound({ allowPrivate: true })
const logger = createLogger('health-worker', 'error')
const index = new RegistryIndex({ requireDomainProof: false })
const writer = new BatchWriter<Check>({
  what: 'health checks',
  write: (checks, batchId) => writeChecks(database.pool, checks, batchId),
  newBatchId: () => timeOrderedId(new Date()),
  everyMs: 250,
  size: 2_000,
  waiting: 100_000,
  logger,
})

try {
  const [fleetPort] = (await once(fleet, 'message')) as [number]
  await migrate(database.pool, [sharedMigrations, ownMigrations])
  await keepDayPartitions(database.pool, new Date())
  await seedAnchors(database.pool, { anchors: ANCHORS, apiPort: fleetPort })
  const config = loadConfig({ SERVICE_SECRET: 's'.repeat(32), AGGREGATOR_DATABASE_URL: postgres.url })
  await reloadRegistry({ database, index, config })
  await measure([...index.entries()])
} finally {
  await writer.stop()
  await outbound.close()
  await database.close()
  fleet.disconnect()
  await postgres.stop()
}

function idsOf(entries: readonly Entry[]): string[] {
  return entries.map(({ id }) => id)
}

async function measure(entries: Entry[]): Promise<void> {
  const worker = pollerOf(false)
  // Both loops warm: a worker has polled for long.
  await plainLoop(entries)
  await worker.probeAll(idsOf(entries))
  const [own, plain]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    // What the worker has to write is no plain loop's to wait for.
    await writer.flush()
    plain.push(await seconds(() => plainLoop(entries)))
    own.push(await seconds(() => worker.probeAll(idsOf(entries))))
  }
  const calm = await lateness(PERIODS)

  await setHanging(10)
  const answering = entries.filter(entry => !isHanging(entry, 10))
  const hanging = entries.filter(entry => isHanging(entry, 10))
  const hung = await lateness(PERIODS)
  // The hanging ones have shown themselves once; now they are asked together with all others.
  await worker.probeAll(idsOf(hanging))
  const [besideHanging, plainAnswering]: [number[], number[]] = [[], []]
  for (let round = 0; round < HANGING_ROUNDS; round += 1) {
    await writer.flush()
    plainAnswering.push(await seconds(() => plainLoop(answering)))
    const others = worker.probeAll(idsOf(hanging))
    besideHanging.push(await seconds(() => worker.probeAll(idsOf(answering))))
    await others
  }
  await worker.stop()
  await writer.flush()
  const { rows } = await database.pool.query<{ count: string }>('select count(*) from health_metrics')

  console.log(`health worker: ${entries.length} anchors, ${rows[0]?.count} checks written meanwhile`)
  console.log(`  all at once      ${median(own).toFixed(2)} s, plain loop ${median(plain).toFixed(2)} s`)
  console.log(
    `  beside hanging   ${median(besideHanging).toFixed(2)} s, plain loop ${median(plainAnswering).toFixed(2)} s`,
  )
  console.log(`  lateness p99     ${calm.p99.toFixed(0)} ms over ${calm.polls} polls`)
  console.log(`  beside hanging   ${hung.p99.toFixed(0)} ms over ${hung.polls} polls, ${hanging.length} hang`)
  report('health worker: time of a plain loop', medianRatio(own, plain), { atMost: 1.3 })
  report('health worker: the same beside 10 % hanging', medianRatio(besideHanging, plainAnswering), {
    atMost: 1.3,
  })
  report('health worker: lateness p99 in seconds', calm.p99 / 1000, { atMost: 1 })
  report('health worker: lateness p99 beside 10 % hanging', hung.p99 / 1000, { atMost: 1 })
}

/** A worker that polls everybody, or only the anchors it is given. */
function pollerOf(polls: boolean, onStart?: (latenessMs: number) => void): Poller {
  const poller = createPoller({
    outbound,
    clock: systemClock,
    logger,
    pollSeconds: PERIOD_SECONDS,
    urlOf: domain => `https://${domain}/.well-known/stellar.toml`,
    share: { owns: () => polls, revision: 0, confirm: async () => undefined },
    database: { up: true, steadySince: async () => true },
    listSleeping: null,
    record: check => void writer.add(check),
    onStart,
  })
  for (const { id, apiUrl, summarySecret } of index.entries()) {
    poller.put({ id, apiUrl, summarySecret, scheduled: true, available: true })
  }
  poller.start()
  return poller
}

async function plainLoop(all: readonly Entry[]): Promise<void> {
  let next = 0
  const init = { timeout: 5_000, headers: { accept: 'application/json' } }
  const lane = async (): Promise<void> => {
    for (let entry = all[next++]; entry; entry = all[next++]) {
      await outbound.request(`${entry.apiUrl}/admin/summary`, init).catch(() => undefined)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE.prompt }, lane))
}

async function setHanging(every: number): Promise<void> {
  fleet.send({ hang: every })
  await once(fleet, 'message')
}

/** As the fleet tells them apart. */
function isHanging(entry: Entry, every: number): boolean {
  const [, , third = '0', fourth = '0'] = new URL(entry.apiUrl).hostname.split('.')
  return (Number(third) * 250 + Number(fourth)) % every === 0
}

async function lateness(periods: number): Promise<{ p99: number; polls: number }> {
  const late: number[] = []
  const worker = pollerOf(true, ms => late.push(ms))
  await sleep(periods * PERIOD_SECONDS * 1000)
  await worker.stop()
  return { p99: percentile(late, 0.99), polls: late.length }
}

async function seconds(act: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await act()
  return (performance.now() - start) / 1000
}

function medianRatio(own: number[], plain: number[]): number {
  return median(own.map((each, at) => each / (plain[at] ?? NaN)))
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}
