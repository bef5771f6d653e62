import type { Db } from '@windlass/service/database.ts'
import { invalid } from '@windlass/service/problem.ts'
import { sql, type Kysely } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../database.ts'
import { earliestIdAt, isUuid, momentOf } from '../ids.ts'
import { loadDecision, storeDecision, type Decision, type StoredDecision } from './decision.ts'
import type { RoutingDecisionTable } from './table.ts'

export async function listPolicies(db: Db<Tables>) {
  return db.selectFrom('routing_policies').selectAll().orderBy('version', 'desc').execute()
}

interface NewPolicy {
  name: string
  fee: string
  speed: string
  uptime: string
  liquidity: string
}

/** Returns the id. */
export async function insertPolicy(db: Kysely<Tables>, policy: NewPolicy, active: boolean): Promise<string> {
  return db.transaction().execute(async tx => {
    const { id } = await tx
      .insertInto('routing_policies')
      .values({ ...policy, active: false })
      .returning('id')
      .executeTakeFirstOrThrow()
    if (active) await makeActive(tx, id)
    return id
  })
}

export async function activate(db: Kysely<Tables>, id: string): Promise<void> {
  await db.transaction().execute(tx => makeActive(tx, id))
}

// Two at once: the lock lets one finish first, so that exactly one policy is active at every moment.
async function makeActive(tx: Db<Tables>, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(727003)`.execute(tx)
  await tx.updateTable('routing_policies').set({ active: false }).where('active', '=', true).execute()
  await tx
    .updateTable('routing_policies')
    .set({ active: true, activated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/** A decision on its way to the database: its row, with the record as text. */
export type WrittenDecision = RoutingDecisionTable

export const writtenForm = (decision: Decision): WrittenDecision => ({
  id: decision.id,
  decided_at: decision.decidedAt,
  policy_id: decision.policyId,
  winner: decision.top[0]?.anchorId ?? '',
  record: JSON.stringify(storeDecision(decision)),
})

/** Writes decisions in one statement; a batch that was written already is left alone. */
export async function writeDecisions(pool: pg.Pool, decisions: readonly WrittenDecision[]): Promise<void> {
  const [first] = decisions
  if (!first) return
  const column = <K extends keyof WrittenDecision>(name: K) => decisions.map(decision => decision[name])
  await pool.query({
    name: 'write-decisions',
    text: `insert into routing_decisions (id, decided_at, policy_id, winner, record)
      select * from unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[], $5::text[])
      where not exists (select 1 from routing_decisions where id = $6 and decided_at = $7)`,
    values: [
      column('id'),
      column('decided_at'),
      column('policy_id'),
      column('winner'),
      column('record'),
      first.id,
      first.decided_at,
    ],
  })
}

export async function findDecision(db: Db<Tables>, id: string): Promise<Decision | null> {
  if (!isUuid(id)) return null
  const row = await db
    .selectFrom('routing_decisions')
    .selectAll()
    .where('id', '=', id)
    .where('decided_at', '=', momentOf(id))
    .executeTakeFirst()
  return row ? loadRow(row) : null
}

export interface DecisionRange {
  limit: number
  from?: Date
  to?: Date
}

/** Newest first. */
export async function latestDecisions(db: Db<Tables>, range: DecisionRange): Promise<Decision[]> {
  let query = db.selectFrom('routing_decisions').selectAll().orderBy('id', 'desc').limit(range.limit)
  if (range.from)
    query = query.where('id', '>=', earliestIdAt(range.from)).where('decided_at', '>=', range.from)
  if (range.to) query = query.where('decided_at', '<=', range.to)
  return (await query.execute()).map(loadRow)
}

/**
 * Decisions whose record names an anchor, newest first, older than a point of the list. Throws `validation-failed` for
 * a point that no decision marks.
 */
export async function decisionsNaming(
  db: Db<Tables>,
  anchorId: string,
  limit: number,
  before: { createdAt: Date; id: string } | null,
): Promise<Decision[]> {
  if (before && !isUuid(before.id)) throw invalid('cursor', 'must be the cursor of a Link header')
  let query = db
    .selectFrom('routing_decisions')
    .selectAll()
    .where(sql<boolean>`strpos(record, ${`${anchorId},`}) > 0`)
    .orderBy('id', 'desc')
    .limit(limit)
  if (before) {
    query = query.where('id', '<', before.id)
  }
  return (await query.execute()).map(loadRow)
}

/** A decision from its row, written or not. */
export const loadRow = (row: RoutingDecisionTable): Decision =>
  loadDecision(row, JSON.parse(row.record) as StoredDecision)
