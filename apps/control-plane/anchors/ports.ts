import type { Db } from '@windlass/service/database.ts'
import { enqueue } from '@windlass/service/outbox.ts'
import { randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../database.ts'
import type { Deps } from '../deps.ts'

export interface Ports {
  sep: number
  business: number
}

const HIGHEST = 65_534
const PORTS_LOCK = 727_003

/** The ports of an anchor's two servers. Throws where none have been allocated. */
export async function readPorts(db: Db<Tables>, anchorId: string): Promise<Ports> {
  const row = await db
    .selectFrom('anchors')
    .select(['sep_port', 'business_port'])
    .where('id', '=', anchorId)
    .executeTakeFirstOrThrow()
  if (row.sep_port === null || row.business_port === null) throw new Error(`anchor ${anchorId} has no ports`)
  return { sep: row.sep_port, business: row.business_port }
}

/**
 * Gives an anchor two ports that neither another anchor nor another program has; one that has some keeps them.
 * With `anew` it gets others, of which the platform is told.
 */
export async function allocatePorts(
  tx: Transaction<Tables>,
  deps: Pick<Deps, 'config' | 'runtime'>,
  anchorId: string,
  anew = false,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(${PORTS_LOCK})`.execute(tx)
  const rows = await tx.selectFrom('anchors').select(['id', 'sep_port', 'business_port']).execute()
  if (!anew && rows.some(row => row.id === anchorId && row.sep_port !== null)) return
  const taken = new Set(rows.flatMap(row => [row.sep_port, row.business_port]))
  for (let port = deps.config.anchors.portBase; port < HIGHEST; port += 2) {
    if (taken.has(port) || taken.has(port + 1)) continue
    const free = await Promise.all([port, port + 1].map(each => deps.runtime.isPortFree(each)))
    if (!free.every(Boolean)) continue
    await tx
      .updateTable('anchors')
      .set({ sep_port: port, business_port: port + 1 })
      .where('id', '=', anchorId)
      .execute()
    if (anew) await enqueue(tx, 'moved', `${anchorId}:${randomUUID()}`, { anchorId })
    return
  }
  throw new Error(`no two free ports from ${deps.config.anchors.portBase} on`)
}
