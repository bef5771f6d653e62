import { isUuid } from '@windlass/service/postgres/uuid.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { isLookedInto } from '../compliance/cases.ts'
import { walletSubjectId } from '../compliance/screened-names.ts'
import type { KeptCustomerTable, Tables } from '../../tables.ts'
import type { IsHeld } from '../retention/rules.ts'
import { type Owner, ownersOf } from '../owners/owners.ts'
import { filesToKeep, type KeptFile, onePiece, type OpenedFile, piecesOf } from './files.ts'
import type { Customer } from './seal-details.ts'
import type { Deps } from '../../deps.ts'

type Row = Selectable<KeptCustomerTable>

const contextOf = (id: string) => `kept-customer:${id}`

export const sealedKeptCustomers = sealedColumn({
  ...{ table: 'kept_customers', column: 'sealed', key: ['id'] },
  contextOf: ({ id }) => contextOf(id),
})

/** What is kept of a customer who was deleted. */
interface KeptPerson {
  fields: Readonly<Record<string, string>>
  verifiedName: string | null
  files: KeptFile[]
  /** Absent where an earlier release kept them. */
  owners?: Owner[]
}

/** Everything that a customer gave, to be kept. */
export async function personOf(
  deps: Pick<Deps, 'database' | 'sealer'>,
  { id, fields }: Customer,
  verifiedName: string | null,
): Promise<KeptPerson> {
  const { database, sealer } = deps
  return {
    ...{ fields, verifiedName, files: await filesToKeep(deps, id) },
    owners: await ownersOf(database.db, sealer, id),
  }
}

/** Sets a customer apart who is deleted: daily work finds them no more. */
export async function keepCustomer(
  tx: Db<Tables>,
  sealer: Sealer,
  { id, account, memo }: Customer,
  kept: { person: KeptPerson; transactions: readonly string[]; at: Date },
): Promise<void> {
  await tx
    .insertInto('kept_customers')
    .values({
      ...{ id, account, memo, deleted_at: kept.at, transactions: [...kept.transactions] },
      sealed: sealer.seal(JSON.stringify(kept.person), contextOf(id)),
    })
    .execute()
}

export async function findKept(
  store: Pick<Deps, 'database' | 'sealer'>,
  id: string,
): Promise<
  | (Omit<KeptPerson, 'files'> & { files: OpenedFile[] } & Pick<
        Row,
        'id' | 'account' | 'memo' | 'transactions' | 'deleted_at'
      >)
  | null
> {
  if (!isUuid(id)) return null
  const { db } = store.database
  const row = await db.selectFrom('kept_customers').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) return null
  const person = JSON.parse(store.sealer.open(row.sealed, contextOf(id))) as KeptPerson
  const files = person.files.map(file => ({
    ...{ name: file.name, mediaType: file.mediaType },
    pieces: 'id' in file ? piecesOf(store, file.id) : onePiece(Buffer.from(file.base64, 'base64')),
  }))
  return { ...row, ...person, files }
}

/** Which deleted customers had any of these transactions. */
export async function keptWithTransactions(
  db: Db<Tables>,
  transactions: readonly string[],
): Promise<string[]> {
  if (transactions.length === 0) return []
  const rows = await db
    .selectFrom('kept_customers')
    .select('id')
    .where(sql<boolean>`transactions && ${[...transactions]}::uuid[]`)
    .execute()
  return rows.map(({ id }) => id)
}

export async function countKept(db: Db<Tables>): Promise<number> {
  const query = db.selectFrom('kept_customers').select(({ fn }) => fn.countAll<string>().as('count'))
  return Number((await query.executeTakeFirstOrThrow()).count)
}

interface OfTransfer {
  id: RawBuilder<string>
  account: RawBuilder<string>
  memo: RawBuilder<string | null>
}

/** Whom a case may name that is about the customer of a transaction, whether they are still one or are kept. */
export const namesInCases = ({ id, account, memo }: OfTransfer) => sql<string>`
  select ${walletSubjectId(account, memo)}
  union all select id::text from customers
    where customers.account = ${account} and customers.memo is not distinct from ${memo}
  union all select id::text from kept_customers where ${id} = any (kept_customers.transactions)
    or (kept_customers.account = ${account} and kept_customers.memo is not distinct from ${memo})`

/** Removes those who were deleted before, except while someone looks into what they did. @returns how many. */
export async function removeKept(
  tx: Db<Tables>,
  { before, limit, isHeld }: { before: Date; limit: number; isHeld: IsHeld },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from kept_customers where id in (
      select id from kept_customers k where deleted_at < ${before} and not ${lookedInto}
        and not exists (select from unnest(k.transactions) as transfer where ${isHeld(sql`transfer`)})
      order by deleted_at limit ${limit})`.execute(tx)
  return Number(numAffectedRows)
}

/** What a case about a customer who was deleted may be about. */
const lookedInto = isLookedInto(
  sql`any (k.transactions::text[])`,
  sql`values (k.id::text), (${walletSubjectId(sql<string>`k.account`, sql<string | null>`k.memo`)})`,
)
