import type { Tier } from '@windlass/contracts/anchor-settings.ts'
import type { Db } from '@windlass/service/database.ts'
import { invalid, Problem } from '@windlass/service/problem.ts'
import type { Deps } from '../deps.ts'
import type { Tables } from '../tables.ts'
import { findCustomerById } from './customers.ts'

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

/** The accounts of one person here: those of the same central customer, or this one alone. */
export async function accountsOf(
  db: Db<Tables>,
  account: string,
  memo: string | null,
  centralId: string | null,
): Promise<{ account: string; memo: string | null }[]> {
  if (centralId === null) return [{ account, memo }]
  const rows = await db
    .selectFrom('customers')
    .select(['account', 'memo'])
    .where('central_id', '=', centralId)
    .execute()
  const known = rows.some(each => each.account === account && each.memo === memo)
  return known ? rows : [...rows, { account, memo }]
}

/** Who a transfer's customer is at the platform; null: not known. */
export async function centralIdOf(
  db: Db<Tables>,
  account: string,
  memo: string | null,
): Promise<string | null> {
  const row = await db
    .selectFrom('customers')
    .select('central_id')
    .where('account', '=', account)
    .where(({ eb }) => (memo === null ? eb('memo', 'is', null) : eb('memo', '=', memo)))
    .executeTakeFirst()
  return row?.central_id ?? null
}
