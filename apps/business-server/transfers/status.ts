import type { TransferState } from '../tables.ts'

interface Step {
  from: TransferState
  to: TransferState
  direction: 'deposit' | 'withdrawal' | 'both'
  why: string
}

const stepsOf =
  (direction: Step['direction']) =>
  (from: TransferState | TransferState[], to: TransferState | TransferState[], why: string): Step[] =>
    [from].flat().flatMap(start => [to].flat().map(end => ({ from: start, to: end, direction, why })))
const [both, deposits, withdrawals] = [stepsOf('both'), stepsOf('deposit'), stepsOf('withdrawal')]

/** Every change of a transfer's state; {@link move} refuses any other. */
export const steps: readonly Step[] = [
  ...both('new', 'identifying', 'the customer must be identified first'),
  ...both('new', 'awaiting_funds', 'the customer agreed to the amounts'),
  ...both('identifying', 'awaiting_funds', 'the customer is identified'),
  ...both('awaiting_funds', 'funded', 'the payment came as agreed'),
  ...both('expired', 'funded', 'the payment came late and was accepted'),
  ...both('awaiting_funds', 'returning', 'the payment is not as agreed'),
  ...both('expired', 'returning', 'the payment came after it could be accepted'),
  ...deposits('funded', 'awaiting_trust', 'the account cannot hold the asset yet'),
  ...deposits('awaiting_trust', 'completed', 'the account can hold it and was paid'),
  ...deposits('funded', 'completed', 'the asset was paid on the ledger'),
  ...withdrawals('funded', 'paying_out', 'the rail accepted the payout'),
  ...withdrawals('paying_out', 'completed', 'the rail paid the customer'),
  ...withdrawals('funded', 'completed', 'the rail paid at once'),
  ...withdrawals('paying_out', 'returning', 'the rail could not pay the customer'),
  ...withdrawals('funded', 'returning', 'the rail refused the payout'),
  ...deposits(['funded', 'awaiting_trust'], 'returning', 'the money goes back instead'),
  ...both('returning', 'returned', 'the payment was refunded'),
  ...withdrawals('completed', 'sent_back', 'the bank sent the payout back after it was paid'),
  ...deposits('returned', 'sent_back', 'the bank sent the refund back after it was paid'),
  ...deposits('returning', 'sent_back', 'the rail could not pay the refund'),
  ...withdrawals('sent_back', 'funded', 'the anchor pays it out again'),
  ...both('sent_back', 'returning', 'the anchor gives the payment back'),
  // People reversed a decision about a bank statement.
  ...withdrawals('sent_back', 'completed', 'the payout did not come back'),
  ...deposits('sent_back', 'returned', 'the refund did not come back'),
  ...deposits(
    ['funded', 'awaiting_trust'],
    ['awaiting_funds', 'expired'],
    'the payment was not the customer’s, or their bank took it back',
  ),
  ...withdrawals('completed', 'paying_out', 'another payment was counted as it'),
  ...withdrawals('returning', 'paying_out', 'the payout did not come back'),
  ...deposits('returned', 'returning', 'another payment was counted as it'),
  ...both('new', 'failed', 'the request cannot be completed'),
  ...both('identifying', 'failed', 'the request can no longer be completed'),
  ...both('awaiting_funds', 'failed', 'the anchor canceled it'),
  ...both('new', 'expired', 'the customer did not continue in time'),
  ...both('identifying', 'expired', 'the customer was not identified in time'),
  ...both('awaiting_funds', 'expired', 'no payment came in time'),
]

/** The reason for a change, or null where there is no such step. */
export function reasonFor(
  from: TransferState,
  to: TransferState,
  direction: 'deposit' | 'withdrawal',
): string | null {
  const step = steps.find(
    each =>
      each.from === from && each.to === to && (each.direction === 'both' || each.direction === direction),
  )
  return step?.why ?? null
}

/** Final states; only a late payment changes an expired transfer. */
export const ended: readonly TransferState[] = ['completed', 'returned', 'expired', 'failed']

/** The others. */
export const open: readonly TransferState[] = [
  ...new Set(steps.flatMap(({ from, to }) => [from, to])),
].filter(state => !ended.includes(state))
