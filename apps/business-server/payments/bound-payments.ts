import type { BoundRow } from '@windlass/service/seals/binding.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { sql } from 'kysely'
import { bindListed } from '../bind-listed.ts'
import type { Deps } from '../deps.ts'
import { plain } from '../row-text.ts'
import type { LedgerPayment, Tables } from '../tables.ts'
import { isUpgrading } from '../transfers/bound-terms.ts'
import { findTransfer } from '../transfers/find.ts'
import { bindDead } from './envelopes.ts'
import { isOfTransaction } from './of-transaction.ts'

/*
 * What leaves on the ledger has a proof under a key that the database does not have (docs/adr/0200). Each is for one turn of
 * its payment: a row is never deleted, one that is paid is never queued again, and one that was canceled only with another
 * `reopened`.
 */

type Binding = Pick<Deps, 'binder'>

export type NewPayment = Pick<
  LedgerPayment,
  | 'cause'
  | 'transfer_id'
  | 'purpose'
  | 'destination'
  | 'amount'
  | 'asset'
  | 'memo'
  | 'memo_type'
  | 'claimable'
>
type Facts = NewPayment & Pick<LedgerPayment, 'reopened'>

/** What of a payment is bound. */
export const paymentRow = (payment: Facts): BoundRow => [
  'ledger_payments',
  ...[payment.cause, payment.transfer_id, payment.purpose, payment.destination],
  ...[plain(payment.amount), payment.asset, payment.memo, payment.memo_type],
  ...[String(payment.claimable), String(payment.reopened)],
]

export const proofOfPayment = ({ binder }: Binding, payment: Facts): Buffer =>
  binder.bind(paymentRow(payment))

/** No proof of anything, even while an upgrade lasts. */
export const NOT_BOUND = Buffer.alloc(0)

/** This server did not order a payment, or not so. */
export class UnboundPayment extends Error {
  constructor() {
    super('this server did not order the payment, or not so')
  }
}

/**
 * Whether this server ordered the payment. What an earlier release queued is bound here: where the migration listed it, and
 * while a server of the release before may run beside this one, where its transaction says it or it belongs to none.
 */
export async function isPaymentBound(
  deps: Binding,
  db: Db<Tables>,
  payment: LedgerPayment,
): Promise<boolean> {
  if (deps.binder.isBound(payment.bound, paymentRow(payment))) return true
  if (payment.bound !== null) return false
  const isEarlier =
    (await isListed(db, payment.id)) || ((await isUpgrading(db)) && (await isOfItsTransaction(db, payment)))
  if (isEarlier) await bindPayment(deps, db, payment)
  return isEarlier
}

/** People cannot resend what belongs to no transaction. */
async function isOfItsTransaction(db: Db<Tables>, payment: LedgerPayment): Promise<boolean> {
  if (payment.transfer_id === null) return true
  const transfer = await findTransfer(db, payment.transfer_id)
  return transfer !== null && isOfTransaction(db, payment, transfer)
}

/** Binds a payment as it is, and takes it off the list of the migration. */
export async function bindPayment(deps: Binding, db: Db<Tables>, payment: LedgerPayment): Promise<void> {
  const bound = proofOfPayment(deps, payment)
  await db.updateTable('ledger_payments').set({ bound }).where('id', '=', payment.id).execute()
  await db.deleteFrom('payments_to_bind').where('payment_id', '=', payment.id).execute()
  // Who has the row at hand asks again before it signs.
  payment.bound = bound
}

const isListed = (db: Db<Tables>, id: string): Promise<boolean> =>
  exists(db.selectFrom('payments_to_bind').select('payment_id').where('payment_id', '=', id))

/** For the due work. */
export const listedPaymentsDueAt = sql<Date | null>`select now() from payments_to_bind limit 1`

const AT_ONCE = 500

/** Binds what the migration listed of earlier releases, a part at once. @returns why some failed */
export async function bindEarlierPayments(
  deps: Binding & Pick<Deps, 'database' | 'logger'>,
): Promise<unknown[]> {
  const list = { table: 'payments_to_bind', column: 'payment_id' }
  const bind = async (tx: Db<Tables>, id: string): Promise<void> => {
    const payment = await lockPayment(tx, id)
    if (payment?.bound === null) await bindPayment(deps, tx, payment)
    const dead = tx.selectFrom('ledger_envelopes').select('hash').where('payment_id', '=', id)
    const over = await dead.where('state', '=', 'dead').execute()
    await bindDead(
      deps,
      tx,
      over.map(({ hash }) => hash),
    )
    await tx.deleteFrom('payments_to_bind').where('payment_id', '=', id).execute()
  }
  return bindListed(deps, list, bind, AT_ONCE)
}

const lockPayment = (tx: Db<Tables>, id: string): Promise<LedgerPayment | undefined> =>
  tx.selectFrom('ledger_payments').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

/** What of a claimable balance is bound: the deposit that became it is paid again once it was taken back. */
export const balanceRow = (balance: { id: string; payment_id: string }): BoundRow => [
  'claimable_balances',
  balance.id,
  balance.payment_id,
]

/** What of a stranger's refund is bound that leaves with others. */
export const gatheredRow = (
  refund: {
    [Column in 'cause' | 'return_to' | 'amount']: string
  } & { [Column in 'asset' | 'memo' | 'memo_type']: string | null },
): BoundRow => [
  'gathered_refunds',
  ...[refund.cause, refund.return_to, plain(refund.amount), refund.asset, refund.memo, refund.memo_type],
]

/** Binds under the newest key what may still leave, or be paid again from a claimable balance. */
export async function bindPaymentsAgain(deps: Binding & Pick<Deps, 'database' | 'config'>): Promise<void> {
  const { db } = deps.database
  const [newest = 0] = deps.config.bindingKeys.keys()
  const isOlder = sql<boolean>`length(bound) > 0 and substring(bound for 1) <> ${Buffer.from([newest])}`
  const payments = db
    .selectFrom('ledger_payments')
    .select('id')
    .where(
      sql<boolean>`(state = 'queued' or id in (select payment_id from claimable_balances where state = 'open'))`,
    )
    .where(isOlder)
  for (const { id } of await payments.execute())
    await db.transaction().execute(async tx => {
      const payment = await lockPayment(tx, id)
      if (payment && (await isPaymentBound(deps, tx, payment))) await bindPayment(deps, tx, payment)
    })
  const balances = db.selectFrom('claimable_balances').select('id').where('state', '=', 'open').where(isOlder)
  for (const { id } of await balances.execute())
    await db.transaction().execute(async tx => {
      const query = tx.selectFrom('claimable_balances').selectAll().where('id', '=', id).forUpdate()
      const balance = await query.executeTakeFirst()
      if (!balance || !deps.binder.isBound(balance.bound, balanceRow(balance))) return
      const bound = deps.binder.bind(balanceRow(balance))
      await tx.updateTable('claimable_balances').set({ bound }).where('id', '=', id).execute()
    })
  const gathered = db.selectFrom('gathered_refunds').select('cause').where('paid_by', 'is', null)
  for (const { cause } of await gathered.where(isOlder).execute())
    await db.transaction().execute(async tx => {
      const query = tx.selectFrom('gathered_refunds').selectAll().where('cause', '=', cause).forUpdate()
      const refund = await query.executeTakeFirst()
      if (!refund || !deps.binder.isBound(refund.bound, gatheredRow(refund))) return
      const bound = deps.binder.bind(gatheredRow(refund))
      await tx.updateTable('gathered_refunds').set({ bound }).where('cause', '=', cause).execute()
    })
}

/** How many payments on the ledger wait because this server did not order them, or not so. */
export const unboundPayments = sql<number>`
  (select count(*) from ledger_payments where wait_code = 'unbound' and state = 'queued')`
