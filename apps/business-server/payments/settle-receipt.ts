import { assetName, servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount, type Amount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { recordLedgerReceipt, type TopUp } from '../money/journal/ledger-entries.ts'
import { isOwnIssuer } from '../money/pricing/asset.ts'
import type { Tables, Transfer, TransferChange } from '../tables.ts'
import type { sepAmounts } from '../transfers/amounts.ts'
import { maskAccount, openDestination } from '../transfers/destination.ts'
import { move } from '../transfers/move.ts'
import type { CameBack } from './came-back.ts'
import { holdLedgerReceipt } from './held-receipts.ts'
import { countResets } from './incidents.ts'
import { queueRefund, type IncomingPayment } from './incoming-payment.ts'
import { queueOrder } from './rail-orders.ts'
import { feeOfRefunds, refundStranger } from './strangers-refunds.ts'

/** What is decided about a payment; `accepted` and some `returned` ones change a transfer. */
export type Verdict =
  | { outcome: 'accepted'; transfer: Transfer; change: TransferChange; amounts: SepAmounts; why: string }
  | {
      outcome: 'returned'
      transfer: Transfer | null
      why: string
      /** Whose memo the payment has, where it changes nothing of it: its refund memo is on the refund too. */
      memoOf?: Transfer
      /** Whether the ledger has the refund, made from a later state of this database. */
      isPaid?: boolean
    }
  | { outcome: 'ignored' | 'kept' | 'held'; transfer: null; why: string; from?: TopUp; cameBack?: CameBack }
type SepAmounts = ReturnType<typeof sepAmounts>

/**
 * Records a payment with its verdict, in the caller's transaction: an accepted one is paid out over the rail, a
 * returned one refunded. Does nothing where the payment is recorded already.
 */
export async function settleReceipt(
  deps: Deps,
  tx: Db<Tables>,
  payment: IncomingPayment,
  verdict: Verdict,
): Promise<void> {
  if (await wasJudgedBeforeReset(deps, tx, payment)) return
  const first = await tx
    .insertInto('ledger_receipts')
    .values({
      id: payment.id,
      hash: payment.hash,
      sender: payment.sender,
      amount: payment.amount,
      asset: payment.asset,
      memo: payment.memo,
      memo_type: payment.memoType,
      transfer_id: verdict.transfer?.id ?? null,
      outcome: verdict.outcome,
      why: verdict.why,
    })
    .onConflict(conflict => conflict.column('id').doNothing())
    .executeTakeFirst()
  if (first.numInsertedOrUpdatedRows === 0n) return
  const fee = keepsFee(verdict) ? await feeOfRefunds(deps, tx, payment.asset) : amountOf(0n)
  await record(deps, tx, payment, verdict, fee)
  if (verdict.outcome === 'accepted') await payOut(deps, tx, payment, verdict)
  if (verdict.outcome === 'returned') await refund(deps, tx, payment, verdict, fee)
  if (verdict.outcome === 'held') await holdLedgerReceipt(deps, tx, payment, verdict.cameBack)
}

/** A fee is kept only from a refund that belongs to no transaction. A customer's refund is whole. */
const keepsFee = ({ outcome, transfer }: Verdict): boolean => outcome === 'returned' && transfer === null

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
    .executeTakeFirst()
  return before !== undefined
}

async function record(
  deps: Deps,
  tx: Db<Tables>,
  { id, hash, asset, sender, amount }: IncomingPayment,
  verdict: Verdict,
  fee: Amount,
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
  await recordLedgerReceipt(tx, { id: receipt, asset, amount, transferId: transfer?.id ?? null, to, fee })
}

async function payOut(
  deps: Deps,
  tx: Db<Tables>,
  { hash, returnTo }: IncomingPayment,
  { transfer, change, amounts }: Extract<Verdict, { outcome: 'accepted' }>,
): Promise<void> {
  const received = { ...amounts, stellar_transaction_id: hash, source_account: returnTo }
  const funded = await move(
    tx,
    transfer,
    'funded',
    { ...change, ledger_hash: hash, stellar_account: returnTo },
    [['notify_onchain_funds_received', received]],
  )
  await queueOrder(deps, tx, {
    cause: `payout:${funded.id}`,
    transfer_id: funded.id,
    kind: 'payout',
    rail: funded.rail,
    amount: funded.fiat_amount ?? '0',
    currency: funded.currency,
    destination: { masked: maskAccount(openDestination(deps.sealer, funded).dest ?? '') },
  })
}

async function refund(
  deps: Deps,
  tx: Db<Tables>,
  payment: IncomingPayment,
  {
    transfer,
    why,
    memoOf = transfer ?? undefined,
    isPaid = false,
  }: Extract<Verdict, { outcome: 'returned' }>,
  fee: Amount,
): Promise<void> {
  if (!transfer) return refundStranger(tx, payment, { fee, memoOf, isPaid })
  await queueRefund(tx, payment, transfer.id, memoOf)
  const message = `The payment is refunded: ${why}.`
  const amount_in = {
    amount: formatAmount(parseAmount(payment.amount)),
    asset: assetName(servedAsset(deps.config.anchor, transfer.asset)),
  }
  await move(tx, transfer, 'returning', { message, ledger_hash: payment.hash }, [
    [
      'notify_onchain_funds_received',
      { amount_in, stellar_transaction_id: payment.hash, source_account: payment.returnTo, message },
    ],
  ])
}
