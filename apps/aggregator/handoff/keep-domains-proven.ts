import { loop, type Loop } from '@windlass/service/work/loop.ts'
import type { FastifyBaseLogger } from 'fastify'
import { getOrMake } from '../get-or-make.ts'
import { shardOf } from '../health/schedule.ts'
import type { Entry } from '../registry/entry.ts'
import type { RegistryIndex } from '../registry/registry-index.ts'

const EVERY_MS = 5_000
/** Domains checked in one round: bounds the cost of unreachable ones. */
const AT_ONCE = 20
const AGAIN_PROVEN_MS = 3_600_000
const AGAIN_UNPROVEN_MS = 60_000

interface KeepingDeps {
  index: RegistryIndex
  logger: FastifyBaseLogger
  share: { owns(shard: number): boolean }
  prove(entry: Entry): Promise<void>
}

/**
 * Checks the discovery files of this process' share of the active anchors again: every minute until the domain is
 * proven, then every hour. An anchor whose domain was not up at its registration is proven without further action.
 */
export function keepDomainsProven({ index, logger, share, prove }: KeepingDeps): Loop {
  /** By anchor id; on the process' own time. An anchor seen for the first time was checked at its registration. */
  const lookedAt = new Map<string, number>()
  // Cached: computing a hash for each anchor in each round would delay every answer.
  const shards = new Map<string, number>()

  const isDue = ({ id, status, domainVerified }: Entry, now: number): boolean => {
    if (status !== 'active' || !share.owns(getOrMake(shards, id, () => shardOf(id)))) return false
    const last = getOrMake(lookedAt, id, () => now)
    return now - last >= (domainVerified ? AGAIN_PROVEN_MS : AGAIN_UNPROVEN_MS)
  }
  const look = async (): Promise<void> => {
    const now = performance.now()
    const due: Entry[] = []
    for (const entry of index.entries()) if (isDue(entry, now)) due.push(entry)
    due.sort((a, b) => (lookedAt.get(a.id) ?? 0) - (lookedAt.get(b.id) ?? 0))
    due.length = Math.min(due.length, AT_ONCE)
    for (const { id } of due) lookedAt.set(id, now)
    for (const kept of [lookedAt, shards]) {
      for (const id of kept.keys()) if (!index.get(id)) kept.delete(id)
    }
    await Promise.all(due.map(prove))
  }
  return loop({ name: 'domain proofs', act: look, everyMs: EVERY_MS, logger })
}
