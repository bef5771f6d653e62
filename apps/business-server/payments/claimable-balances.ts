import { assetField, servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { claimDue } from '@windlass/service/work/claim-due.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql, type Selectable } from 'kysely'
import type { Deps } from '../deps.ts'
import type { ClaimableBalanceTable, LedgerPayment, Tables } from '../tables.ts'
import { claimableOf, findTransfer } from '../transfers/find.ts'
import { noteMessage } from '../transfers/change.ts'
import { publishEvent } from '../outgoing/webhooks/publish.ts'
import { balanceRow, isPaymentBound } from './bound-payments.ts'
import type { CreatedBalance } from './build-payment.ts'
import { queuePayment } from './ledger-payments.ts'
import { waitColumns } from './waits.ts'

type Balance = Selectable<ClaimableBalanceTable>

const LOOK_SECONDS = 60 * 60
const RECLAIM = 'reclaim:'

/** Records the claimable balance that a deposit became, in the caller's transaction. */
export async function recordBalance(
  { binder }: Pick<Deps, 'binder'>,
  tx: Db<Tables>,
  { id: payment_id }: LedgerPayment,
  { id, reclaimAt }: CreatedBalance,
): Promise<void> {
  if (reclaimAt === null) return
  const bound = binder.bind(balanceRow({ id, payment_id }))
  await tx
    .insertInto('claimable_balances')
    .values({ id, payment_id, reclaim_at: reclaimAt, next_look_at: reclaimAt, bound })
    .onConflict(conflict => conflict.column('id').doNothing())
    .execute()
}

/** Until when only the customer can claim; null: always. */
export async function claimableUntil(db: Db<Tables>, id: string): Promise<Date | null> {
  const query = db.selectFrom('claimable_balances').select('reclaim_at').where('id', '=', id)
  return (await query.executeTakeFirst())?.reclaim_at ?? null
}

/** Each locks two base reserves of the anchor until it is claimed, or for 30 days: a customer has at most so many. */
const MOST_OF_A_CUSTOMER = 10

/** Whether a deposit may become a claimable balance now; else it waits for the account, as without one. */
export async function mayLockReserve(
  db: Db<Tables>,
  { transfer_id: id }: Pick<LedgerPayment, 'transfer_id'>,
): Promise<boolean> {
  const transfer = id === null ? null : await findTransfer(db, id)
  if (transfer === null) return true
  const made = (await claimableOf(db, transfer)).flatMap(({ claimable_balance_id: balance }) => balance ?? [])
  if (made.length < MOST_OF_A_CUSTOMER) return true
  const { open } = await db
    .selectFrom('claimable_balances')
    .select(({ fn }) => fn.countAll<string>().as('open'))
    .where('id', 'in', made)
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow()
  return Number(open) < MOST_OF_A_CUSTOMER
}

/** For the due work. */
export const claimableBalancesDueAt = sql<Date | null>`
  select min(next_look_at) from claimable_balances where state = 'open'`

/** Takes back what nobody has claimed in time: the reserve is free again, and the customer is paid directly. */
export async function reclaimUnclaimed(deps: Deps): Promise<void> {
  const { db } = deps.database
  const due = await claimDue<Balance, Tables>(db, {
    table: 'claimable_balances',
    dueAt: 'next_look_at',
    leaseSeconds: LOOK_SECONDS,
    limit: 50,
    where: sql`state = 'open'`,
  })
  for (const balance of due) {
    const payment = await paymentOf(db, balance)
    const reclaim = {
      ...{ cause: `${RECLAIM}${balance.id}`, transfer_id: payment.transfer_id, purpose: 'reclaim' as const },
      ...{ destination: deps.config.anchor.accounts.distribution, amount: payment.amount },
      ...{ asset: payment.asset, memo: null, memo_type: null, claimable: false },
    }
    await queuePayment(deps, db, reclaim, await isBalanceBound(deps, db, balance, payment))
  }
  if (due.length > 0) deps.wake.emit('ledgerPayments')
}

/** The balance that a `reclaim` payment takes back. */
export const reclaimedBalance = ({ purpose, cause }: LedgerPayment): string | undefined =>
  purpose === 'reclaim' ? cause.slice(RECLAIM.length) : undefined

/**
 * Whether the customer has claimed the balance: an answer of a ledger that is later than its creation has none. An
 * instance that is behind proves nothing.
 */
export async function isClaimed({ horizon, database }: Deps, id: string): Promise<boolean> {
  const { exists, ledger } = await horizon.claimableBalance(id)
  if (exists || ledger === null) return false
  const closed = await horizon.ledger(ledger)
  const until = await claimableUntil(database.db, id)
  return closed !== null && until !== null && closed.closedAt > until
}

/** The customer came first: nothing is to be taken back. */
export async function endReclaim({ database }: Deps, payment: LedgerPayment, id: string): Promise<void> {
  await database.db.transaction().execute(async tx => {
    await tx
      .updateTable('ledger_payments')
      .set({ state: 'canceled', ...waitColumns(null) })
      .where('id', '=', payment.id)
      .where('state', '=', 'queued')
      .execute()
    await endBalance(tx, id, 'claimed')
  })
}

/** A balance was taken back: the customer is paid as soon as the account can receive the asset. */
export async function redeliver(deps: Deps, tx: Db<Tables>, id: string): Promise<void> {
  const balance = await endBalance(tx, id, 'reclaimed')
  if (!balance) return
  const payment = await paymentOf(tx, balance)
  const { transfer_id, destination, amount, asset, memo, memo_type } = payment
  const again = {
    ...{ cause: `redelivery:${id}`, transfer_id, purpose: 'redelivery' as const },
    ...{ destination, amount, asset, memo, memo_type, claimable: false },
  }
  await queuePayment(deps, tx, again, await isBalanceBound(deps, tx, balance, payment))
  if (transfer_id === null) return
  const { code } = servedAsset(deps.config.anchor, asset)
  const message = `The claimable balance was not claimed in time. It is paid to the account once it can receive ${code}.`
  await noteMessage(tx, transfer_id, message)
  const reclaimed = { transactionId: transfer_id, balanceId: id, ...assetField(asset), amount }
  await publishEvent(tx, 'treasury.balance_reclaimed', reclaimed)
}

/** With the network that was reset; how many. */
export async function loseBalances(tx: Db<Tables>): Promise<number> {
  await tx
    .updateTable('ledger_payments')
    .set({ state: 'canceled', ...waitColumns(null) })
    .where('purpose', '=', 'reclaim')
    .where('state', '=', 'queued')
    .execute()
  const query = tx.updateTable('claimable_balances').set({ state: 'lost' }).where('state', '=', 'open')
  return Number((await query.executeTakeFirst()).numUpdatedRows)
}

async function endBalance(
  tx: Db<Tables>,
  id: string,
  state: 'claimed' | 'reclaimed',
): Promise<Balance | undefined> {
  const query = tx.updateTable('claimable_balances').set({ state }).where('id', '=', id)
  return query.where('state', '=', 'open').returningAll().executeTakeFirst()
}

/** Whether this server paid the deposit, and its transaction made this balance. */
const isBalanceBound = async (
  deps: Pick<Deps, 'binder'>,
  db: Db<Tables>,
  balance: Balance,
  payment: LedgerPayment,
): Promise<boolean> =>
  deps.binder.isBound(balance.bound, balanceRow(balance)) && (await isPaymentBound(deps, db, payment))

function paymentOf(db: Db<Tables>, { payment_id }: Balance): Promise<LedgerPayment> {
  return db.selectFrom('ledger_payments').selectAll().where('id', '=', payment_id).executeTakeFirstOrThrow()
}
