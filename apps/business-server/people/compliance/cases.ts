import type { Case, CaseFile } from '@windlass/contracts/anchor/cases.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { isUuid } from '@windlass/service/postgres/uuid.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { type RawBuilder, sql, type Selectable } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { after, requireDay } from '../../paging.ts'
import type { CaseStepTable, CaseTable, Tables } from '../../tables.ts'
import { DUE_DAYS } from './file-hits.ts'
import { hitsOfCase } from './hits.ts'
import { linkedTransfers } from './velocity.ts'

type Row = Selectable<CaseTable>
type Outcome = NonNullable<Case['outcome']>

const contextOf = ({ id }: Pick<Selectable<CaseStepTable>, 'id'>) => `case-step:${id}`

export const sealedCaseSteps = sealedColumn({
  ...{ table: 'case_steps', column: 'sealed', key: ['id'] },
  contextOf: row => contextOf(row as Selectable<CaseStepTable>),
})

const cases = (db: Db<Tables>) =>
  db
    .selectFrom('cases')
    .selectAll('cases')
    .select(({ selectFrom, fn }) =>
      selectFrom('screening_hits')
        .select(fn.countAll<string>().as('count'))
        .whereRef('case_id', '=', 'cases.id')
        .as('hits'),
    )
    .select(sql<string>`to_char(due_on, 'YYYY-MM-DD')`.as('due'))
    .select(sql<boolean>`state = 'open' and due_on < current_date`.as('overdue'))

type FoundRow = Row & { hits: string | null; due: string; overdue: boolean }

const caseForm = (row: FoundRow): Case => ({
  id: row.id,
  subject: { kind: row.subject_kind, id: row.subject_id },
  status: row.state,
  outcome: row.outcome,
  assignedTo: row.assignee,
  dueOn: row.due,
  isOverdue: row.overdue,
  openedBy: row.opened_by,
  openedAt: row.created_at.toISOString(),
  closedAt: row.closed_at?.toISOString() ?? null,
  hits: Number(row.hits),
})

/** Newest first. */
export async function listCases(
  db: Db<Tables>,
  filter: PageQuery & { status?: Case['status'] },
): Promise<{ id: string; createdAt: Date; case: Case }[]> {
  const start = pageStart(filter)
  let query = cases(db)
  if (filter.status) query = query.where('state', '=', filter.status)
  if (start) query = query.where(after(start, 'cases.id'))
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(pageSize(filter))
    .execute()
  return rows.map(row => ({ id: row.id, createdAt: row.created_at, case: caseForm(row) }))
}

async function findRow(db: Db<Tables>, id: string): Promise<FoundRow> {
  const row = isUuid(id) ? await cases(db).where('cases.id', '=', id).executeTakeFirst() : undefined
  if (!row) throw new Problem('case-not-found', 'There is no case with this id.')
  return row
}

/** Throws `case-not-found`. */
export async function caseFile(deps: Pick<Deps, 'sealer'>, db: Db<Tables>, id: string): Promise<CaseFile> {
  const row = await findRow(db, id)
  const steps = await db
    .selectFrom('case_steps')
    .selectAll()
    .where('case_id', '=', id)
    .orderBy('at')
    .limit(500)
    .execute()
  const hits = await hitsOfCase(db, deps.sealer, id)
  const transactions = hits.flatMap(({ subject, transactions: held }) =>
    subject.kind === 'transaction' ? [subject.id, ...held] : held,
  )
  return {
    case: caseForm(row),
    hits,
    steps: steps.map(step => ({
      ...{ kind: step.kind, text: textOf(deps.sealer, step), ...step.details },
      ...{ by: step.by, at: step.at.toISOString(), removedAt: step.removed_at?.toISOString() ?? null },
    })),
    linked: await linkedTransfers(db, transactions),
  }
}

const textOf = (sealer: Sealer, step: Selectable<CaseStepTable>): string | null =>
  step.sealed && sealer.open(step.sealed, contextOf(step))

interface Step {
  kind: CaseStepTable['kind']
  text?: string
  details?: object
  by: string
}

async function addStep(
  tx: Db<Tables>,
  sealer: Sealer,
  caseId: string,
  { kind, text, details = {}, by }: Step,
): Promise<void> {
  const id = randomUUID()
  const sealed = text === undefined ? null : sealer.seal(text, contextOf({ id }))
  await tx
    .insertInto('case_steps')
    .values({ id, case_id: caseId, kind, sealed, details: JSON.stringify(details), by })
    .execute()
}

/** Ends the case of a hit that was cleared, where it was opened for hits alone and nobody did anything else with it. */
export async function endIfHarmless(
  tx: Db<Tables>,
  sealer: Sealer,
  hitId: string,
  by: string,
): Promise<void> {
  const ended = await tx
    .updateTable('cases')
    .set({ state: 'closed', outcome: 'no-suspicion', closed_at: sql<Date>`clock_timestamp()` })
    .where('state', '=', 'open')
    .where('opened_by', '=', 'screening')
    .where('assignee', 'is', null)
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('screening_hits').select('case_id').where('id', '=', hitId),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('case_steps').select('id').whereRef('case_id', '=', 'cases.id'))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('screening_hits')
            .select('id')
            .whereRef('case_id', '=', 'cases.id')
            .where('state', '<>', 'cleared'),
        ),
      ),
    )
    .returning('id')
    .executeTakeFirst()
  if (ended) await addStep(tx, sealer, ended.id, { kind: 'closed', details: { outcome: 'no-suspicion' }, by })
}

/** Opens a case, or adds why to the one that is open. */
export async function openCase(
  deps: Deps,
  {
    subject,
    reason,
    by,
  }: { subject: { kind: 'customer' | 'transaction'; id: string }; reason: string; by: string },
): Promise<CaseFile> {
  return deps.database.db.transaction().execute(async tx => {
    const { kind, id } = subject
    const made = await tx
      .insertInto('cases')
      .values({
        ...{ subject_kind: kind, subject_id: id, opened_by: by },
        due_on: sql<string>`current_date + ${sql.lit(DUE_DAYS)}`,
      })
      .onConflict(conflict =>
        conflict.columns(['subject_kind', 'subject_id']).where('state', '=', sql.lit('open')).doNothing(),
      )
      .returning('id')
      .executeTakeFirst()
    const found =
      made ??
      (await tx
        .selectFrom('cases')
        .select('id')
        .where('subject_kind', '=', kind)
        .where('subject_id', '=', id)
        .where('state', '=', 'open')
        .executeTakeFirstOrThrow())
    await addStep(tx, deps.sealer, found.id, { kind: made ? 'opened' : 'noted', text: reason, by })
    return caseFile(deps, tx, found.id)
  })
}

/** A note may come after the end. Throws `case-not-found`. */
export async function noteCase(
  deps: Deps,
  id: string,
  { text, by }: { text: string; by: string },
): Promise<CaseFile> {
  return deps.database.db.transaction().execute(async tx => {
    await findRow(tx, id)
    await addStep(tx, deps.sealer, id, { kind: 'noted', text, by })
    return caseFile(deps, tx, id)
  })
}

interface Plan {
  assignedTo: string | null
  dueOn: string
  by: string
}

/** Throws `case-not-found`, `case-closed`. */
export async function planCase(deps: Deps, id: string, { assignedTo, dueOn, by }: Plan): Promise<CaseFile> {
  const file = await changeOpen(deps, id, async tx => {
    const due_on = requireDay('dueOn', dueOn)
    await tx.updateTable('cases').set({ assignee: assignedTo, due_on }).where('id', '=', id).execute()
    await addStep(tx, deps.sealer, id, { kind: 'planned', details: { assignedTo, dueOn }, by })
  })
  deps.wake.emit('conditions')
  return file
}

/** Throws `case-not-found`, `case-closed`, `case-not-decided` while a hit waits. */
export async function closeCase(
  deps: Deps,
  id: string,
  { outcome, reason, by }: { outcome: Outcome; reason: string; by: string },
): Promise<CaseFile> {
  const file = await changeOpen(deps, id, async tx => {
    if ((await hitsOfCase(tx, deps.sealer, id)).some(({ status }) => status === 'waiting'))
      throw new Problem('case-not-decided', 'A hit of this case waits. Decide about it first.')
    await tx
      .updateTable('cases')
      .set({ state: 'closed', outcome, closed_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .execute()
    await addStep(tx, deps.sealer, id, { kind: 'closed', text: reason, details: { outcome }, by })
  })
  deps.wake.emit('conditions')
  return file
}

async function changeOpen(deps: Deps, id: string, act: (tx: Db<Tables>) => Promise<void>): Promise<CaseFile> {
  return deps.database.db.transaction().execute(async tx => {
    await findRow(tx, id)
    const { state } = await tx
      .selectFrom('cases')
      .select('state')
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirstOrThrow()
    if (state === 'closed') throw new Problem('case-closed', 'The case is closed. Open a new one.')
    await act(tx)
    return caseFile(deps, tx, id)
  })
}

/** How many cases are open after their day. */
export const casesOverdue = scalar(
  sql<number>`select count(*) from cases where state = 'open' and due_on < current_date`,
  Number,
)

/** As {@link hasOpenCase}, in a query of another table: about a transaction, or one of its customers. */
export const isLookedInto = (transaction: RawBuilder<string>, customers: RawBuilder<string>) =>
  sql<boolean>`exists (select from cases where state = 'open' and (
    (subject_kind = 'transaction' and subject_id = ${transaction})
    or (subject_kind = 'customer' and subject_id in (${customers}))))`

/** As {@link hasOpenCase}, of one subject, in a query of another table. */
export const isOfSubject = (kind: RawBuilder<string>, id: RawBuilder<string>) =>
  sql<boolean>`exists (select from cases where state = 'open' and subject_kind = ${kind} and subject_id = ${id})`

/** Removes what was written in cases that were closed before. Who did what, and how it ended, stays. @returns how many steps. */
export async function removeCaseTexts(
  tx: Db<Tables>,
  { before, now, limit }: { before: Date; now: Date; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    update case_steps set sealed = null, removed_at = ${now} where id in (
      select s.id from case_steps s join cases c on c.id = s.case_id
      where s.sealed is not null and c.closed_at < ${before} and s.at < ${before}
        and not exists (select from cases o where o.state = 'open' and o.subject_kind = c.subject_kind
          and o.subject_id = c.subject_id)
      order by s.at limit ${limit})`.execute(tx)
  return Number(numAffectedRows)
}

/** Whether someone looks into what a customer did, so that nothing of theirs is removed. */
export async function hasOpenCase(
  db: Db<Tables>,
  subjects: readonly { kind: string; id: string }[],
): Promise<boolean> {
  if (subjects.length === 0) return false
  return exists(
    db
      .selectFrom('cases')
      .select('id')
      .where('state', '=', 'open')
      .where(
        sql<boolean>`(subject_kind, subject_id) in (select * from unnest(
        ${subjects.map(({ kind }) => kind)}::text[], ${subjects.map(({ id }) => id)}::text[]))`,
      ),
  )
}
