import { assetName, servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount, subtract } from '@windlass/money/amount.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { releaseBlocked } from './blocked.ts'
import { createdBalance, type CreatedBalance } from './build-payment.ts'
import { finishUpkeep, isUpkeep } from './channels.ts'
import { recordBalance, reclaimedBalance, redeliver } from './claimable-balances.ts'
import { tryWithContract } from './deploy-contract.ts'
import { recordLedgerPayment } from '../money/journal/ledger-entries.ts'
import { codeOf, reservationOf } from './ledger-payments.ts'
import type { SepCall } from '../outgoing/sep-calls/sep-calls.ts'
import type { LedgerPayment, Transfer } from '../tables.ts'
import { endUnproven } from './unproven.ts'
import { waitColumns } from './waits.ts'
import { lockTransfer } from '../transfers/find.ts'
import { noteRedelivered } from '../transfers/change.ts'
import { tellPaid } from '../transfers/travel-messages/exchange.ts'
import { move } from '../transfers/move.ts'
import { release } from '../money/treasury/treasury.ts'

/** Records that the ledger has applied a payment's transaction, and all that follows from it. */
export async function recordPaid(
  deps: Deps,
  payment: LedgerPayment,
  { hash, xdr }: { hash: string; xdr: string },
): Promise<void> {
  const fee = await feeOf(deps, hash)
  const created = createdBalance(xdr, deps.config.anchor.network.passphrase)
  await deps.database.db.transaction().execute(async tx => {
    const paid = await tx
      .updateTable('ledger_payments')
      .set({ state: 'paid', hash, ...waitColumns(null), paid_at: sql<Date>`now()`, fee_charged: fee })
      .where('id', '=', payment.id)
      .where('state', '=', 'queued')
      .executeTakeFirst()
    if (paid.numUpdatedRows === 0n) return
    await releaseBlocked(tx, payment.id)
    if (payment.purpose === 'deploy-contract') return tryWithContract(tx)
    if (isUpkeep(payment)) return finishUpkeep(tx, payment, xdr, deps.config.anchor)
    await recordLedgerPayment(tx, payment, deps.config.anchor.accounts.distribution)
    const reclaimed = reclaimedBalance(payment)
    if (reclaimed) return redeliver(deps, tx, reclaimed)
    await endUnproven(tx, hash)
    await release(tx, reservationOf(payment))
    if (created) await recordBalance(deps, tx, payment, created)
    if (!payment.transfer_id) return
    if (payment.purpose === 'redelivery') return noteRedelivered(tx, payment.transfer_id, hash)
    const transfer = await lockTransfer(tx, payment.transfer_id)
    if (payment.purpose === 'refund') {
      await move(tx, transfer, 'returned', {}, [refundSent(deps, payment, hash, transfer)])
      return
    }
    const trusted: SepCall[] =
      transfer.state === 'awaiting_trust' ? [['notify_trust_set', { success: true }]] : []
    const change = { ledger_hash: hash, claimable_balance_id: created?.id ?? null }
    await tellPaid(deps, tx, transfer.id, hash)
    await move(tx, transfer, 'completed', change, [
      ...trusted,
      [
        'notify_onchain_funds_sent',
        {
          stellar_transaction_id: hash,
          ...(created
            ? { claimable_balance_id: created.id, ...claimRule(codeOf(deps, payment), created) }
            : {}),
        },
      ],
    ])
  })
  deps.wake.emit('sepCalls')
  deps.wake.emit('travelMessages')
}

function refundSent(
  { config }: Deps,
  payment: LedgerPayment,
  hash: string,
  { id, message, amount: units }: Transfer,
): SepCall {
  const asset = payment.asset === 'native' ? 'native' : assetName(servedAsset(config.anchor, payment.asset))
  const amount = { amount: formatAmount(parseAmount(payment.amount)), asset }
  // What a bank kept of the payout may be the customer's to bear.
  const whole =
    payment.cause === `refund:transfer:${id}` ? parseAmount(units ?? '0') : parseAmount(payment.amount)
  const fee = formatAmount(subtract(whole, parseAmount(payment.amount)))
  const refund = { id: hash, amount, amount_fee: { amount: fee, asset } }
  return ['notify_refund_sent', { refund, ...(message ? { message } : {}) }]
}

/** What happens to a claimable balance that nobody claims, for the wallet. */
function claimRule(code: string, { reclaimAt }: CreatedBalance): { message?: string } {
  if (reclaimAt === null) return {}
  const day = reclaimAt.toISOString().slice(0, 10)
  return {
    message: `Claim the balance by ${day}. After that the anchor takes it back and pays it to the account once it can receive ${code}.`,
  }
}

/** XLM that the ledger charged for a transaction; null where Horizon does not say. */
async function feeOf({ horizon }: Deps, hash: string): Promise<string | null> {
  const found = await horizon.transaction(hash).catch(() => null)
  return found?.feeCharged === undefined ? null : formatAmount(amountOf(found.feeCharged))
}
