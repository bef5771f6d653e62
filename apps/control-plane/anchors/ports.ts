import type { Db } from '@windlass/service/database.ts'
import { enqueue } from '@windlass/service/outbox.ts'
import { randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../database.ts'
import type { Deps } from '../deps.ts'
import type { Ports, Which } from './pair.ts'
import { presentRelease } from './release.ts'

const HIGHEST = 65_534
const PORTS_LOCK = 727_003

/**
 * Gives one of an anchor's pairs two ports that neither another pair nor another program has; one that has some keeps
 * them. With `anew` it gets others, of which the platform is told where that pair serves.
 */
export async function allocatePorts(
  tx: Transaction<Tables>,
  deps: Pick<Deps, 'config' | 'runtime'>,
  anchorId: string,
  { anew = false, which = 'serving' }: { anew?: boolean; which?: Which } = {},
): Promise<void> {
  await sql`select pg_advisory_xact_lock(${PORTS_LOCK})`.execute(tx)
  const taken = await takenPorts(tx)
  if (!anew && taken.some(pair => pair.anchorId === anchorId && pair.which === which)) return
  const ports = await freePorts(deps, new Set(taken.flatMap(pair => [pair.sep, pair.business])))
  const columns = { sep_port: ports.sep, business_port: ports.business }
  if (which === 'other') {
    await tx
      .updateTable('upgrades')
      .set(columns)
      .where('anchor_id', '=', anchorId)
      .where('finished_at', 'is', null)
      .execute()
    return
  }
  // From its first ports on it runs from a release of its own.
  const release = sql<string>`coalesce(release, ${JSON.stringify(presentRelease(deps.config))}::jsonb)`
  const set = anew ? columns : { ...columns, release }
  await tx.updateTable('anchors').set(set).where('id', '=', anchorId).execute()
  if (anew) await tellMoved(tx, anchorId)
}

/** Has the platform told where the serving pair is reached now. */
export async function tellMoved(tx: Db<Tables>, anchorId: string): Promise<void> {
  await enqueue(tx, 'moved', `${anchorId}:${randomUUID()}`, { anchorId })
}

async function takenPorts(tx: Db<Tables>): Promise<(Ports & { anchorId: string; which: Which })[]> {
  const serving = await tx.selectFrom('anchors').select(['id', 'sep_port', 'business_port']).execute()
  const other = await tx
    .selectFrom('upgrades')
    .select(['anchor_id as id', 'sep_port', 'business_port'])
    .where('sep_port', 'is not', null)
    .execute()
  return [
    ...serving.map(row => ({ ...row, which: 'serving' as const })),
    ...other.map(row => ({ ...row, which: 'other' as const })),
  ].flatMap(({ id, sep_port: sep, business_port: business, which }) =>
    sep === null || business === null ? [] : [{ anchorId: id, which, sep, business }],
  )
}

async function freePorts(
  { config, runtime }: Pick<Deps, 'config' | 'runtime'>,
  taken: ReadonlySet<number>,
): Promise<Ports> {
  for (let port = config.anchors.portBase; port < HIGHEST; port += 2) {
    if (taken.has(port) || taken.has(port + 1)) continue
    const free = await Promise.all([port, port + 1].map(each => runtime.isPortFree(each)))
    if (free.every(Boolean)) return { sep: port, business: port + 1 }
  }
  throw new Error(`no two free ports from ${config.anchors.portBase} on`)
}
