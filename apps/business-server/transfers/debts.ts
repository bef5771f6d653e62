import { formatAmount, parseAmount, subtract, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { scalar } from '@windlass/service/postgres/scalars.ts'
import { sql, type RawBuilder, type Selectable } from 'kysely'
import { samePersons } from '../people/customers/same-person.ts'
import { personOf } from '../people/customers/tiers.ts'
import type { CustomerDebtTable, Tables, Transfer } from '../tables.ts'

/*
 * What customers owe whose bank took the money of a deposit back after the units had left (docs/adr/0121). Until it is
 * paid or written off, nothing new is agreed with them, and nothing leaves for them.
 */

export type CustomerDebt = Selectable<CustomerDebtTable>

export const restOf = ({ amount, recovered }: Pick<CustomerDebt, 'amount' | 'recovered'>): Amount =>
  subtract(parseAmount(amount), parseAmount(recovered))

/** Adds what the customer of a deposit owes, in the caller's transaction. */
export async function addDebt(
  tx: Db<Tables>,
  { id, rail, currency, person, account, account_memo }: Transfer,
  { cause, amount, reason }: Pick<CustomerDebt, 'cause' | 'amount' | 'reason'>,
): Promise<CustomerDebt> {
  const owner = person ?? (await personOf(tx, account, account_memo)).id
  const of = { transfer_id: id, rail, currency, person: owner, account, account_memo }
  const row = { ...of, cause, amount, reason }
  return tx.insertInto('customer_debts').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Finds and locks a deposit's debt, whatever became of it; null: its money was never taken back. */
export async function lockDebtOf(tx: Db<Tables>, transferId: string): Promise<CustomerDebt | null> {
  const query = tx.selectFrom('customer_debts').selectAll().where('transfer_id', '=', transferId)
  return (await query.where('state', '<>', 'reversed').forUpdate().executeTakeFirst()) ?? null
}

export async function findOpenDebtOf(db: Db<Tables>, transferId: string): Promise<CustomerDebt | null> {
  const query = db.selectFrom('customer_debts').selectAll().where('transfer_id', '=', transferId)
  return (await query.where('state', '=', 'open').executeTakeFirst()) ?? null
}

/** In the caller's transaction, of a debt that it has locked. */
export async function changeDebt(
  tx: Db<Tables>,
  { id }: Pick<CustomerDebt, 'id'>,
  { state, recovered, amount }: { state: CustomerDebt['state']; recovered?: Amount; amount?: Amount },
): Promise<void> {
  await tx
    .updateTable('customer_debts')
    .set({
      state,
      ended_at: state === 'open' ? null : sql<Date>`clock_timestamp()`,
      ...(recovered === undefined ? {} : { recovered: formatAmount(recovered) }),
      ...(amount === undefined ? {} : { amount: formatAmount(amount) }),
    })
    .where('id', '=', id)
    .execute()
}

/** Whether the customer of a transaction owes something. */
export async function isInDebt(db: Db<Tables>, transfer: Transfer): Promise<boolean> {
  const isTheirs = await ofCustomerOf(db, transfer)
  return exists(db.selectFrom('customer_debts').select('id').where('state', '=', 'open').where(isTheirs))
}

/** Rows of the customer of a transaction: the person's, under whatever address, and those of anyone who has the account. */
export async function ofCustomerOf(
  db: Db<Tables>,
  { sep, person, account, account_memo: memo }: Transfer,
): Promise<RawBuilder<boolean>> {
  // The account of a direct payment is the sending anchor's.
  if (sep === '31') return sql<boolean>`false`
  const { id } = await personOf(db, account, memo)
  const known = [person, id].filter(each => each !== null)
  const same = (await Promise.all(known.map(each => samePersons(db, each)))).flat()
  return sql<boolean>`(person = any(${same}::text[])
    or (account = ${account} and account_memo is not distinct from ${memo}))`
}

/** Nothing new is agreed with who owes something. Throws `validation-failed`. */
export async function requireNoDebt(db: Db<Tables>, transfer: Transfer): Promise<void> {
  if (!(await isInDebt(db, transfer))) return
  throw new Problem(
    'validation-failed',
    'your bank took back a payment for which you have the asset; pay it again, or contact the anchor',
  )
}

/** Open ones, the oldest first. */
export function listOpenDebts(db: Db<Tables>): Promise<CustomerDebt[]> {
  const query = db.selectFrom('customer_debts').selectAll().where('state', '=', 'open')
  return query.orderBy('created_at').orderBy('id').limit(1_000).execute()
}

export const debtsOpen = scalar(sql<number>`select count(*) from customer_debts where state = 'open'`, Number)
