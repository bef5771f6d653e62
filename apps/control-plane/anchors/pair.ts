import type { Release } from '@windlass/contracts/anchor-life.ts'
import type { Db } from '@windlass/service/database.ts'
import type { Slot } from '@windlass/runtimes/runtime.ts'
import type { Tables } from '../database.ts'
import type { Deps } from '../deps.ts'
import { presentRelease } from './release.ts'

/**
 * An anchor's two servers. One pair serves; while an upgrade is under way there is the other one, in the other slot,
 * which is to take over or has been taken over from.
 */
export interface Pair {
  anchorId: string
  slot: Slot
  ports: Ports
  release: Release
}

export interface Ports {
  sep: number
  business: number
}

export type Which = 'serving' | 'other'

/** Throws where it has no ports: it was never to be started. */
export async function readPair(
  { database, config }: Pick<Deps, 'database' | 'config'>,
  anchorId: string,
  which: Which = 'serving',
): Promise<Pair> {
  const row = which === 'serving' ? await serving(database.db, anchorId) : await other(database.db, anchorId)
  if (!row?.slot || row.sep_port === null || row.business_port === null) {
    throw new Error(`anchor ${anchorId} has no ports`)
  }
  const ports = { sep: row.sep_port, business: row.business_port }
  return { anchorId, slot: row.slot, ports, release: row.release ?? presentRelease(config) }
}

function serving(db: Db<Tables>, anchorId: string) {
  return db
    .selectFrom('anchors')
    .select(['slot', 'sep_port', 'business_port', 'release'])
    .where('id', '=', anchorId)
    .executeTakeFirst()
}

/** Until the switch it is what the upgrade leads to, afterwards what it came from. */
async function other(db: Db<Tables>, anchorId: string) {
  const row = await db
    .selectFrom('upgrades')
    .select(['slot', 'sep_port', 'business_port', 'state', 'from_release', 'to_release'])
    .where('anchor_id', '=', anchorId)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
  return row && { ...row, release: row.state === 'switching' ? row.from_release : row.to_release }
}
