import { assetName, servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { exists } from '@windlass/service/postgres/exists.ts'
import { sql } from 'kysely'
import { operationIndex } from '@windlass/stellar/check-answers.ts'
import type { Deps } from '../deps.ts'
import { bookOn } from '../money/journal/journal.ts'
import { recordLedgerReceipt } from '../money/journal/ledger-entries.ts'
import { journalDay } from '../money/journal/settings.ts'
import { isOwnIssuer } from '../money/pricing/asset.ts'
import type { Tables, Transfer } from '../tables.ts'
import { keepBound } from '../transfers/bound-terms.ts'
import { maskAccount, openDestination } from '../transfers/destination.ts'
import { move } from '../transfers/move.ts'
import { countResets, holdLedgerReceipt } from './incidents.ts'
import type { IncomingPayment } from './incoming-payment.ts'
import { judgePayment, type Accepted, type Returned, type Verdict } from './judge-ledger-payment.ts'
import { queueOrder } from './rail-orders.ts'
import { queueRefund } from './refunds.ts'

/**
 * Does what is decided about a payment, in the caller's transaction, once.
 *
 * @param decided where its withdrawal does not decide
 */
export async function receivePayment(
  deps: Deps,
  tx: Db<Tables>,
  payment: IncomingPayment,
  decided?: Verdict,
): Promise<void> {
  // What is read again was judged when it came.
  if (await isReceived(tx, payment)) return
  await bookOn(tx, { bookedOn: await journalDay(tx, payment.closedAt) })
  const verdict = decided ?? (await judgePayment(deps, tx, payment))
  return settleReceipt(deps, tx, payment, verdict)
}

/**
 * Records a payment with its verdict, in the caller's transaction: an accepted one is paid out over the rail, a
 * returned one refunded. Does nothing where the payment is recorded already.
 *
 * @throws {Error} where it is recorded at another place of the ledger, or another payment is at its place
 */
export async function settleReceipt(
  deps: Deps,
  tx: Db<Tables>,
  payment: IncomingPayment,
  verdict: Verdict,
): Promise<void> {
  if (await wasCreditedFromGap(tx, payment, verdict)) return
  if (await wasJudgedBeforeReset(deps, tx, payment)) return
  await requireNotElsewhere(tx, payment)
  const first = await tx
    .insertInto('ledger_receipts')
    .values({
      id: payment.id,
      hash: payment.hash,
      inner_hash: payment.innerHash ?? null,
      operation: operationOf(payment),
      sender: payment.sender,
      amount: payment.amount,
      asset: payment.asset,
      memo: payment.memo,
      memo_type: payment.memoType,
      transfer_id: verdict.transfer?.id ?? null,
      outcome: verdict.outcome,
      why: verdict.why,
    })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst()
  if (first.numInsertedOrUpdatedRows === 0n) return requireSame(tx, payment)
  await record(deps, tx, payment, verdict)
  if (verdict.outcome === 'accepted') await payOut(deps, tx, verdict)
  if (verdict.outcome === 'returned') await refund(deps, tx, payment, verdict)
  if (verdict.outcome === 'held') await holdLedgerReceipt(deps, tx, payment, verdict.cameBack)
}

/** Null: a person names it, and Horizon has no id of it. */
const operationOf = ({ id }: IncomingPayment): number | null =>
  /^\d+$/.test(id) ? operationIndex(id) + 1 : null

/** What an earlier release received has no operation in its row, but its id says it. */
async function requireNotElsewhere(tx: Db<Tables>, payment: IncomingPayment): Promise<void> {
  const { id, hash } = payment
  const receipts = tx.selectFrom('ledger_receipts').select('id')
  if (await exists(receipts.where('id', '=', id))) return
  const earlier = receipts
    .where('hash', '=', hash)
    .where('operation', 'is', null)
    // Postgres may look at the parts of an "and" in any order, and not every id is a number.
    .where(sql<boolean>`case when id ~ '^[0-9]+$' then id::numeric % 4096 = ${operationOf(payment)} end`)
  if (await exists(earlier)) throw new Error(ELSEWHERE)
}

const ELSEWHERE =
  'it was received at another place of the ledger, or another payment was received at its place'

/** A Horizon that lies shows a payment again at other places, where each would be refunded. */
async function requireSame(tx: Db<Tables>, payment: IncomingPayment): Promise<void> {
  if (!(await isReceived(tx, payment))) throw new Error(ELSEWHERE)
}

const isReceived = (tx: Db<Tables>, { id, hash }: IncomingPayment): Promise<boolean> =>
  exists(tx.selectFrom('ledger_receipts').select('id').where('id', '=', id).where('hash', '=', hash))

/**
 * A person said that its transaction pays a withdrawal: where it is read after all, that one is paid out already. A
 * transaction may pay several, and its payments name them.
 */
async function wasCreditedFromGap(
  tx: Db<Tables>,
  { hash, innerHash }: IncomingPayment,
  verdict: Verdict,
): Promise<boolean> {
  const credited = await tx
    .selectFrom('ledger_receipts')
    .select('transfer_id')
    // Where no source showed a fee bump, the person may have known it by what it wraps.
    .where('hash', 'in', innerHash ? [hash, innerHash] : [hash])
    .where('id', 'like', 'gap:%')
    .execute()
  const named = verdict.transfer ?? ('memoOf' in verdict ? verdict.memoOf : undefined)
  return credited.length > 0 && (!named || credited.some(each => each.transfer_id === named.id))
}

/**
 * A transaction is judged once, whatever is said of the chain later: only the issue may come again by the same
 * transaction, and is recorded again, since a reset takes what was issued out of the journal.
 */
async function wasJudgedBeforeReset(
  { config }: Deps,
  tx: Db<Tables>,
  { hash, sender }: IncomingPayment,
): Promise<boolean> {
  if (isOwnIssuer(config.anchor, sender)) return false
  const before = await tx
    .selectFrom('ledger_receipts')
    .select('id')
    .where('hash', '=', hash)
    // A reset puts the old chain's name before its ids.
    .where('id', 'like', '%:%')
    .where('id', 'not like', 'gap:%')
    .executeTakeFirst()
  return before !== undefined
}

async function record(
  deps: Deps,
  tx: Db<Tables>,
  { id, hash, asset, sender, units }: IncomingPayment,
  verdict: Verdict,
): Promise<void> {
  const { anchor } = deps.config
  if (asset === 'native' || sender === anchor.accounts.distribution) return
  const { outcome, transfer } = verdict
  const accounts = {
    accepted: 'customers',
    returned: 'suspense',
    held: 'suspense',
    kept: 'unclaimed',
    ignored: 'issued',
  } as const
  const from = 'from' in verdict ? verdict.from : undefined
  const to = asset === null && isOwnIssuer(anchor, sender) ? 'issued' : (from ?? accounts[outcome])
  // After a reset of the network even the same transaction may come again: the one that issues the asset.
  const receipt = `${hash}:${id}:${await countResets(tx)}`
  const fee = verdict.outcome === 'returned' ? verdict.fee : undefined
  await recordLedgerReceipt(tx, { id: receipt, asset, units, transferId: transfer?.id ?? null, to, fee })
}

async function payOut(deps: Deps, tx: Db<Tables>, { transfer, change, received }: Accepted): Promise<void> {
  const funded = await keepBound(deps, tx, transfer.id, () =>
    move(tx, transfer, 'funded', change, [['notify_onchain_funds_received', received]]),
  )
  await queueOrder(deps, tx, {
    cause: `payout:${funded.id}`,
    transfer_id: funded.id,
    kind: 'payout',
    rail: funded.rail,
    amount: funded.fiat_amount ?? '0',
    currency: funded.currency,
    destination: { masked: maskedAccount(deps, funded) },
  })
}

/** Where the account cannot be read, the order is not bound and waits for people, who refund it. */
function maskedAccount({ sealer, logger }: Deps, transfer: Transfer): string {
  try {
    return maskAccount(openDestination(sealer, transfer).dest ?? '')
  } catch (error) {
    logger.error({ err: error, transfer: transfer.id }, 'the account of a withdrawal cannot be read')
    return maskAccount('')
  }
}

async function refund(
  deps: Deps,
  tx: Db<Tables>,
  payment: IncomingPayment,
  verdict: Returned,
): Promise<void> {
  await queueRefund(deps, tx, payment, verdict)
  const { transfer, why } = verdict
  if (!transfer) return
  const message = `The payment is refunded: ${why}.`
  const amount_in = {
    amount: payment.amount,
    asset: assetName(servedAsset(deps.config.anchor, transfer.asset)),
  }
  await move(tx, transfer, 'returning', { message, ledger_hash: payment.hash }, [
    [
      'notify_onchain_funds_received',
      { amount_in, stellar_transaction_id: payment.hash, source_account: payment.returnTo, message },
    ],
  ])
}
