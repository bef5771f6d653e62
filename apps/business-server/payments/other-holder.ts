import type { Db } from '@windlass/service/postgres/database.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { bindFact, type FactKind, isFactBound } from '../money/bound-facts/bound-facts.ts'
import { otherHolder } from '../people/compliance/other-holder.ts'
import { accountNames } from '../people/customers/customers.ts'
import type { RailOrder, Tables, Transfer } from '../tables.ts'
import { customersOf } from '../transfers/countries.ts'
import type { Destination } from '../transfers/destination.ts'
import { orderRow } from './bound-orders.ts'
import { OPEN_CODE, waitColumns } from './waits.ts'

/*
 * A payout that a provider makes waits where a bank named another holder of its account than who is to be paid, until people
 * say that it is right or refund it (docs/adr/0154). Of one in a payout file the file's sheet says so.
 */

/** That people let exactly this payout go to its account. */
export const releasedPayouts: FactKind = {
  kind: 'released-payout',
  rowOf: async (deps, tx, id) => {
    const order = await tx.selectFrom('rail_orders').selectAll().where('id', '=', id).executeTakeFirst()
    return order ? orderRow(deps, tx, order) : null
  },
}

/** @param payee the account that the provider is to pay. */
export async function isOtherHolders(
  deps: Deps,
  tx: Db<Tables>,
  orderId: string,
  transfer: Transfer,
  payee: Destination,
): Promise<boolean> {
  const { dest: account = '', dest_name: told } = payee
  const names = told ? [told] : await payeeNames(deps, tx, transfer)
  if ((await otherHolder(deps, tx, { names, account })) === null) return false
  return !(await isFactBound(deps, tx, releasedPayouts, orderId))
}

/** Lists names of the receiver of a direct payment, else of the customer. */
async function payeeNames(deps: Deps, tx: Db<Tables>, transfer: Transfer): Promise<string[]> {
  const store = { sealer: deps.sealer, database: { ...deps.database, db: tx } }
  const payees = (await customersOf(deps, tx, transfer)).filter(
    ({ id }) => transfer.sep !== '31' || id === transfer.receiver_id,
  )
  const names: string[] = []
  for (const payee of payees) names.push(...(await accountNames(store, payee)))
  return names
}

/** The payout of a withdrawal that waits so; null: none. */
export async function findOtherHoldersPayout(db: Db<Tables>, transferId: string): Promise<RailOrder | null> {
  const row = await queuedPayouts(db)
    .where('transfer_id', '=', transferId)
    .where(OPEN_CODE, '=', 'other-holder')
    .executeTakeFirst()
  return row ?? null
}

const queuedPayouts = (db: Db<Tables>) =>
  db.selectFrom('rail_orders').selectAll().where('kind', '=', 'payout').where('state', '=', 'queued')

/** Lets it go, in the caller's transaction, as people saw it; anything else may still hold it. False: it ended meanwhile. */
export async function releaseToHolder(
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  orderId: string,
): Promise<boolean> {
  if (!(await queuedPayouts(tx).where('id', '=', orderId).executeTakeFirst())) return false
  await bindFact(deps, tx, releasedPayouts, orderId)
  await tx
    .updateTable('rail_orders')
    .set({ ...waitColumns(null), next_try_at: sql<Date>`now()` })
    .where('id', '=', orderId)
    .where('wait_code', '=', 'other-holder')
    .execute()
  // Screening holds it on.
  await tx
    .updateTable('rail_orders')
    .set({ wait_details: '{}' })
    .where('id', '=', orderId)
    .where('wait_code', '=', 'screening')
    .execute()
  return true
}

export const waitingForHolder = scalar(
  sql<number>`select count(*) from rail_orders where state = 'queued' and ${OPEN_CODE} = 'other-holder'`,
  Number,
)
