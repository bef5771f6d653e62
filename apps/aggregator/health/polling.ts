import type { Clock } from '@windlass/service/work/clock.ts'
import type { Database } from '@windlass/service/postgres/database.ts'
import type { Outbound, OutboundOptions } from '@windlass/service/outbound/outbound.ts'
import type { FastifyBaseLogger } from 'fastify'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { BatchWriter } from '../database/batch-writer.ts'
import type { DatabaseWatch } from '../database/watch.ts'
import { timeOrderedId } from '../ids.ts'
import type { Entry } from '../registry/entry.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'
import type { HealthFeed } from './feed.ts'
import type { Sleeping } from './asleep.ts'
import { createPoller, type Polled } from './poller.ts'
import { writeChecks, type Check } from './queries.ts'
import { holdShards } from './shards.ts'
import type { Tables } from '../tables.ts'

/** Polls anchors and writes what it finds. */
export interface Prober {
  put(anchors: readonly Polled[], removed: readonly string[]): void
  /** Begins to poll this process' share. */
  start(): Promise<void>
  probeNow(id: string): Promise<void>
  /** Resolves once what was probed so far is written or could not be. */
  written(): Promise<void>
  stop(): Promise<void>
}

/** Events of a prober. */
interface ProberEvents {
  checked(checks: readonly Check[]): void
  /** A batch of checks is about to be written. */
  writing(batchId: string): void
  /** This process' share of the polling has changed. */
  owns(shards: readonly number[]): void
}

interface ProberDeps {
  database: Pick<Database<Tables>, 'db' | 'pool'>
  watch: DatabaseWatch
  clock: Clock
  outbound: Outbound
  logger: FastifyBaseLogger
  pollSeconds: number
  /** Where a domain serves its discovery file. */
  urlOf(domain: string): string
  /** Null: each anchor is probed. */
  listSleeping: (() => Promise<Sleeping[]>) | null
}

/** How often checks are passed on and written together. */
const EVERY_MS = 1_000

/** A prober in this thread. */
export function createProber(deps: ProberDeps, events: ProberEvents): Prober {
  const { database, clock, logger } = deps
  let checks: Check[] = []
  let soon: NodeJS.Timeout | undefined
  const passOn = (): void => {
    clearTimeout(soon)
    soon = undefined
    if (checks.length > 0) events.checked(checks)
    checks = []
  }
  const writer = new BatchWriter<Check>({
    what: 'health checks',
    write: (items, batchId) => {
      events.writing(batchId)
      return writeChecks(database.pool, items, batchId)
    },
    newBatchId: () => timeOrderedId(clock.now()),
    everyMs: EVERY_MS,
    size: 2_000,
    waiting: 100_000,
    logger,
  })
  let shards: Awaited<ReturnType<typeof holdShards>> | undefined
  const poller = createPoller({
    ...deps,
    database: deps.watch,
    share: {
      owns: shard => shards?.owns(shard) ?? false,
      get revision() {
        return shards?.revision ?? 0
      },
      confirm: async () => shards?.confirm(),
    },
    record(check) {
      checks.push(check)
      soon ??= setTimeout(passOn, EVERY_MS)
      void writer.add(check)
    },
  })
  return {
    put(anchors, removed) {
      anchors.forEach(poller.put)
      removed.forEach(poller.remove)
    },
    async start() {
      shards = await holdShards(database.db, randomUUID(), logger, events.owns)
      poller.start()
    },
    async probeNow(id) {
      await poller.probeNow(id)
      passOn()
    },
    written: () => writer.flush(),
    async stop() {
      await poller.stop()
      passOn()
      await writer.stop()
      await shards?.stop()
    },
  }
}

/** The thread's start data. */
export interface ThreadData {
  databaseUrl: string
  databaseAnswersWithinMs: number
  outbound: OutboundOptions
  pollSeconds: number
  controlPlaneUrl: string | undefined
  serviceSecret: string
  local: boolean
  logLevel: string
}

/** To the thread; each call is answered with its number once it is done. */
export type ThreadCall =
  | { call: number; act: 'put'; anchors: readonly Polled[]; removed: readonly string[] }
  | { call: number; act: 'probeNow'; id: string }
  | { call: number; act: 'start' | 'written' | 'stop' }

export type ThreadMessage =
  { done: number } | { checked: readonly Check[] } | { writing: string } | { owns: readonly number[] }

/** A prober in a thread of its own, so that no answer waits for the polling. */
export function createProberThread(
  data: ThreadData,
  events: ProberEvents,
  logger: FastifyBaseLogger,
): Prober {
  const thread = new Worker(new URL('./prober-thread.ts', import.meta.url), {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  })
  const waiting = new Map<number, () => void>()
  let calls = 0
  let stopping = false
  const call = (act: DistributiveOmit<ThreadCall, 'call'>): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    calls += 1
    waiting.set(calls, resolve)
    thread.postMessage({ call: calls, ...act })
    return promise
  }
  thread.on('message', (message: ThreadMessage) => {
    if ('checked' in message) return events.checked(message.checked)
    if ('writing' in message) return events.writing(message.writing)
    if ('owns' in message) return events.owns(message.owns)
    waiting.get(message.done)?.()
    waiting.delete(message.done)
  })
  thread.on('error', error => {
    // Without polling the availability of every anchor would be outdated: the process ends and is started again.
    logger.fatal({ err: error }, 'the polling thread died')
    if (!stopping) process.exit(1)
  })
  return {
    put: (anchors, removed) => void call({ act: 'put', anchors, removed }),
    start: () => call({ act: 'start' }),
    probeNow: id => call({ act: 'probeNow', id }),
    written: () => call({ act: 'written' }),
    async stop() {
      stopping = true
      const exited = once(thread, 'exit')
      void call({ act: 'stop' })
      await exited
    },
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** The events of a prober, applied to memory. */
export const applyTo = (index: RegistryIndex, feed: HealthFeed, owned: Set<number>): ProberEvents => ({
  checked: checks => checks.forEach(check => index.observe(check)),
  writing: batchId => feed.remember(batchId),
  owns(shards) {
    owned.clear()
    for (const shard of shards) owned.add(shard)
  },
})

/** Keeps a prober's list of anchors equal to the index, and probes entries with it. */
export function followIndex(prober: Prober, index: RegistryIndex) {
  const known = new Map<string, string>()
  const changed = new Set<number>()
  const pass = (): void => {
    const anchors: Polled[] = []
    const removed: string[] = []
    for (const slot of changed) {
      const id = index.idOf(slot)
      const entry = index.get(id)
      const now = entry && JSON.stringify(polled(entry))
      if (now === known.get(id)) continue
      if (entry && now) {
        anchors.push(polled(entry))
        known.set(id, now)
      } else {
        removed.push(id)
        known.delete(id)
      }
    }
    changed.clear()
    if (anchors.length + removed.length > 0) prober.put(anchors, removed)
  }
  index.watch(slot => {
    if (changed.size === 0) queueMicrotask(pass)
    changed.add(slot)
  })
  return {
    probeNow: async ({ id }: Pick<Entry, 'id'>): Promise<void> => {
      pass()
      await prober.probeNow(id)
    },
    written: () => prober.written(),
  }
}

const polled = ({
  id,
  apiUrl,
  summarySecret,
  status,
  available,
  external,
  domain,
  signingKey,
}: Entry): Polled => ({
  id,
  apiUrl,
  summarySecret,
  scheduled: status !== 'removed',
  available,
  ...(external ? { external: { domain, signingKey } } : {}),
})
