import {
  type RegisterEntry,
  registerCategories,
  type RegisterName,
} from '@windlass/contracts/anchor/registers.ts'
import { formatAmount, parseAmount, parsePositiveAmount } from '@windlass/money/amount.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { readField } from '@windlass/service/http/fields.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { isUuid } from '@windlass/service/postgres/uuid.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { type RawBuilder, sql, type Selectable } from 'kysely'
import { randomUUID } from 'node:crypto'
import { isOfSubject } from '../compliance/cases.ts'
import type { Deps } from '../../deps.ts'
import { after } from '../../paging.ts'
import type { RegisterEntryTable, RegisterStepTable, Tables } from '../../tables.ts'

type Row = Selectable<RegisterEntryTable>
type StepRow = Selectable<RegisterStepTable>
type Step = RegisterEntry['steps'][number]
type Reach = Pick<Step, 'customers' | 'amount' | 'currency' | 'cause'>

const titleContext = ({ id }: { id: string }) => `register-entry:${id}`
const stepContext = ({ id }: { id: string }) => `register-step:${id}`

export const sealedRegisterTitles = sealedColumn({
  ...{ table: 'register_entries', column: 'sealed_title', key: ['id'] },
  contextOf: row => titleContext(row as Row),
})
export const sealedRegisterSteps = sealedColumn({
  ...{ table: 'register_steps', column: 'sealed', key: ['id'] },
  contextOf: row => stepContext(row as StepRow),
})

function stepForm(sealer: Sealer, row: StepRow): Step {
  const { text, cause } = (
    row.sealed ? JSON.parse(sealer.open(row.sealed, stepContext(row))) : { text: '', cause: null }
  ) as Pick<Step, 'text' | 'cause'>
  const { customers, currency, closes, by, at } = row
  const amount = row.amount === null ? null : formatAmount(parseAmount(row.amount))
  return { text, cause, customers, amount, currency, closes, by, at: at.toISOString() }
}

function entryForm(sealer: Sealer, row: Row, steps: readonly StepRow[]): RegisterEntry {
  const forms = steps.map(each => stepForm(sealer, each))
  const newest = <V>(valueOf: (step: Step) => V | null): V | null =>
    forms.map(valueOf).findLast(value => value !== null) ?? null
  const { id, number, register, category, subject_kind: kind, subject_id } = row
  return {
    ...{
      id,
      number,
      register,
      category,
      title: row.sealed_title ? sealer.open(row.sealed_title, titleContext(row)) : '',
    },
    happenedAt: row.happened_at.toISOString(),
    subject: kind && subject_id ? { kind, id: subject_id } : null,
    status: row.closed_at ? 'closed' : 'open',
    closedAt: row.closed_at?.toISOString() ?? null,
    ...{
      customers: newest(each => each.customers),
      amount: newest(each => each.amount),
      currency: newest(each => each.currency),
    },
    cause: newest(each => each.cause),
    steps: forms,
    createdAt: row.created_at.toISOString(),
    removedAt: row.removed_at?.toISOString() ?? null,
  }
}

async function formsOf(db: Db<Tables>, sealer: Sealer, rows: readonly Row[]): Promise<RegisterEntry[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const query = db.selectFrom('register_steps').selectAll().where('entry_id', 'in', ids)
  const steps = await query.orderBy('position').execute()
  return rows.map(row =>
    entryForm(
      sealer,
      row,
      steps.filter(({ entry_id }) => entry_id === row.id),
    ),
  )
}

/** Newest first. */
export async function listEntries(
  { database: { db }, sealer }: Pick<Deps, 'database' | 'sealer'>,
  register: RegisterName,
  filter: PageQuery & { status?: RegisterEntry['status'] },
): Promise<RegisterEntry[]> {
  const start = pageStart(filter)
  let query = db.selectFrom('register_entries').selectAll().where('register', '=', register)
  if (filter.status) query = query.where('closed_at', filter.status === 'open' ? 'is' : 'is not', null)
  if (start) query = query.where(after(start))
  const page = query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(filter))
  return formsOf(db, sealer, await page.execute())
}

type NewStep = Pick<Step, 'text' | 'closes' | 'by'> & Reach
type NewEntry = Omit<NewStep, 'closes'> &
  Pick<RegisterEntry, 'category' | 'title' | 'happenedAt'> & {
    subject?: NonNullable<RegisterEntry['subject']>
  }

/** Throws `validation-failed`. */
export async function addEntry(deps: Deps, register: RegisterName, entry: NewEntry): Promise<RegisterEntry> {
  const known: readonly string[] = registerCategories[register]
  if (!known.includes(entry.category)) throw invalid('category', `is one of ${known.join(', ')}`)
  const happened = new Date(entry.happenedAt)
  if (happened > deps.clock.now()) throw invalid('happenedAt', 'must not be in the future')
  return deps.database.db.transaction().execute(async tx => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`register ${register}`}, 0))`.execute(tx)
    const { last } = await tx
      .selectFrom('register_entries')
      .select(({ fn }) => fn.coalesce(fn.max('number'), sql<number>`0`).as('last'))
      .where('register', '=', register)
      .executeTakeFirstOrThrow()
    const id = randomUUID()
    await tx
      .insertInto('register_entries')
      .values({
        ...{ id, register, number: Number(last) + 1, category: entry.category, happened_at: happened },
        ...{ subject_kind: entry.subject?.kind ?? null, subject_id: entry.subject?.id ?? null },
        sealed_title: deps.sealer.seal(entry.title, titleContext({ id })),
      })
      .execute()
    await addStep(deps, tx, id, 0, { ...entry, closes: false })
    return getEntry(deps, tx, id)
  })
}

/** Throws `register-entry-not-found`, `register-entry-closed`, `validation-failed`. */
export async function continueEntry(
  deps: Deps,
  register: RegisterName,
  id: string,
  step: NewStep,
): Promise<RegisterEntry> {
  return deps.database.db.transaction().execute(async tx => {
    const row = isUuid(id)
      ? await tx
          .selectFrom('register_entries')
          .selectAll()
          .where('id', '=', id)
          .forUpdate()
          .executeTakeFirst()
      : undefined
    if (row?.register !== register)
      throw new Problem('register-entry-not-found', 'The register has no entry with this id.')
    if (row.closed_at) throw new Problem('register-entry-closed', 'The entry is closed. Enter a new one.')
    const { steps } = await getEntry(deps, tx, id)
    await addStep(deps, tx, id, steps.length, step)
    if (step.closes)
      await tx
        .updateTable('register_entries')
        .set({ closed_at: deps.clock.now() })
        .where('id', '=', id)
        .execute()
    return getEntry(deps, tx, id)
  })
}

async function getEntry({ sealer }: Deps, tx: Db<Tables>, id: string): Promise<RegisterEntry> {
  const row = await tx
    .selectFrom('register_entries')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const [form] = await formsOf(tx, sealer, [row])
  if (!form) throw new Error(`the entry ${id} is missing`)
  return form
}

/** Whether a complaint about a transaction or its customers is open, or an incident, in a query of another table. */
export const isComplainedOf = (transaction: RawBuilder<string>, customers: RawBuilder<string>) =>
  sql<boolean>`exists (select from register_entries e where e.closed_at is null and (
    (e.subject_kind = 'transaction' and e.subject_id = ${transaction})
    or (e.subject_kind = 'customer' and e.subject_id in (${customers}))))`

/** Removes what was written in entries that were closed before. Their numbers, categories and amounts stay. @returns how many. */
export async function removeEntryTexts(
  tx: Db<Tables>,
  { before, now, limit }: { before: Date; now: Date; limit: number },
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    update register_entries set sealed_title = null, removed_at = ${now} where id in (
      select e.id from register_entries e
      where e.removed_at is null and e.closed_at < ${before} and not ${isOfSubject(sql`e.subject_kind`, sql`e.subject_id`)}
      order by e.closed_at limit ${limit}) returning id`.execute(tx)
  const ids = rows.map(({ id }) => id)
  await sql`update register_steps set sealed = null where entry_id = any(${ids}::uuid[])`.execute(tx)
  return rows.length
}

const MAX_STEPS = 200

async function addStep(
  { sealer, clock }: Deps,
  tx: Db<Tables>,
  entryId: string,
  position: number,
  { text, cause, customers, amount, currency, closes, by }: NewStep,
): Promise<void> {
  if (position >= MAX_STEPS) throw invalid('text', `is one step too many: an entry has at most ${MAX_STEPS}`)
  if ((amount === null) !== (currency === null))
    throw invalid('currency', 'is given with an amount, and only with one')
  const id = randomUUID()
  await tx
    .insertInto('register_steps')
    .values({
      ...{
        id,
        entry_id: entryId,
        position,
        customers,
        amount: amount && formatAmount(readField('amount', amount, parsePositiveAmount)),
        currency,
        closes,
        by,
      },
      ...{ at: clock.now(), sealed: sealer.seal(JSON.stringify({ text, cause }), stepContext({ id })) },
    })
    .execute()
}
