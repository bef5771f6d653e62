import {
  CLEARED_BY_TWO,
  type HitDecision,
  type ScreeningCase,
  type ScreeningHit,
} from '@windlass/contracts/anchor/compliance.ts'
import { deciderOf } from '@windlass/contracts/access.ts'
import { isUuid } from '@windlass/service/postgres/uuid.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { BoundRow } from '@windlass/service/seals/binding.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { after } from '../../paging.ts'
import type { Tables } from '../../tables.ts'
import { openAnswers } from '../outside-checks/ask.ts'
import { listOf, lockScreening, thresholdOf } from './lists.ts'
import { isClearingBound, proofOfClearing } from './compare-names.ts'
import { openName } from './screened-names.ts'

const DECIDER = deciderOf({ area: 'compliance' })

const hits = (db: Db<Tables>) =>
  db
    .selectFrom('screening_hits')
    .leftJoin('screened_names', 'screened_names.id', 'screening_hits.name_id')
    .select([
      ...([
        'screening_hits.id',
        'list',
        'source',
        'entry_id',
        'entry_name',
        'detail',
        'score',
        'state',
        'velocity',
        'country',
        'outside',
        'transfer_id',
      ] as const),
      ...(['created_at', 'subject_kind', 'subject_id', 'role', 'sealed'] as const),
    ])

type HitRow = Awaited<ReturnType<ReturnType<typeof hits>['executeTakeFirstOrThrow']>>

/** Newest first. */
export async function listHits(
  { database: { db }, sealer }: Deps,
  filter: PageQuery & { status?: ScreeningHit['status'] },
): Promise<ScreeningHit[]> {
  const start = pageStart(filter)
  let query = hits(db)
  if (filter.status) query = query.where('state', '=', filter.status)
  if (start) query = query.where(after(start, 'screening_hits.id'))
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('screening_hits.id', 'desc')
    .limit(pageSize(filter))
    .execute()
  return formsOf(db, sealer, rows)
}

/** Whether a hit that rests on a program's answer waits, or is in an open case, in a query of another table. */
export const isAnswerNeeded = (answer: RawBuilder<string>) => sql<boolean>`exists (
  select from screening_hits h left join cases c on c.id = h.case_id
  where h.outside ->> 'answer' = ${answer} and (h.state = 'waiting' or c.state = 'open'))`

/** Oldest first. */
export async function hitsOfCase(db: Db<Tables>, sealer: Sealer, caseId: string): Promise<ScreeningHit[]> {
  const rows = await hits(db).where('case_id', '=', caseId).orderBy('created_at').limit(200).execute()
  return formsOf(db, sealer, rows)
}

/** Those that hold or held a transaction, oldest first. */
export async function hitsAbout(db: Db<Tables>, sealer: Sealer, transferId: string): Promise<ScreeningHit[]> {
  const rows = await hits(db)
    .where(
      sql<boolean>`screening_hits.transfer_id::text = ${transferId} or screening_hits.id in (
        select hit_id from screening_holds where subject_kind = 'transaction' and subject_id = ${transferId})`,
    )
    .orderBy('created_at')
    .limit(200)
    .execute()
  return formsOf(db, sealer, rows)
}

async function formsOf(
  db: Db<Tables>,
  sealer: Deps['sealer'],
  rows: readonly HitRow[],
): Promise<ScreeningHit[]> {
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return []
  const decisions = await db
    .selectFrom('screening_decisions')
    .selectAll()
    .where('hit_id', 'in', ids)
    .orderBy('id')
    .execute()
  const holds = await db.selectFrom('screening_holds').selectAll().where('hit_id', 'in', ids).execute()
  const names = await namesOf(db, sealer, rows)
  const answers = await openAnswers(
    db,
    sealer,
    rows.flatMap(({ outside }) => outside?.answer ?? []),
  )
  return rows.map(row => ({
    id: row.id,
    ...subjectOf(sealer, row),
    outside: row.outside && (answers.get(row.outside.answer) ?? null),
    names: (row.subject_kind === 'customer' && names.get(row.subject_id ?? '')) || null,
    status: row.state,
    transactions: holds
      .filter(({ hit_id, subject_kind }) => hit_id === row.id && subject_kind === 'transaction')
      .map(({ subject_id }) => subject_id),
    decisions: decisions
      .filter(({ hit_id }) => hit_id === row.id)
      .map(({ decision, reason, evidence, by, at }) => ({
        decision,
        reason,
        evidence,
        by,
        at: at.toISOString(),
      })),
    createdAt: row.created_at.toISOString(),
  }))
}

/** What each customer told, and what is on their document, by customer. */
async function namesOf(db: Db<Tables>, sealer: Sealer, rows: readonly HitRow[]) {
  const subjects = rows.filter(row => row.subject_kind === 'customer').map(row => row.subject_id ?? '')
  const names = new Map<string, { told: string | null; verified: string | null }>()
  if (subjects.length === 0) return names
  const found = await db
    .selectFrom('screened_names')
    .select(['subject_kind', 'subject_id', 'role', 'sealed'])
    .where('subject_kind', '=', 'customer')
    .where('subject_id', 'in', subjects)
    .where('replaced_at', 'is', null)
    .execute()
  for (const row of found) {
    const known = names.get(row.subject_id) ?? { told: null, verified: null }
    if (row.role === 'verified') known.verified = openName(sealer, row)
    if (row.role === 'customer') known.told = openName(sealer, row)
    names.set(row.subject_id, known)
  }
  return names
}

/** What it is about: a name, a transfer that exceeds a rule, or a country. */
function subjectOf(
  sealer: Sealer,
  { velocity, country, transfer_id, ...row }: HitRow,
): Pick<ScreeningHit, 'subject' | 'match' | 'velocity' | 'country'> {
  const { subject_kind, subject_id, role, sealed, source, entry_id, entry_name, detail } = row
  if (transfer_id !== null)
    return { subject: { kind: 'transaction', id: transfer_id }, match: null, velocity, country }
  if (!subject_kind || !subject_id || !role || !source || !entry_id || !entry_name)
    throw new Error('a hit is about neither a name nor a rule')
  return {
    subject: { kind: subject_kind, id: subject_id },
    match: {
      name: openName(sealer, { subject_kind, subject_id, role, sealed }),
      ...{ role, source, listVersion: Number(row.list), entryId: entry_id, entryName: entry_name },
      ...{ detail: detail ?? '', score: Number(row.score) },
    },
    velocity: null,
    country: null,
  }
}

/** By id; those that nothing has are left out. */
export async function findHits(
  { sealer }: Pick<Deps, 'sealer'>,
  db: Db<Tables>,
  ids: readonly string[],
): Promise<Map<string, ScreeningHit>> {
  if (ids.length === 0) return new Map()
  const rows = await hits(db)
    .where('screening_hits.id', 'in', [...ids])
    .execute()
  return new Map((await formsOf(db, sealer, rows)).map(hit => [hit.id, hit]))
}

async function findHit({ sealer }: Pick<Deps, 'sealer'>, db: Db<Tables>, id: string): Promise<ScreeningHit> {
  const rows = isUuid(id) ? await hits(db).where('screening_hits.id', '=', id).execute() : []
  const [hit] = await formsOf(db, sealer, rows)
  if (!hit) throw new Problem('screening-hit-not-found', 'There is no screening hit with this id.')
  return hit
}

/**
 * Records what an operator found out about a hit. `clear`: it is someone else, and what it held continues, by `release` in the
 * same transaction, and its case ends by `ended` where nothing else is to be looked into. `confirm`: it stays held. What was confirmed is cleared by another person only, and a name that is nearly
 * the listed one by two.
 *
 * @param by `operator:<id>`
 * @throws {Problem} `screening-hit-not-found`, `screening-hit-decided`, `second-person-needed`.
 */
export async function decideHit(
  deps: Deps,
  id: string,
  { decision, reason, evidence, by }: HitDecision & { by: string },
  { release, ended }: Record<'release' | 'ended', (tx: Db<Tables>) => Promise<void>>,
): Promise<ScreeningHit> {
  const decided = await deps.database.db.transaction().execute(async tx => {
    await lockScreening(tx, 'alone')
    const hit = await findHit(deps, tx, id)
    const { status, match, country } = hit
    const last = await lastDecision(deps, tx, id, hit)
    if (status === 'cleared' || (status === 'confirmed' && decision === 'confirm'))
      throw new Problem('screening-hit-decided', `The hit is ${status} already.`)
    // What nobody confirmed, whatever the row says, is cleared as what waits.
    const isConfirmed = last?.decision === 'confirm'
    if (isConfirmed && decision === 'clear' && last.by === by)
      throw new Problem('second-person-needed', `You confirmed this hit. Another ${DECIDER} clears it.`)
    const isGrave = (match?.score ?? 0) >= CLEARED_BY_TWO || country?.list === 'prohibited'
    const byTwo = !isConfirmed && decision === 'clear' && isGrave
    const isFirst = byTwo && last?.decision !== 'clear'
    if (byTwo && !isFirst && last?.by === by)
      throw new Problem('second-person-needed', `You cleared this hit. Another ${DECIDER} clears it too.`)
    await tx
      .insertInto('screening_decisions')
      .values({ hit_id: id, decision, reason, evidence: evidence ?? null, by })
      .execute()
    const isCleared = decision === 'clear'
    const cleared = isCleared ? { state: 'cleared' as const, cleared: proofOfClearing(deps, id) } : null
    const decided = deps.binder.bind(decidedRow(id, hit.decisions.length + 1, { decision, by }))
    await tx
      .updateTable('screening_hits')
      .set({ decided, ...(isFirst ? {} : (cleared ?? { state: 'confirmed' as const })) })
      .where('id', '=', id)
      .execute()
    if (!isFirst) {
      // What is confirmed is looked at again too: what it holds is booked as blocked.
      await release(tx)
      if (isCleared) await ended(tx)
    }
    deps.faults.at('hit:decided')
    return findHit(deps, tx, id)
  })
  deps.wake.emit('ledgerPayments')
  deps.wake.emit('railOrders')
  deps.wake.emit('conditions')
  return decided
}

/**
 * The last decision about a hit, where this server took it: what someone else wrote into the database is no decision, and
 * neither is a first one that someone put last again.
 */
async function lastDecision(
  { binder }: Pick<Deps, 'binder'>,
  db: Db<Tables>,
  id: string,
  { decisions }: Pick<ScreeningHit, 'decisions'>,
): Promise<ScreeningHit['decisions'][number] | undefined> {
  const last = decisions.at(-1)
  const query = db.selectFrom('screening_hits').select('decided').where('id', '=', id)
  const { decided } = await query.executeTakeFirstOrThrow()
  return last && binder.isBound(decided, decidedRow(id, decisions.length, last)) ? last : undefined
}

const decidedRow = (
  id: string,
  count: number,
  { decision, by }: { decision: string; by: string },
): BoundRow => [...['screening_hits', id, String(count), decision, by]]

/** Binds under the newest key what people decided about hits. */
export async function bindDecisionsAgain(deps: Pick<Deps, 'database' | 'config' | 'binder'>): Promise<void> {
  const { db } = deps.database
  const [newest = 0] = deps.config.bindingKeys.keys()
  const older = db
    .selectFrom('screening_hits')
    .select('id')
    .where(sql<boolean>`substring(decided for 1) <> ${Buffer.from([newest])}`)
  for (const { id } of await older.execute())
    await db.transaction().execute(async tx => {
      const query = tx.selectFrom('screening_hits').select(['decided', 'cleared']).where('id', '=', id)
      const hit = await query.forUpdate().executeTakeFirstOrThrow()
      const taken = tx.selectFrom('screening_decisions').select(['decision', 'by']).where('hit_id', '=', id)
      const decisions = await taken.orderBy('id').execute()
      const last = decisions.at(-1)
      const row = last && decidedRow(id, decisions.length, last)
      if (!row || !deps.binder.isBound(hit.decided, row)) return
      const cleared = isClearingBound(deps, { id, cleared: hit.cleared }) && proofOfClearing(deps, id)
      const proofs = { decided: deps.binder.bind(row), ...(cleared && { cleared }) }
      await tx.updateTable('screening_hits').set(proofs).where('id', '=', id).execute()
    })
}

/** The first confirmed hit about a name on a list that holds a transaction; null: there is none. */
export async function confirmedNameHit(db: Db<Tables>, transferId: string): Promise<string | null> {
  const row = await db
    .selectFrom('screening_holds')
    .innerJoin('screening_hits', 'screening_hits.id', 'screening_holds.hit_id')
    .select('screening_hits.id')
    .where('screening_holds.subject_kind', '=', 'transaction')
    .where('screening_holds.subject_id', '=', transferId)
    .where('state', '=', 'confirmed')
    .where('name_id', 'is not', null)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}

/** Everything about a hit, for the authority: with the list that it was found in and the transactions that it holds or counts. */
export async function caseOf(
  deps: Deps,
  id: string,
  transactionOf: (id: string) => Promise<ScreeningCase['transactions'][number] | null>,
): Promise<ScreeningCase> {
  const { db } = deps.database
  const hit = await findHit(deps, db, id)
  const list = hit.match && (await listOf(db, hit.match.listVersion))
  const of = hit.subject.kind === 'transaction' ? [hit.subject.id] : []
  const counted = hit.velocity?.transfers.map(({ id }) => id) ?? []
  const ids = [...new Set([...of, ...hit.transactions, ...counted])]
  const transactions = await Promise.all(ids.map(transactionOf))
  return {
    anchor: deps.config.anchor.plan.homeDomain,
    hit,
    list,
    threshold: await thresholdOf(db),
    transactions: transactions.filter(each => each !== null),
    exportedAt: deps.clock.now().toISOString(),
  }
}

/** How many hits wait for a decision. */
export const hitsWaiting = scalar(
  sql<number>`select count(*) from screening_hits where state = 'waiting'`,
  Number,
)
