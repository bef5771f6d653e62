import type { CsvColumns } from '@windlass/contracts/anchor/bank-files.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { pageSize, pageStart, type PageQuery } from '@windlass/service/http/pages.ts'
import { sql } from 'kysely'
import { after } from '../paging.ts'
import type { BankStatementRow, Tables } from '../tables.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Deps } from '../deps.ts'
import { removedText } from '../people/retention/rules.ts'

/* Statements as people see them, the files in which they came, and how those in CSV are read. */

/** Whether a statement's file is kept, and when retention removed it. */
export interface Kept {
  has_file: boolean
  file_removed_at: Date | null
}

/** Each with whether its file was kept. */
export function listStatements(db: Db<Tables>, page: PageQuery): Promise<(BankStatementRow & Kept)[]> {
  const start = pageStart(page)
  let query = db
    .selectFrom('bank_statements')
    .leftJoin('bank_statement_files', 'statement_id', 'bank_statements.id')
    .selectAll('bank_statements')
    .select('bank_statement_files.removed_at as file_removed_at')
    .select(({ eb }) => eb('bank_statement_files.sealed', 'is not', null).$castTo<boolean>().as('has_file'))
  if (start) query = query.where(after(start))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(pageSize(page)).execute()
}

/** Lists the newest statement of each account: the one that reaches furthest, of those the one read last. */
export async function lastStatements(db: Db<Tables>): Promise<Map<string, BankStatementRow>> {
  const rows = await db
    .selectFrom('bank_statements')
    .selectAll()
    .distinctOn('account')
    .orderBy('account')
    .orderBy(sql`booked_to desc nulls last`)
    .orderBy('created_at', 'desc')
    .execute()
  return new Map(rows.map(row => [row.account, row]))
}

/** The last day that a statement of the account reaches; null: none. */
export async function lastBooked(db: Db<Tables>, account: string): Promise<string | null> {
  const row = await db
    .selectFrom('bank_statements')
    .select(({ fn }) => fn.max('booked_to').as('day'))
    .where('account', '=', account)
    .executeTakeFirst()
  return row?.day ?? null
}

const LISTED_VERSIONS = 20

export async function currentColumns(db: Db<Tables>, rail: string): Promise<CsvColumns | null> {
  return (await listColumns(db, rail, 1))[0]?.columns ?? null
}

export function listColumns(db: Db<Tables>, rail: string, limit = LISTED_VERSIONS) {
  return db
    .selectFrom('csv_columns')
    .selectAll()
    .where('rail', '=', rail)
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()
}

export async function addColumns(
  db: Db<Tables>,
  rail: string,
  columns: CsvColumns,
  by: string,
): Promise<void> {
  await db
    .insertInto('csv_columns')
    .values({ rail, columns: JSON.stringify(columns), by })
    .execute()
}

/** The last day that the statements of each account have, by account. */
export async function readUntil(db: Db<Tables>): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ account: string; day: string }>`
    select account, max(greatest(s.booked_to, p.closing_day)) as day
    from bank_statements s left join bank_statement_parts p on p.statement_id = s.id
    where s.booked_to is not null or p.closing_day is not null group by account`.execute(db)
  return new Map(rows.map(({ account, day }) => [account, day]))
}

/* Files of banks as they came. They are kept as long as what their lines say of people. */

const contextOf = (id: string) => `bank-statement:${id}`

export const sealedStatementFiles = sealedColumn({
  ...{ table: 'bank_statement_files', column: 'sealed', key: ['statement_id'] },
  contextOf: ({ statement_id }) => contextOf(statement_id),
})

/** A file's bytes as a text to be sealed, made before a transaction begins: it takes a while. */
export const packed = async (bytes: Buffer): Promise<string> =>
  (await promisify(gzip)(bytes)).toString('base64')

export async function keepFile(
  { sealer }: Pick<Deps, 'sealer'>,
  tx: Db<Tables>,
  id: string,
  original: string,
): Promise<void> {
  await tx
    .insertInto('bank_statement_files')
    .values({ statement_id: id, sealed: sealer.seal(original, contextOf(id)) })
    // An older release read it, and it is read again.
    .onConflict(conflict => conflict.column('statement_id').doNothing())
    .execute()
}

/** The bytes as they came. Throws `not-found`. */
export async function openStatementFile(
  { database, sealer }: Pick<Deps, 'database' | 'sealer'>,
  id: string,
): Promise<{ name: string; bytes: Buffer }> {
  const row = await database.db
    .selectFrom('bank_statement_files')
    .innerJoin('bank_statements', 'bank_statements.id', 'bank_statement_files.statement_id')
    .select(['statement_id', 'sealed', 'removed_at', 'file_name'])
    .where(sql`statement_id::text`, '=', id)
    .executeTakeFirst()
  if (!row)
    throw new Problem('not-found', 'The file of this statement was not kept, or there is no such statement.')
  if (!row.sealed) throw new Problem('not-found', `${removedText(row.removed_at)}.`)
  const text = sealer.open(row.sealed, contextOf(row.statement_id))
  return { name: row.file_name, bytes: await promisify(gunzip)(Buffer.from(text, 'base64')) }
}

/** Statements of one account are recorded one after the other. */
export async function lockAccount(tx: Db<Tables>, account: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`bank account ${account}`}, 0))`.execute(tx)
}
