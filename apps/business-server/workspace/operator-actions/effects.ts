import type { ActionKind } from '@windlass/contracts/anchor/operator-actions.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Transaction } from 'kysely'
import { accountOf } from '../../money/approvals/approvals.ts'
import { refundWaitingPayout } from '../../bank-files/payout-files.ts'
import { isStoppedByRule } from '../../people/compliance/compare-names.ts'
import type { Deps } from '../../deps.ts'
import { creditFromGap, hasOpenGap } from '../../payments/credit-from-gap.ts'
import { findSentBack, lockSentBack } from '../../payments/sent-back.ts'
import { payAgain, refundSentBack } from '../../payments/settle-sent-back.ts'
import { orderInFlight, refundDeposit, resendOf } from '../../payments/operator.ts'
import { releaseToHolder } from '../../payments/other-holder.ts'
import { findUnboundPayment } from '../../payments/release-unbound.ts'
import { findUnboundPayout } from '../../payments/unbound-payouts.ts'
import { isHeldByCustomer, refundHeldPayout } from '../../payments/hold-payments.ts'
import { acceptMarked } from '../../payments/receive-rail-payment.ts'
import { recordOrderEnd } from '../../payments/settle-order.ts'
import { isPayoutWaiting } from '../../rails/bank-file/payouts.ts'
import type { StoredAction, Tables, Transfer } from '../../tables.ts'
import { writeOff } from '../../payments/take-back.ts'
import { findOpenDebtOf } from '../../transfers/debts.ts'
import { move } from '../../transfers/move.ts'
import { release } from '../../money/treasury/treasury.ts'
import { isUnbound, releaseSeen } from './unbound.ts'

/**
 * What can be done with a transaction in its state.
 *
 * @param isOpen leaves out what only a decision about a hit makes possible: not everyone may know of it.
 */
export async function possibleActions(
  deps: Pick<Deps, 'rails'>,
  db: Db<Tables>,
  { id, state, direction, rail }: Transfer,
  isOpen = false,
): Promise<ActionKind[]> {
  const deposit = direction === 'deposit'
  // Statements say what came and went over a rail with bank files.
  const isReported = deps.rails.get(rail)?.bankAccount === undefined
  switch (state) {
    case 'new':
    case 'identifying':
      return ['cancel']
    case 'awaiting_funds':
      return (deposit ? isReported : await hasOpenGap(db)) ? ['cancel', 'mark-paid'] : ['cancel']
    case 'expired':
      return (deposit ? isReported : await hasOpenGap(db)) ? ['mark-paid'] : []
    case 'funded':
      return deposit || (!isOpen && (await isStoppedByRule(db, id))) || (await isHeldByCustomer(db, id))
        ? ['resend', 'refund']
        : (await findUnboundPayout(db, id))
          ? ['resend', 'refund']
          : ['resend']
    case 'awaiting_trust':
      return ['resend', 'refund']
    case 'paying_out':
      if (isReported) return ['resend', 'mark-paid']
      return (await isPayoutWaiting(db, id)) ? ['refund'] : []
    case 'returning':
      return ['resend']
    // An earlier release left the transaction as it was when money came back.
    case 'completed':
    case 'returned':
    case 'sent_back':
      if (deposit && (await findOpenDebtOf(db, id))) return ['write-off']
      if (state === 'completed' && (await findUnboundPayment(db, id))) return ['resend']
      if ((await findSentBack(db, id)) === null) return []
      return deposit ? ['pay-again'] : ['pay-again', 'refund']
    default:
      return []
  }
}

export const notPossible = (why: string) => new Problem('action-not-possible', why)

type Effect = (deps: Deps, tx: Transaction<Tables>, transfer: Transfer, action: Row) => Promise<void>

export const effects: Readonly<Record<ActionKind, Effect>> = {
  cancel: async (_, tx, transfer) => {
    await release(tx, transfer.id)
    await move(tx, transfer, 'failed', { message: CANCELED }, [
      ['notify_transaction_error', { message: CANCELED }],
    ])
  },
  refund: async (deps, tx, transfer, { details }) => {
    const back = transfer.direction === 'withdrawal' ? await findSentBack(tx, transfer.id) : null
    if (back) return refundSentBack(deps, tx, await lockSentBack(tx, back.id), transfer)
    if (transfer.direction === 'withdrawal' && transfer.state === 'funded') {
      if (!(await refundHeldPayout(deps, tx, transfer.id))) throw notPossible('No payout of it is held.')
      return
    }
    if (transfer.direction === 'withdrawal') {
      if (!(await refundWaitingPayout(deps, tx, transfer.id)))
        throw notPossible(
          'A bank statement has a debit that may be its payout. Decide about that line first.',
        )
      return
    }
    if (details.seen === undefined && (await isUnbound(deps, tx, transfer, 'refund')))
      throw notPossible('Two people have to look at what came for it.')
    if (!(await refundDeposit(deps, tx, transfer, REFUNDED)))
      throw notPossible(
        'The asset is being paid at this moment, or the payment is disputed: it is not sent back.',
      )
  },
  resend: async (deps, tx, transfer, { details }) => {
    if (details.seen !== undefined) await releaseSeen(deps, tx, transfer)
    if (details.releases !== undefined && !(await releaseToHolder(deps, tx, details.releases)))
      throw notPossible('Its payout has ended.')
    await resendOf(tx, transfer.id)
  },
  'pay-again': async (deps, tx, transfer, action) => {
    const back = await findSentBack(tx, transfer.id)
    if (!back) throw notPossible('No payment of it came back.')
    const isSeen = action.details.seen !== undefined
    if (!isSeen && (await isUnbound(deps, tx, transfer, 'pay-again')))
      throw notPossible('Two people have to look at what was agreed about it.')
    await payAgain(deps, tx, await lockSentBack(tx, back.id), transfer, accountOf(deps, action), isSeen)
  },
  'write-off': (_, tx, transfer) => writeOff(tx, transfer.id),
  'mark-paid': async (deps, tx, transfer, { payment_id }) => {
    const paymentId = payment_id ?? ''
    if (transfer.direction === 'deposit') {
      if (transfer.fiat_amount === null) throw notPossible('No amount is agreed yet.')
      const { reference, fiat_amount: amount, currency, rail } = transfer
      const report = { kind: 'received', paymentId, reference: reference ?? '', amount, currency } as const
      const refused = await acceptMarked(deps, tx, rail, report)
      if (refused !== null) throw notPossible(`It is not accepted: ${refused}.`)
      return
    }
    if (transfer.state === 'awaiting_funds' || transfer.state === 'expired') {
      const refused = await creditFromGap(deps, tx, transfer, paymentId)
      if (refused !== null) throw notPossible(`It is not credited: ${refused}.`)
      return
    }
    const orderId = await orderInFlight(tx, transfer.id)
    if (orderId === null) throw notPossible('The payout was not sent to the rail yet.')
    await recordOrderEnd(deps, tx, { kind: 'paid', orderId, paymentId })
  },
}

const CANCELED = 'The anchor canceled this transaction. Do not pay.'
const REFUNDED = 'The anchor sends your payment back.'

export type Row = StoredAction & { transfer_id: string; kind: ActionKind }
