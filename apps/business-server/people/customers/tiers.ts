import type { Tier } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'
import { findCustomerById } from './customers.ts'
import { samePersons } from './same-person.ts'

/** How far a person is verified; `standard` where no operator decided otherwise. */
export async function tierOf(db: Db<Tables>, centralId: string | null): Promise<Tier> {
  if (centralId === null) return 'standard'
  const row = await db
    .selectFrom('customer_tiers')
    .select('tier')
    .where('central_id', '=', centralId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.tier ?? 'standard'
}

/**
 * Sets the tier of the person behind a customer, with all their accounts.
 *
 * @throws `customer-not-found`; `validation-failed` while nobody knows whose account it is.
 */
export async function setTier(
  deps: Pick<Deps, 'database' | 'sealer'>,
  id: string,
  decision: { tier: Tier; reason: string; by: string },
): Promise<{ tier: Tier; before: Tier }> {
  const customer = await findCustomerById(deps, id)
  if (!customer) throw new Problem('customer-not-found', 'There is no customer with this id.')
  if (customer.central_id === null)
    throw invalid(
      'id',
      'is of a customer whose identity is not verified yet. A tier belongs to a verified person',
    )
  const { db } = deps.database
  const before = await tierOf(db, customer.central_id)
  await db
    .insertInto('customer_tiers')
    .values({ central_id: customer.central_id, ...decision })
    .execute()
  return { tier: decision.tier, before }
}

/** The accounts of one person here: those of the same central customers, proven or not, or this one alone. */
export async function accountsOf(
  db: Db<Tables>,
  account: string,
  memo: string | null,
  personId: string | null,
): Promise<{ account: string; memo: string | null }[]> {
  if (personId === null) return [{ account, memo }]
  const same = await samePersons(db, personId)
  const rows = await db
    .selectFrom('customers')
    .select(['account', 'memo'])
    .where(({ eb, or }) => or([eb('central_id', 'in', same), eb('linked_to', 'in', same)]))
    .execute()
  const known = rows.some(each => each.account === account && each.memo === memo)
  return known ? rows : [...rows, { account, memo }]
}

/** The ids of the customers that are one person, as {@link accountsOf}. */
export async function customerIdsOf(
  db: Db<Tables>,
  account: string,
  memo: string | null,
  personId: string | null,
): Promise<string[]> {
  const same = personId === null ? null : await samePersons(db, personId)
  const rows = await db
    .selectFrom('customers')
    .select('id')
    .where(({ eb, or, and }) =>
      or([
        and([eb('account', '=', account), sql<boolean>`memo is not distinct from ${memo}`]),
        ...(same === null ? [] : [eb('central_id', 'in', same), eb('linked_to', 'in', same)]),
      ]),
    )
    .execute()
  return rows.map(({ id }) => id)
}

/** The accounts that are proven to be a person's. */
export function provenAccountsOf(
  db: Db<Tables>,
  personId: string,
): Promise<{ account: string; memo: string | null }[]> {
  return db.selectFrom('customers').select(['account', 'memo']).where('central_id', '=', personId).execute()
}

/** Whose limits an account counts towards, by the id at the platform. */
interface Person {
  /** Null: not known. */
  id: string | null
  /** False: by a link that nobody has proven. */
  isProven: boolean
}

export async function personOf(db: Db<Tables>, account: string, memo: string | null): Promise<Person> {
  const row = await db
    .selectFrom('customers')
    .select(['central_id', 'linked_to'])
    .where('account', '=', account)
    .where(({ eb }) => (memo === null ? eb('memo', 'is', null) : eb('memo', '=', memo)))
    .executeTakeFirst()
  return { id: row?.central_id ?? row?.linked_to ?? null, isProven: Boolean(row?.central_id) }
}

/** Whose limits a direct payment (SEP-31) counts towards, also after the sending anchor deleted its customer and sent them again. */
export async function senderOf(db: Db<Tables>, customerId: string | null): Promise<string | null> {
  if (customerId === null) return null
  const query = db.selectFrom('customers').select(['account', 'memo']).where('id', '=', customerId)
  const row = await query.executeTakeFirst()
  return row ? `sender ${row.account} ${row.memo ?? ''}` : null
}

/** Notes who passes by a link that nobody has proven. */
export async function noteLinked(db: Db<Tables>, id: string, personId: string): Promise<void> {
  await db
    .updateTable('customers')
    .set({ linked_to: personId })
    .where('id', '=', id)
    .where(sql<boolean>`linked_to is distinct from ${personId}`)
    .execute()
}
