import type { ManualEntry, NewManualEntry } from '@windlass/contracts/anchor/manual-entries.ts'
import { journalChart } from '@windlass/contracts/anchor/journal.ts'
import { servedAssets } from '@windlass/contracts/internal/served-assets.ts'
import { AmountError, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { parseMoney } from '@windlass/money/number-text.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import { sql } from 'kysely'
import { createHash, randomUUID } from 'node:crypto'
import type { Static } from 'typebox'
import type { Deps } from '../../deps.ts'
import { after } from '../../paging.ts'
import { sorted } from '../../row-text.ts'
import { needsSecondPerson } from '../../second-person.ts'
import type { ManualEntryRow, Tables } from '../../tables.ts'
import { bindFact, type FactKind, forgetFact, requireAsked } from '../bound-facts/bound-facts.ts'
import { type Account, type Line, recordEntry, reverseEntry, unitOf } from './journal.ts'
import { journalDay } from './settings.ts'

/*
 * Entries that people write for what no rule covers: two people, with a text and a document (docs/adr/0138).
 */

const contextOf = (id: string) => `manual-entry:${id}`
const causeOf = (id: string) => `manual:${id}`

/** The entry that people wrote by what an entry of the journal is about; null: it is another one. */
export const manualIdOf = (cause: string): string | null => /^manual:([^ ]+)/.exec(cause)?.[1] ?? null

export const sealedManualDocuments = sealedColumn({
  ...{ table: 'manual_entries', column: 'sealed', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
})

/** The ledger, transactions and what customers owe say what is in these. */
const RECORDED_ELSEWHERE: ReadonlySet<string> = new Set(['treasury', 'cold', 'issued', 'customers', 'debts'])

/** Writes an entry down, which counts once a second person approves it. Throws `validation-failed`. */
export async function requestManualEntry(
  deps: Deps,
  { text, bookedOn, lines, document, by }: Static<typeof NewManualEntry> & { by: string },
): Promise<ManualEntry> {
  checkLines(deps, lines)
  await checkDay(deps, bookedOn)
  const id = randomUUID()
  const bytes = Buffer.from(document.data, 'base64')
  const row = await deps.database.db.transaction().execute(async tx => {
    const written = await tx
      .insertInto('manual_entries')
      .values({
        ...{ id, text, booked_on: bookedOn ?? null, lines: JSON.stringify(lines) },
        ...{ file_name: document.fileName, digest: createHash('sha256').update(bytes).digest() },
        ...{ sealed: deps.sealer.seal(document.data, contextOf(id)), requested_by: by },
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await bindFact(deps, tx, askedEntries, id)
    return written
  })
  deps.wake.emit('conditions')
  return form(row)
}

/** An entry that someone wrote, or wants taken back, while it waits for a second person. */
export const askedEntries: FactKind = {
  kind: 'manual-entry',
  rowOf: async (_, tx, id) => {
    const row = await tx.selectFrom('manual_entries').selectAll().where('id', '=', id).executeTakeFirst()
    if (!row) return null
    const { text, booked_on, lines, file_name, digest, state, requested_by, reversal } = row
    return [
      ...[text, booked_on, sorted(lines), file_name, digest.toString('hex'), state, requested_by],
      reversal && sorted(reversal),
    ]
  },
}

function checkLines({ rails, config }: Deps, lines: ManualEntry['lines']): void {
  const assets = new Set(servedAssets(config.anchor).map(({ key }) => unitOf(key)))
  const currencies = new Set([...rails.values()].map(({ currency }) => currency))
  const sums = new Map<string, bigint>()
  lines.forEach(({ account, unit, amount }, index) => {
    const fault = (field: string, why: string) => invalid(`lines.${index}.${field}`, why)
    const rail = account.startsWith('rail:') ? rails.get(account.slice('rail:'.length)) : undefined
    if (!rail && !Object.hasOwn(journalChart, account)) throw fault('account', 'is no account of the journal')
    if (rail?.bankAccount)
      throw fault('account', 'is a bank account: its statements say what is booked on it')
    if (RECORDED_ELSEWHERE.has(account))
      throw fault('account', 'has what the ledger and transactions say, and nothing else')
    if (!assets.has(unit) && !currencies.has(unit))
      throw fault('unit', 'is no asset or currency of the anchor')
    if (rail && unit !== rail.currency) throw fault('unit', `must be ${rail.currency}`)
    sums.set(unit, (sums.get(unit) ?? 0n) + amountIn(unit, amount, currencies, fault))
  })
  for (const [unit, sum] of sums) if (sum !== 0n) throw invalid('lines', `must come to zero in ${unit}`)
}

/** A currency has its decimals. */
function amountIn(
  unit: string,
  amount: string,
  currencies: ReadonlySet<string>,
  fault: (field: string, why: string) => Problem,
): bigint {
  try {
    if (currencies.has(unit)) parseMoney(amount.replace('-', ''), unit)
    const read = parseAmount(amount)
    if (read === 0n) throw new AmountError('must not be zero')
    return read
  } catch (error) {
    if (error instanceof AmountError) throw fault('amount', error.message)
    throw error
  }
}

async function checkDay({ database, clock }: Deps, day: string | undefined): Promise<void> {
  if (day === undefined) return
  const at = new Date(`${day}T00:00:00.000Z`)
  if (Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== day)
    throw invalid('bookedOn', 'must be a day such as 2026-11-30')
  if (day > (await journalDay(database.db, clock.now())))
    throw invalid('bookedOn', 'must not be in the future')
}

/** Asks to take an entry back. Throws `not-found`, `action-not-possible`. */
export async function reverseManualEntry(
  deps: Deps,
  id: string,
  { reason, by }: { reason: string; by: string },
): Promise<ManualEntry> {
  const row = await deps.database.db.transaction().execute(async tx => {
    const { state } = await lockEntry(tx, id)
    if (state !== 'done')
      throw new Problem(
        'action-not-possible',
        `Only an entry that counts can be taken back, and it is ${state}.`,
      )
    const reversal = JSON.stringify({ reason, requestedBy: by, decidedBy: null })
    const reversing = await change(tx, id, { state: 'reversing', reversal })
    await bindFact(deps, tx, askedEntries, id)
    return reversing
  })
  deps.wake.emit('conditions')
  return form(row)
}

/** Approves or rejects an entry, or that it is taken back. Throws `action-not-found`, `second-person-needed`. */
export async function decideManualEntry(
  deps: Deps,
  id: string,
  { approve, by }: { approve: boolean; by: string },
): Promise<ManualEntry> {
  const row = await deps.database.db.transaction().execute(async tx => {
    const row = await lockEntry(tx, id, 'action-not-found')
    const { state, reversal } = row
    if (state !== 'waiting' && state !== 'reversing')
      throw new Problem('action-not-found', 'Nothing about this entry waits for a second person.')
    const asked = state === 'reversing' ? reversal?.requestedBy : row.requested_by
    if (approve && asked === by) throw needsSecondPerson('You asked for this.')
    if (approve) await requireAsked(deps, tx, askedEntries, row.id)
    await forgetFact(tx, askedEntries, row.id)
    if (state === 'reversing') {
      if (approve) await reverseEntry(tx, causeOf(row.id))
      const decided = JSON.stringify({ ...reversal, decidedBy: by })
      return change(tx, row.id, { state: approve ? 'reversed' : 'done', reversal: decided })
    }
    if (approve) {
      checkLines(deps, row.lines)
      await recordEntry(tx, {
        ...{ cause: causeOf(row.id), kind: 'manual' },
        ...(row.booked_on !== null && { bookedOn: row.booked_on }),
        lines: row.lines.map(({ account, unit, amount }): Line => [
          account as Account,
          unit,
          parseAmount(amount),
        ]),
      })
    }
    const decided = { decided_by: by, decided_at: deps.clock.now() }
    return change(tx, row.id, { state: approve ? 'done' : 'rejected', ...decided })
  })
  deps.faults.at('manual-entry:decided')
  deps.wake.emit('conditions')
  return form(row)
}

async function lockEntry(
  tx: Db<Tables>,
  id: string,
  code: 'not-found' | 'action-not-found' = 'not-found',
): Promise<ManualEntryRow> {
  const query = tx
    .selectFrom('manual_entries')
    .selectAll()
    .where(sql`id::text`, '=', id)
  const row = await query.forUpdate().executeTakeFirst()
  if (!row) throw new Problem(code, 'There is no entry with this id that people wrote.')
  return row
}

type Change = {
  state: ManualEntryRow['state']
  reversal?: string
  decided_by?: string
  decided_at?: Date
}

const change = (tx: Db<Tables>, id: string, to: Change): Promise<ManualEntryRow> =>
  tx.updateTable('manual_entries').set(to).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/** The bytes of an entry's document. Throws `not-found`. */
export async function openManualDocument(
  { database, sealer }: Pick<Deps, 'database' | 'sealer'>,
  id: string,
): Promise<{ name: string; bytes: Buffer }> {
  const query = database.db.selectFrom('manual_entries').select(['id', 'sealed', 'file_name'])
  const row = await query.where(sql`id::text`, '=', id).executeTakeFirst()
  if (!row) throw new Problem('not-found', 'There is no entry with this id that people wrote.')
  return { name: row.file_name, bytes: Buffer.from(sealer.open(row.sealed, contextOf(row.id)), 'base64') }
}

/** Newest first. */
export async function listManualEntries(db: Db<Tables>, page: PageQuery): Promise<ManualEntryRow[]> {
  const start = pageStart(page)
  let query = db.selectFrom('manual_entries').selectAll()
  if (start) query = query.where(after(start))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(page)).execute()
}

/** How many of them, or of their reversals, wait for a second person. */
export const manualEntriesWaiting = scalar(
  sql<number>`select count(*) from manual_entries where state in ('waiting', 'reversing')`,
  Number,
)

export const form = (row: ManualEntryRow): ManualEntry => ({
  ...{ id: row.id, text: row.text, bookedOn: row.booked_on },
  lines: row.lines.map(line => ({ ...line, amount: formatAmount(parseAmount(line.amount)) })),
  document: { fileName: row.file_name, sha256: row.digest.toString('hex') },
  ...{ status: row.state, requestedBy: row.requested_by, requestedAt: row.created_at.toISOString() },
  ...{ decidedBy: row.decided_by, decidedAt: row.decided_at?.toISOString() ?? null },
  reversal: row.reversal,
})
