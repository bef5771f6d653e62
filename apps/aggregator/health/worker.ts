import type { Clock } from '@windlass/service/clock.ts'
import type { Outbound } from '@windlass/service/outbound.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { DatabaseWatch } from '../database-watch.ts'
import type { Entry } from '../registry/entry.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'
import { Lane } from './lanes.ts'
import { probe } from './probe.ts'
import type { Check } from './queries.ts'
import { Schedule, shardOf } from './schedule.ts'

export interface HealthWorkerDeps {
  index: RegistryIndex
  outbound: Outbound
  clock: Clock
  logger: FastifyBaseLogger
  pollSeconds: number
  /** Which anchors are this process' to poll. */
  share: { owns(shard: number): boolean; readonly revision: number; confirm(): Promise<void> }
  database: Pick<DatabaseWatch, 'up' | 'steadySince'>
  record(check: Check): void
  /** Told of each poll: milliseconds between the moment an anchor was due and its request. */
  onStart?(latenessMs: number): void
}

export interface HealthWorker {
  /**
   * Probes an anchor now, whoever's it is to poll, and records what it told. A failure while the database is away tells
   * nothing: what keeps us from our database may keep the anchor from its own, or us from the anchor. It counts neither
   * against the anchor's availability nor against its uptime; finding it well counts at any time.
   */
  probeNow(entry: Entry): Promise<void>
  /** Probes each given anchor, within the same bounds as the polling. */
  probeAll(entries: Iterable<Entry>): Promise<void>
  stop(): Promise<void>
}

const TICK_MS = 50
/** Probes under way at a time. */
export const AT_ONCE = { prompt: 1024, slow: 512 }

/** Polls this process' share of the registered anchors, each once in every period. */
export function startHealthWorker(deps: HealthWorkerDeps): HealthWorker {
  const schedule = new Schedule(deps.pollSeconds * 1000)
  // Those who last kept us waiting wait among themselves: however many they are, the others are asked in time.
  const lanes = { prompt: new Lane(AT_ONCE.prompt), slow: new Lane(AT_ONCE.slow) }
  const slow = new Set<string>()
  const underWay = new Set<string>()
  let scheduled = ''
  let stopped = false

  /** Whether a failure is the anchor's: to be sure of it takes time, taken for those who would leave the routing. */
  const tells = async (anchorId: string, begunAt: number): Promise<boolean> =>
    deps.index.get(anchorId)?.available ? deps.database.steadySince(begunAt) : deps.database.up

  const probeNow = async (entry: Entry): Promise<void> => {
    const begunAt = performance.now()
    const result = await probe(deps.outbound, entry)
    if (result.failure === 'timeout') slow.add(entry.id)
    else slow.delete(entry.id)
    const check: Check = { anchorId: entry.id, checkedAt: deps.clock.now(), ...result }
    if (!check.available && !(await tells(entry.id, begunAt))) return
    deps.index.observe(check)
    deps.record(check)
  }

  const enqueue = (entry: Entry, dueAt: number, done?: () => void): void => {
    underWay.add(entry.id)
    lanes[slow.has(entry.id) ? 'slow' : 'prompt'].run(async () => {
      deps.onStart?.(deps.clock.now().getTime() - dueAt)
      if (!stopped) await probeNow(entry).catch(error => deps.logger.error({ err: error }, 'a probe failed'))
      underWay.delete(entry.id)
      done?.()
    })
  }

  const reschedule = (): void => {
    const state = `${deps.index.revision}/${deps.share.revision}`
    if (state === scheduled) return
    scheduled = state
    const mine = [...deps.index.entries()].filter(
      entry => entry.status !== 'removed' && deps.share.owns(shardOf(entry.id)),
    )
    schedule.set(mine.map(entry => entry.id))
  }

  const tick = async (): Promise<void> => {
    await deps.share.confirm()
    reschedule()
    for (const { id, at } of schedule.due(deps.clock.now().getTime())) {
      const entry = deps.index.get(id)
      if (entry && !underWay.has(id)) enqueue(entry, at)
    }
  }

  let ticking: Promise<void> | null = null
  const timer = setInterval(() => {
    ticking ??= tick()
      .catch(error => deps.logger.error({ err: error }, 'a tick of the polling failed'))
      .finally(() => {
        ticking = null
      })
  }, TICK_MS)

  return {
    probeNow,
    async probeAll(entries) {
      const all = Array.from(entries, entry => {
        const { promise, resolve } = Promise.withResolvers<void>()
        enqueue(entry, deps.clock.now().getTime(), resolve)
        return promise
      })
      await Promise.all(all)
    },
    async stop() {
      stopped = true
      clearInterval(timer)
      await ticking
    },
  }
}
