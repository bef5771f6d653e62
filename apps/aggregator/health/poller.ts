import type { Clock } from '@windlass/service/work/clock.ts'
import { loop, type Loop } from '@windlass/service/work/loop.ts'
import type { Outbound } from '@windlass/service/outbound/outbound.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { DatabaseWatch } from '../database/watch.ts'
import type { Sleeping } from './asleep.ts'
import { Lane } from './lanes.ts'
import { walkAsWallet, type Walked } from '../external/walk.ts'
import { probe, type Probed, type ProbeResult } from './probe.ts'
import type { Check } from './queries.ts'
import { Schedule, shardOf, walkPauseMs } from './schedule.ts'

/** An anchor as the poller knows it. */
export interface Polled extends Probed {
  id: string
  /** False for one that is only probed when asked. */
  scheduled: boolean
  /** Whether its availability allows routing to it. */
  available: boolean
  /** An anchor of another platform: where a wallet would begin. */
  external?: Walked
}

interface PollerDeps {
  outbound: Outbound
  clock: Clock
  logger: FastifyBaseLogger
  pollSeconds: number
  /** Where a domain serves its discovery file. */
  urlOf(domain: string): string
  /** Which anchors are this process' to poll. */
  share: { owns(shard: number): boolean; readonly revision: number; confirm(): Promise<void> }
  database: Pick<DatabaseWatch, 'up' | 'steadySince'>
  /** Those that sleep need no probe; null: none are known. */
  listSleeping: (() => Promise<Sleeping[]>) | null
  record(check: Check): void
  /** Called at each poll with the milliseconds between the moment an anchor was due and its request. */
  onStart?(latenessMs: number): void
}

export interface Poller {
  put(anchor: Polled): void
  remove(id: string): void
  /** Begins to poll this process' share, each anchor once in every period. */
  start(): void
  /**
   * Probes an anchor now, whichever process polls it, and records what it found. A failure while the database is away
   * proves nothing: what keeps us from our database may keep the anchor from its own, or us from the anchor. It counts
   * neither against the anchor's availability nor against its uptime; a success counts at any time.
   */
  probeNow(id: string): Promise<void>
  /** Probes each given anchor, within the same bounds as the polling. */
  probeAll(ids: Iterable<string>): Promise<void>
  stop(): Promise<void>
}

const TICK_MS = 50
/** Probes under way at a time. */
export const AT_ONCE = { prompt: 1024, slow: 512 }

export function createPoller(deps: PollerDeps): Poller {
  const anchors = new Map<string, Polled>()
  const schedule = new Schedule(deps.pollSeconds * 1000)
  // Anchors that timed out last have a queue of their own: however many they are, the others are probed in time.
  const lanes = { prompt: new Lane(AT_ONCE.prompt), slow: new Lane(AT_ONCE.slow) }
  const slow = new Set<string>()
  const underWay = new Set<string>()
  const walkedAt = new Map<string, number>()
  /** Failures of external anchors since their last success. */
  const failures = new Map<string, number>()
  /** The addresses at which anchors slept, when last read: those are not probed. */
  let sleeping: ReadonlyMap<string, string> = new Map()
  let periodOfSleeping = NaN
  let readingSleeping: Promise<void> | null = null
  let revision = 0
  let scheduled = ''
  let stopped = false

  /** Whether a failure is the anchor's. Making sure takes time, so it is done only for anchors that would leave routing. */
  const isOwnFailure = async (anchor: Polled, begunAt: number): Promise<boolean> =>
    anchor.available ? deps.database.steadySince(begunAt) : deps.database.up

  const probeOne = async (anchor: Polled): Promise<void> => {
    const begunAt = performance.now()
    const result = await (anchor.external
      ? probeExternal(deps, anchor.external)
      : probe(deps.outbound, anchor))
    if (result.failure === 'timeout') slow.add(anchor.id)
    else slow.delete(anchor.id)
    const check: Check = { anchorId: anchor.id, checkedAt: deps.clock.now(), ...result }
    if (!check.available && !(await isOwnFailure(anchor, begunAt))) return
    if (anchor.external) failures.set(anchor.id, check.available ? 0 : (failures.get(anchor.id) ?? 0) + 1)
    anchor.available = check.available
    deps.record(check)
  }

  const enqueue = (anchor: Polled, dueAt: number, done?: () => void): void => {
    underWay.add(anchor.id)
    lanes[slow.has(anchor.id) ? 'slow' : 'prompt'].run(async () => {
      deps.onStart?.(deps.clock.now().getTime() - dueAt)
      if (!stopped) await probeOne(anchor).catch(error => deps.logger.error({ err: error }, 'a probe failed'))
      underWay.delete(anchor.id)
      done?.()
    })
  }

  const isItsTurn = ({ id, external }: Polled, at: number): boolean => {
    if (!external) return true
    const pause = walkPauseMs(failures.get(id) ?? 0, deps.pollSeconds * 1000)
    if (at < (walkedAt.get(id) ?? -Infinity) + pause) return false
    walkedAt.set(id, at)
    return true
  }

  const isMine = (anchor: Polled) => anchor.scheduled && deps.share.owns(shardOf(anchor.id))

  const reschedule = (): void => {
    const state = `${revision}/${deps.share.revision}`
    if (state === scheduled) return
    scheduled = state
    const mine = [...anchors.values()].filter(isMine)
    schedule.set(mine.map(({ id }) => id))
  }

  const isKnownAsleep = ({ id, apiUrl, external }: Polled) => !external && sleeping.get(id) === apiUrl

  /** Records a check of every anchor that sleeps. Those that no longer do, or may not, are probed at once. */
  const checkSleeping = async (list: () => Promise<Sleeping[]>): Promise<void> => {
    const begunAt = performance.now()
    const listed = await list().catch((error: unknown) => {
      deps.logger.warn({ err: error }, 'the anchors that sleep are not known: each is asked')
      return []
    })
    if (stopped) return
    const latencyMs = Math.round(performance.now() - begunAt)
    const now = deps.clock.now()
    const before = [...anchors.values()].filter(isKnownAsleep)
    sleeping = new Map(listed.map(({ id, apiUrl }) => [id, apiUrl]))
    for (const { id, apiUrl: _, ...capacities } of listed) {
      const anchor = anchors.get(id)
      if (!anchor || !isMine(anchor) || !isKnownAsleep(anchor) || underWay.has(id)) continue
      anchor.available = true
      slow.delete(id)
      deps.record({
        anchorId: id,
        checkedAt: now,
        available: true,
        source: 'summary',
        latencyMs,
        ...capacities,
      })
    }
    for (const anchor of before)
      if (isMine(anchor) && !isKnownAsleep(anchor) && !underWay.has(anchor.id)) enqueue(anchor, now.getTime())
  }

  /** Once in each period, for all at the same time. */
  const beginCheckingSleeping = (now: number): void => {
    const period = Math.floor(now / (deps.pollSeconds * 1000))
    const isNew = period > periodOfSleeping
    if (deps.listSleeping && isNew) {
      readingSleeping ??= checkSleeping(deps.listSleeping).finally(() => (readingSleeping = null))
    }
    periodOfSleeping = period
  }

  const tick = async (): Promise<void> => {
    await deps.share.confirm()
    reschedule()
    const now = deps.clock.now().getTime()
    beginCheckingSleeping(now)
    for (const { id, at } of schedule.due(now)) {
      const anchor = anchors.get(id)
      if (!anchor || isKnownAsleep(anchor)) continue
      if (!underWay.has(id) && isItsTurn(anchor, at)) enqueue(anchor, at)
    }
  }
  let ticking: Loop | undefined
  return {
    put(anchor) {
      const known = anchors.get(anchor.id)
      if (known?.scheduled !== anchor.scheduled) revision += 1
      anchors.set(anchor.id, anchor)
    },
    remove(id) {
      walkedAt.delete(id)
      failures.delete(id)
      if (anchors.delete(id)) revision += 1
    },
    start() {
      ticking ??= loop({ name: 'polling', act: tick, everyMs: TICK_MS, logger: deps.logger })
    },
    async probeNow(id) {
      const anchor = anchors.get(id)
      if (anchor) await probeOne(anchor)
    },
    async probeAll(ids) {
      await Promise.all(
        Array.from(ids, id => {
          const { promise, resolve } = Promise.withResolvers<void>()
          const anchor = anchors.get(id)
          if (anchor) enqueue(anchor, deps.clock.now().getTime(), resolve)
          else resolve()
          return promise
        }),
      )
    },
    async stop() {
      stopped = true
      await ticking?.stop()
    },
  }
}

/** An external anchor is available if a wallet could use it. */
async function probeExternal(deps: PollerDeps, walked: Walked): Promise<ProbeResult> {
  const { available, failure, latencyMs, steps, offer } = await walkAsWallet(deps, walked)
  return {
    available,
    latencyMs,
    source: 'wallet',
    steps,
    ...(failure === undefined ? {} : { failure }),
    ...(offer ? { offer } : {}),
  }
}
