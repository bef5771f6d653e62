import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sql } from 'kysely'
import { after } from '../paging.ts'
import type { BankLine, Tables } from '../tables.ts'
import { openLine } from './lines.ts'
import type { Deps } from '../deps.ts'
import { partyDigest } from '../people/compliance/velocity.ts'

/* Lines of bank statements as people, programs and comparisons look for them. What becomes of one is in `lines.ts`. */

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

export async function accountsWithNewLines(db: Db<Tables>): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('bank_lines')
    .select('account')
    .distinct()
    .where('state', '=', 'new')
    .execute()
  return new Set(rows.map(({ account }) => account))
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

/** An account of two holders may have as many names. */
const MOST_LINES = 20

/** Who holds an account by the bank's statements, the newest first: of money that came from it, its own bank told the name. */
export async function seenHolders(
  { sealer }: Pick<Deps, 'sealer'>,
  tx: Db<Tables>,
  account: string,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('bank_lines')
    .select(['id', 'sealed'])
    .where('payer_digest', '=', await partyDigest({ sealer }, tx, account))
    .orderBy('created_at', 'desc')
    .limit(MOST_LINES)
    .execute()
  return rows.map(row => openLine(sealer, row).name).filter(holder => holder !== null)
}
