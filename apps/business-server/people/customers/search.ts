import type { Db } from '@windlass/service/postgres/database.ts'
import { sealedColumn } from '@windlass/service/seals/seal-again.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql } from 'kysely'
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'
import { nameOf, openCustomer, type Customer, type Details } from './seal-details.ts'

const KEY_CONTEXT = 'customer-search-key'

export const sealedSearchKey = sealedColumn({
  ...{ table: 'customer_search_key', column: 'sealed', key: ['only_one'] },
  contextOf: () => KEY_CONTEXT,
})

/** It outlives the keys that encrypt it: words stay the same when they rotate. */
async function searchKey(sealer: Sealer, tx: Db<Tables>): Promise<KeyObject> {
  const find = () => tx.selectFrom('customer_search_key').select('sealed').executeTakeFirst()
  let row = await find()
  if (!row) {
    await tx
      .insertInto('customer_search_key')
      .values({ sealed: sealer.seal(randomBytes(32).toString('base64'), KEY_CONTEXT) })
      .onConflict(conflict => conflict.doNothing())
      .execute()
    row = await find()
  }
  if (!row) throw new Error('the key of the search is missing')
  return createSecretKey(sealer.open(row.sealed, KEY_CONTEXT), 'base64')
}

const SHORTEST = 3
const LONGEST = 16
const MOST_WORDS = 12

const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** The words of a text, without accents and in lower case. */
const wordsIn = (text: string): string[] => (plain(text).match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MOST_WORDS)

/** What finds a customer: each word of their name and its beginnings of three letters and more, and the whole email. */
function keysOf({ fields }: Pick<Details, 'fields'>): string[] {
  const beginnings = wordsIn(nameOf({ fields }) ?? '').flatMap(word => [
    word,
    ...Array.from({ length: Math.max(0, Math.min(word.length, LONGEST) - SHORTEST) }, (_, index) =>
      word.slice(0, SHORTEST + index),
    ),
  ])
  const emails = [fields.email_address, fields['organization.email']].filter(each => each !== undefined)
  return [...new Set([...beginnings, ...emails.map(email => `@${plain(email.trim())}`)])]
}

const hashOf = (key: KeyObject, word: string): Buffer => createHmac('sha256', key).update(word).digest()

/** Makes the customer found by what they have told now, and no longer by what they told before. */
export async function indexCustomer(
  tx: Db<Tables>,
  sealer: Sealer,
  { id, fields }: Pick<Customer, 'id' | 'fields'>,
): Promise<void> {
  const key = await searchKey(sealer, tx)
  const digests = keysOf({ fields }).map(word => hashOf(key, word))
  await sql`
    with gone as (delete from customer_words where customer_id = ${id} and digest <> all(${digests}::bytea[])),
      added as (
        insert into customer_words (customer_id, digest) select ${id}, unnest(${digests}::bytea[])
        on conflict do nothing)
    update customers set indexed = true where id = ${id} and not indexed`.execute(tx)
}

const BATCH = 200

/** Whether customers of an earlier release wait to be indexed. */
export const indexingDueAt = sql<Date | null>`
  select now() from (select id from customers where not indexed order by id limit 1) as first`

/** Indexes customers whom an earlier release wrote. */
export async function indexOlder({ database, sealer }: Pick<Deps, 'database' | 'sealer'>): Promise<void> {
  const rows = await database.db
    .selectFrom('customers')
    .select('id')
    .where('indexed', '=', false)
    .limit(BATCH)
    .execute()
  for (const { id } of rows)
    await database.db.transaction().execute(async tx => {
      const row = await tx
        .selectFrom('customers')
        .selectAll()
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst()
      if (row) await indexCustomer(tx, sealer, openCustomer(sealer, row))
    })
}

/** A query of the ids of customers whose name has every word of the text, or whose email it is; null: it has no words. */
export async function customersNamed(deps: Pick<Deps, 'database' | 'sealer'>, text: string) {
  const words = text.includes('@')
    ? [`@${plain(text.trim())}`]
    : wordsIn(text).map(word => word.slice(0, 200))
  if (words.length === 0) return null
  const key = await searchKey(deps.sealer, deps.database.db)
  const hashes = [...new Set(words)].map(word => hashOf(key, word))
  return deps.database.db
    .selectFrom('customer_words')
    .select('customer_id')
    .where('digest', 'in', hashes)
    .groupBy('customer_id')
    .having(({ fn }) => fn.countAll(), '=', hashes.length)
}

const MOST_NAMED = 50

/** The customers whom a text names, of many the first ones. */
export async function accountsNamed(deps: Pick<Deps, 'database' | 'sealer'>, text: string) {
  const named = await customersNamed(deps, text)
  if (!named) return []
  const query = deps.database.db
    .selectFrom('customers')
    .select(['id', 'account', 'memo'])
    .where('id', 'in', named)
  return query.orderBy('created_at', 'desc').limit(MOST_NAMED).execute()
}

export interface NamedCustomer {
  id: string
  account: string
  memo: string | null
  name: string | null
}

/** The customers of accounts and memos with their names, as the anchor's people see them. */
export async function customersOf(
  { database, sealer }: Pick<Deps, 'database' | 'sealer'>,
  accounts: readonly string[],
): Promise<NamedCustomer[]> {
  if (accounts.length === 0) return []
  const rows = await database.db
    .selectFrom('customers')
    .selectAll()
    .where('account', 'in', [...new Set(accounts)])
    .execute()
  return rows.map(row => {
    const customer = openCustomer(sealer, row)
    return { id: row.id, account: row.account, memo: row.memo, name: nameOf(customer) }
  })
}
