import { exists } from '@windlass/service/postgres/exists.ts'
import { claimDue, RETRIES_WITHIN_SECONDS } from '@windlass/service/work/claim-due.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql, type Insertable } from 'kysely'
import { after } from '../paging.ts'
import type { BankLine, BankLineTable, Tables } from '../tables.ts'

/* Lines of bank statements: what they say of people is encrypted, and each has an outcome in the end. */

type Decided =
  | 'decided_by'
  | 'decided_at'
  | 'state'
  | 'why'
  | 'review_code'
  | 'transfer_id'
  | 'order_id'
  | 'ignored_as'
  | 'own_account'
  | 'duplicate_of'

export type NewLine = Omit<Insertable<BankLineTable>, Decided | 'next_try_at' | 'created_at' | 'removed_at'>

/** What a line says of people. */
interface LineDetails {
  text: string
  name: string | null
  account: string | null
  bank: string | null
  /** Why the bank sends a payment back, where it says so. */
  returnReason: string | null
}

const contextOf = (id: string) => `bank-line:${id}`

export const sealedLines = sealedColumn({
  ...{ table: 'bank_lines', column: 'sealed', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
})

export const sealLine = (sealer: Sealer, id: string, details: LineDetails): Buffer =>
  sealer.seal(JSON.stringify(details), contextOf(id))

const REMOVED: LineDetails = { text: '', name: null, account: null, bank: null, returnReason: null }

/** Empty where retention removed it. Throws where the key does not fit. */
export const openLine = (sealer: Sealer, { id, sealed }: Pick<BankLine, 'id' | 'sealed'>): LineDetails =>
  sealed ? (JSON.parse(sealer.open(sealed, contextOf(id))) as LineDetails) : REMOVED

/** What a line has about which nothing is decided. */
export const UNDECIDED = {
  transfer_id: null,
  order_id: null,
  decided_by: null,
  decided_at: null,
  ignored_as: null,
  own_account: null,
  duplicate_of: null,
} as const

export function listLines(
  db: Db<Tables>,
  {
    status,
    statementId,
    decided,
    ...page
  }: PageQuery & { status?: BankLine['state']; statementId?: string; decided?: 'person' },
): Promise<BankLine[]> {
  const start = pageStart(page)
  let query = db.selectFrom('bank_lines').selectAll()
  if (status) query = query.where('state', '=', status)
  if (statementId) query = query.where(sql`statement_id::text`, '=', statementId)
  if (decided) query = query.where('decided_by', 'is not', null)
  if (start) query = query.where(after(start))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(page)).execute()
}

/** Throws `statement-line-not-found`. */
export async function findLine(db: Db<Tables>, id: string): Promise<BankLine> {
  const line = await db.selectFrom('bank_lines').selectAll().where('id', '=', id).executeTakeFirst()
  if (!line) throw new Problem('statement-line-not-found', 'There is no statement line with this id.')
  return line
}

export async function lockLine(tx: Db<Tables>, id: string): Promise<BankLine> {
  return tx.selectFrom('bank_lines').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow()
}

export async function accountsWithNewLines(db: Db<Tables>): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('bank_lines')
    .select('account')
    .distinct()
    .where('state', '=', 'new')
    .execute()
  return new Set(rows.map(({ account }) => account))
}

export const newLinesDueAt = sql<Date | null>`select min(next_try_at) from bank_lines where state = 'new'`

/** Lines that were not looked at yet. */
export async function claimNewLines(db: Db<Tables>, limit: number): Promise<Pick<BankLine, 'id'>[]> {
  return claimDue<BankLine, Tables>(db, {
    table: 'bank_lines',
    dueAt: 'next_try_at',
    leaseSeconds: 60,
    longestSeconds: RETRIES_WITHIN_SECONDS,
    limit,
    where: sql`state = 'new'`,
  })
}

type Outcome = Partial<
  Pick<
    BankLine,
    | 'review_code'
    | 'transfer_id'
    | 'order_id'
    | 'decided_by'
    | 'decided_at'
    | 'ignored_as'
    | 'own_account'
    | 'duplicate_of'
  >
> & {
  state: 'matched' | 'review' | 'returned' | 'ignored'
  why: string
}

export function setOutcome(tx: Db<Tables>, id: string, outcome: Outcome): Promise<BankLine> {
  return tx
    .updateTable('bank_lines')
    .set({ review_code: null, ...outcome })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** A line in the other direction with the same code and amount that was not looked at yet: the bank took it back. */
export async function findReversal(tx: Db<Tables>, line: BankLine, code: string): Promise<BankLine | null> {
  const row = await tx
    .selectFrom('bank_lines')
    .selectAll()
    .where('account', '=', line.account)
    .where('direction', '<>', line.direction)
    .where('amount', '=', line.amount)
    .where('state', '=', 'new')
    .where(sql<boolean>`codes @> array[${code}]::text[]`)
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

/** Whether the only line of a payout is the one that brought its money back: the file with the other one comes later. */
export async function wasTakenBack(tx: Db<Tables>, orderId: string): Promise<boolean> {
  const lines = await tx
    .selectFrom('bank_lines')
    .select('direction')
    .where('order_id', '=', orderId)
    .where('state', '=', 'matched')
    .execute()
  return lines.length === 1 && lines[0]?.direction === 'in'
}

/** Whether a line that left the account confirmed the payout. */
export async function wasConfirmed(db: Db<Tables>, orderId: string): Promise<boolean> {
  return exists(
    db
      .selectFrom('bank_lines')
      .select('id')
      .where('order_id', '=', orderId)
      .where('direction', '=', 'out')
      .where('state', '=', 'matched'),
  )
}

/** What left the account for a payout, by its line; null: no line of it alone confirmed it. */
export async function leftFor(db: Db<Tables>, orderId: string): Promise<string | null> {
  const row = await db
    .selectFrom('bank_lines')
    .select('amount')
    .where('order_id', '=', orderId)
    .where('direction', '=', 'out')
    .where('state', '=', 'matched')
    .executeTakeFirst()
  return row?.amount ?? null
}

export const reviewsWaiting = scalar(
  sql<number>`select count(*) from bank_lines where state = 'review'`,
  Number,
)

/** How many lines are not looked at although they came an hour ago. */
export const unmatchedLines = scalar(
  sql<number>`select count(*) from bank_lines where state = 'new' and created_at < now() - interval '1 hour'`,
  Number,
)

/** A booking's reference without the place of a transaction in it, which differs between formats and files. */
const BOOKING_REFERENCE = sql<string>`regexp_replace(bank_reference, '/[0-9]+$', '')`

/** Other lines of a line's account and direction that have its amount or its booking's reference, the nearest day first. */
export function likeLines(db: Db<Tables>, line: BankLine, limit: number): Promise<BankLine[]> {
  return db
    .selectFrom('bank_lines')
    .selectAll()
    .where('account', '=', line.account)
    .where('direction', '=', line.direction)
    .where('currency', '=', line.currency)
    .where('id', '<>', line.id)
    .where('state', '<>', 'new')
    .where(sql<boolean>`ignored_as is distinct from 'duplicate'`)
    .where(({ eb, or }) =>
      or([
        eb('amount', '=', line.amount),
        eb(BOOKING_REFERENCE, '=', line.bank_reference?.replace(/\/[0-9]+$/, '') ?? null),
        eb('id', '=', line.possible_duplicate_of),
        eb('possible_duplicate_of', '=', line.id),
      ]),
    )
    .orderBy(sql`abs(booked_on::date - ${line.booked_on}::date)`)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** What the lines of each account come to, without those that are not looked at yet or counted twice. */
export async function bookedByAccount(
  db: Db<Tables>,
): Promise<{ account: string; currency: string; booked: string }[]> {
  return db
    .selectFrom('bank_lines')
    .select(['account', 'currency'])
    .select(sql<string>`sum(case direction when 'in' then amount else -amount end)::text`.as('booked'))
    .where('state', '<>', 'new')
    .where(sql<boolean>`ignored_as is distinct from 'duplicate'`)
    .groupBy(['account', 'currency'])
    .execute()
}

/** Whether a line that left the account until that day waits to be matched or decided. */
export async function hasUnexplainedDebit(db: Db<Tables>, account: string, until: string): Promise<boolean> {
  return exists(
    db
      .selectFrom('bank_lines')
      .select('id')
      .where('account', '=', account)
      .where('direction', '=', 'out')
      .where('booked_on', '<=', until)
      .where('state', 'in', ['new', 'review']),
  )
}

/** Those of our codes that stand in lines that left the account, whatever became of the lines. */
export async function namedByDebits(
  db: Db<Tables>,
  account: string,
  codes: readonly string[],
): Promise<ReadonlySet<string>> {
  if (codes.length === 0) return new Set()
  const lines = await db
    .selectFrom('bank_lines')
    .select('codes')
    .where('account', '=', account)
    .where('direction', '=', 'out')
    .where(sql<boolean>`codes && ${codes}::text[]`)
    .execute()
  return new Set(lines.flatMap(line => line.codes))
}

/** Those of these codes under which more left the account than came back. */
export async function bookedOnBalance(
  db: Db<Tables>,
  account: string,
  codes: readonly string[],
): Promise<ReadonlySet<string>> {
  if (codes.length === 0) return new Set()
  const { rows } = await sql<{ code: string }>`
    select code from bank_lines, unnest(codes) as code
    where account = ${account} and codes && ${codes}::text[] and code = any(${codes}::text[])
      and ignored_as is distinct from 'duplicate'
    group by code having sum(case direction when 'out' then amount else -amount end) > 0`.execute(db)
  return new Set(rows.map(({ code }) => code))
}

export type LineOfFile = BankLine & { file_name: string }

/** The lines with these ids, with the names of their files. */
export async function linesOfFiles(db: Db<Tables>, ids: readonly string[]): Promise<LineOfFile[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('bank_lines')
    .innerJoin('bank_statements', 'bank_statements.id', 'bank_lines.statement_id')
    .selectAll('bank_lines')
    .select('bank_statements.file_name')
    .where('bank_lines.id', 'in', ids)
    .execute()
}

/** As {@link linesOfFiles}, with the hashes of the files. */
export async function linesWithFiles(
  db: Db<Tables>,
  ids: readonly string[],
): Promise<(LineOfFile & { digest: Buffer })[]> {
  return db
    .selectFrom('bank_lines')
    .innerJoin('bank_statements', 'bank_statements.id', 'bank_lines.statement_id')
    .selectAll('bank_lines')
    .select(['bank_statements.file_name', 'bank_statements.digest'])
    .where('bank_lines.id', 'in', ids)
    .execute()
}

/** The lines that were matched to a transaction or to one of its orders, with their files. */
export function linesOfTransfer(
  db: Db<Tables>,
  transferId: string,
  orders: readonly string[],
): Promise<(LineOfFile & { digest: Buffer; read_by: string })[]> {
  return db
    .selectFrom('bank_lines')
    .innerJoin('bank_statements', 'bank_statements.id', 'bank_lines.statement_id')
    .selectAll('bank_lines')
    .select(['bank_statements.file_name', 'bank_statements.digest', 'bank_statements.by as read_by'])
    .where(({ eb, or }) =>
      or([
        eb('bank_lines.transfer_id', '=', transferId),
        ...(orders.length > 0 ? [eb('bank_lines.order_id', 'in', orders)] : []),
      ]),
    )
    .orderBy('bank_lines.created_at')
    .limit(100)
    .execute()
}

/** Lines that people called the business's own within the last 90 days, the newest first. */
export function ownLines(db: Db<Tables>, limit: number): Promise<BankLine[]> {
  return db
    .selectFrom('bank_lines')
    .selectAll()
    .where('ignored_as', '=', 'own')
    .where('decided_at', '>', sql<Date>`now() - interval '90 days'`)
    .orderBy('decided_at', 'desc')
    .limit(limit)
    .execute()
}

/** Lines that were matched to a transaction within the last 90 days, by a person or by themselves, the newest first. */
export function matchedLines(db: Db<Tables>, by: 'person' | 'itself', limit: number): Promise<BankLine[]> {
  return db
    .selectFrom('bank_lines')
    .selectAll()
    .where('state', '=', 'matched')
    .where(({ or, eb }) => or([eb('transfer_id', 'is not', null), eb('order_id', 'is not', null)]))
    .where('decided_by', by === 'person' ? 'is not' : 'is', null)
    .where('created_at', '>', sql<Date>`now() - interval '90 days'`)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
}

/** The transactions of other lines that came from a line's account. */
export async function paidFromAccountOf(db: Db<Tables>, line: BankLine): Promise<string[]> {
  if (line.payer_digest === null) return []
  const rows = await db
    .selectFrom('bank_lines')
    .select('transfer_id')
    .where('payer_digest', '=', line.payer_digest)
    .where('id', '<>', line.id)
    .where('state', '=', 'matched')
    .where('transfer_id', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(20)
    .execute()
  return rows.flatMap(({ transfer_id: id }) => id ?? [])
}

/** The lines with these ids, of those that exist. */
export async function linesOf(db: Db<Tables>, ids: readonly string[]): Promise<BankLine[]> {
  if (ids.length === 0) return []
  return db.selectFrom('bank_lines').selectAll().where('id', 'in', ids).execute()
}

/** Lines booked until a day that nobody decided about; money that left is negative. */
export async function undecidedUntil(
  db: Db<Tables>,
  to: string,
): Promise<{ id: string; booked_on: string; currency: string; amount: string }[]> {
  const { rows } = await sql<{ id: string; booked_on: string; currency: string; amount: string }>`
    select id, booked_on, currency, (case direction when 'in' then amount else -amount end)::text as amount
    from bank_lines where state in ('new', 'review') and booked_on <= ${to} order by booked_on, id`.execute(
    db,
  )
  return rows
}
