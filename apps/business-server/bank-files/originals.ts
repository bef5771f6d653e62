import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import { sql } from 'kysely'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Deps } from '../deps.ts'
import { removedText } from '../people/retention/rules.ts'
import type { Tables } from '../tables.ts'

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
