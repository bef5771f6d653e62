import { formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import { setImmediate } from 'node:timers/promises'
import type pg from 'pg'
import { getOrMake } from '../get-or-make.ts'
import { isUuid } from '@windlass/service/postgres/uuid.ts'
import { earliestIdAt, momentOf } from '../ids.ts'
import type { RoutingDecisionRow, RoutingSnapshotRow, Tables } from '../tables.ts'
import type { Decision } from './decision.ts'
import { readWeightNumbers, weightNumbers, type PolicyWeights } from './scores.ts'
import { loadSnapshot, storeSnapshot, type Snapshot } from './snapshot.ts'

/** A decision's row, which with its snapshot is the whole of it. */
export function storeDecision<W>(
  decision: Decision,
  weights: W,
): Omit<RoutingDecisionRow, 'weights'> & { weights: W } {
  const { id, decidedAt, policyId, transaction, snapshot, winner, stale } = decision
  return {
    id,
    decided_at: decidedAt,
    snapshot_id: snapshot.id,
    policy_id: policyId,
    weights,
    amount: formatAmount(transaction.amount),
    currency: transaction.currency ?? null,
    winner,
    stale,
  }
}

export function loadDecision(row: RoutingDecisionRow, snapshot: Snapshot): Decision {
  return {
    id: row.id,
    decidedAt: row.decided_at,
    policyId: row.policy_id,
    weights: readWeightNumbers(row.weights),
    transaction: {
      ...snapshot.support,
      amount: parseAmount(row.amount),
      ...(row.currency === null ? {} : { currency: row.currency }),
    },
    snapshot,
    winner: row.winner,
    stale: row.stale,
  }
}

/**
 * Writes decisions, and the snapshots that are not there yet, in one statement: one commit for all of them. What is
 * there already stays, except for what was noted since.
 */
export async function writeDecisions(pool: pg.Pool, decisions: readonly Decision[]): Promise<void> {
  const snapshots = new Set<Snapshot>()
  for (const { snapshot } of decisions) {
    if (snapshot.base && !snapshot.base.stored) snapshots.add(snapshot.base)
    if (!snapshot.stored) snapshots.add(snapshot)
  }
  const values = [...storeTogether(decisions)]
  if (snapshots.size === 0) {
    await pool.query({ name: 'write-decisions', text: WRITE_DECISIONS, values })
    return
  }
  values.push(`[${(await storeInTurns(snapshots)).join(',')}]`)
  await pool.query({ name: 'write-decisions-and-snapshots', text: WRITE_SNAPSHOTS + WRITE_DECISIONS, values })
  for (const snapshot of snapshots) snapshot.stored = true
}

/** The rows, each with the place of its weights, and the weights: most decisions of a batch share theirs. */
function storeTogether(decisions: readonly Decision[]): [rows: string, weights: string] {
  const places = new Map<PolicyWeights, number>()
  const rows = decisions.map(decision =>
    storeDecision(
      decision,
      getOrMake(places, decision.weights, () => places.size),
    ),
  )
  return [JSON.stringify(rows), JSON.stringify(Array.from(places.keys(), weightNumbers))]
}

/** A snapshot that is stored whole takes milliseconds: other requests are answered between two of them. */
async function storeInTurns(snapshots: Iterable<Snapshot>): Promise<string[]> {
  const stored: string[] = []
  for (const snapshot of snapshots) {
    if (snapshot.base === null && stored.length > 0) await setImmediate()
    stored.push(storeSnapshot(snapshot))
  }
  return stored
}

const WRITE_SNAPSHOTS = `
  with snapshots as (
    insert into routing_snapshots (id, taken_at, asset, rail, region, base_id, failing, contenders)
    select id, taken_at, asset, rail, region, base_id, failing, contenders
    from json_to_recordset($3) as s(id uuid, taken_at timestamptz, asset text, rail text, region text, base_id uuid,
      failing jsonb, contenders jsonb)
    on conflict (id, taken_at) do nothing
  )`

const WRITE_DECISIONS = `
  insert into routing_decisions (id, decided_at, snapshot_id, policy_id, weights, amount, currency, winner, stale)
  select id, decided_at, snapshot_id, policy_id, $2::jsonb -> weights, amount, currency, winner, stale
  from json_to_recordset($1) as d(id uuid, decided_at timestamptz, snapshot_id uuid, policy_id uuid,
    weights integer, amount numeric, currency text, winner text, stale boolean)
  on conflict (id, decided_at) do update set stale = excluded.stale`

export async function findDecision(db: Db<Tables>, id: string): Promise<Decision | null> {
  const row = await findRow(db, id)
  return row ? ((await withSnapshots(db, [row]))[0] ?? null) : null
}

export async function findWinner(
  db: Db<Tables>,
  id: string,
): Promise<{ winner: string | null; asset: string; amount: Amount } | null> {
  const row = await findRow(db, id)
  const [snapshot] = row ? await snapshotRows(db, [row.snapshot_id]) : []
  return row && snapshot
    ? { winner: row.winner, asset: snapshot.asset, amount: parseAmount(row.amount) }
    : null
}

async function findRow(db: Db<Tables>, id: string): Promise<RoutingDecisionRow | undefined> {
  if (!isUuid(id)) return undefined
  return db
    .selectFrom('routing_decisions')
    .selectAll()
    .where('id', '=', id)
    .where('decided_at', '=', momentOf(id))
    .executeTakeFirst()
}

/** Routes that no anchor could serve, for any of some assets, newest first, older than a point of the list. */
export async function missesFor(
  db: Db<Tables>,
  assets: ReadonlySet<string>,
  limit: number,
  before: { createdAt: Date; id: string } | null,
): Promise<Decision[]> {
  if (before && !isUuid(before.id)) throw invalid('cursor', 'must be the cursor of a Link header')
  let query = db
    .selectFrom('routing_decisions as d')
    .innerJoin('routing_snapshots as s', 's.id', 'd.snapshot_id')
    .selectAll('d')
    .where('d.winner', 'is', null)
    .where('s.asset', 'in', [...assets])
    .orderBy('d.id', 'desc')
    .limit(limit)
  if (before) query = query.where('d.id', '<', before.id)
  return withSnapshots(db, await query.execute())
}

export interface DecisionRange {
  limit: number
  from?: Date
  to?: Date
}

// A snapshot may be large and each decision may have one of its own.
const PAGE = 100

/** Newest first. */
export async function* latestDecisions(db: Db<Tables>, range: DecisionRange): AsyncIterable<Decision> {
  let left = range.limit
  let before: string | null = null
  while (left > 0) {
    const rows: RoutingDecisionRow[] = await pageOfDecisions(db, range, Math.min(left, PAGE), before)
    yield* await withSnapshots(db, rows)
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return
    left -= rows.length
    before = last.id
  }
}

function pageOfDecisions(
  db: Db<Tables>,
  { from, to }: DecisionRange,
  limit: number,
  before: string | null,
): Promise<RoutingDecisionRow[]> {
  let query = db
    .selectFrom('routing_decisions')
    .selectAll()
    .where('winner', 'is not', null)
    .orderBy('id', 'desc')
    .limit(limit)
  if (from) query = query.where('id', '>=', earliestIdAt(from)).where('decided_at', '>=', from)
  if (to) query = query.where('decided_at', '<=', to)
  if (before) query = query.where('id', '<', before).where('decided_at', '<=', momentOf(before))
  return query.execute()
}

/**
 * Decisions whose snapshot names an anchor, newest first, older than a point of the list. Throws `validation-failed`
 * for a point that no decision marks.
 */
export async function decisionsNaming(
  db: Db<Tables>,
  anchorId: string,
  limit: number,
  before: { createdAt: Date; id: string } | null,
): Promise<Decision[]> {
  if (before && !isUuid(before.id)) throw invalid('cursor', 'must be the cursor of a Link header')
  let query = db
    .selectFrom('routing_decisions as d')
    .innerJoin('routing_snapshots as s', 's.id', 'd.snapshot_id')
    .leftJoin('routing_snapshots as b', 'b.id', 's.base_id')
    .selectAll('d')
    .where('d.winner', 'is not', null)
    .where(
      sql<boolean>`(s.contenders ? ${anchorId} or b.contenders ? ${anchorId}
        or strpos(s.failing::text, ${`"${anchorId}"`}) > 0)`,
    )
    .orderBy('d.id', 'desc')
    .limit(limit)
  if (before) query = query.where('d.id', '<', before.id)
  return withSnapshots(db, await query.execute())
}

/** In the order of the rows. A decision whose snapshot is gone is left out. */
async function withSnapshots(db: Db<Tables>, rows: readonly RoutingDecisionRow[]): Promise<Decision[]> {
  const ids = [...new Set(rows.map(row => row.snapshot_id))]
  if (ids.length === 0) return []
  const found = await snapshotRows(db, ids)
  const bases = await snapshotRows(db, [...new Set(found.flatMap(row => row.base_id ?? []))])
  const known = new Map(bases.map(row => [row.id, row.contenders]))
  const snapshots = new Map(
    found.flatMap(row => {
      const base = row.base_id === null ? {} : known.get(row.base_id)
      return base ? [[row.id, loadSnapshot(row, base)]] : []
    }),
  )
  return rows.flatMap(row => {
    const snapshot = snapshots.get(row.snapshot_id)
    return snapshot ? [loadDecision(row, snapshot)] : []
  })
}

async function snapshotRows(db: Db<Tables>, ids: readonly string[]): Promise<RoutingSnapshotRow[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('routing_snapshots')
    .selectAll()
    .where('id', 'in', ids)
    .where('taken_at', 'in', ids.map(momentOf))
    .execute()
}
