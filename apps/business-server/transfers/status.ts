import type { TransferState } from '../tables.ts'

interface Step {
  from: TransferState
  to: TransferState
  direction: 'deposit' | 'withdrawal' | 'both'
  why: string
}

/** Every change of a transfer's state; {@link move} refuses any other. */
export const steps: readonly Step[] = [
  { from: 'new', to: 'identifying', direction: 'both', why: 'the customer must be identified first' },
  { from: 'new', to: 'awaiting_funds', direction: 'both', why: 'the customer agreed to the amounts' },
  { from: 'identifying', to: 'awaiting_funds', direction: 'both', why: 'the customer is identified' },
  { from: 'awaiting_funds', to: 'funded', direction: 'both', why: 'the payment came as agreed' },
  { from: 'expired', to: 'funded', direction: 'both', why: 'the payment came late and was accepted' },
  { from: 'awaiting_funds', to: 'returning', direction: 'both', why: 'the payment is not as agreed' },
  {
    from: 'expired',
    to: 'returning',
    direction: 'both',
    why: 'the payment came after it could be accepted',
  },
  {
    from: 'funded',
    to: 'awaiting_trust',
    direction: 'deposit',
    why: 'the account cannot hold the asset yet',
  },
  {
    from: 'awaiting_trust',
    to: 'completed',
    direction: 'deposit',
    why: 'the account can hold it and was paid',
  },
  { from: 'funded', to: 'completed', direction: 'deposit', why: 'the asset was paid on the ledger' },
  { from: 'funded', to: 'paying_out', direction: 'withdrawal', why: 'the rail accepted the payout' },
  { from: 'paying_out', to: 'completed', direction: 'withdrawal', why: 'the rail paid the customer' },
  { from: 'funded', to: 'completed', direction: 'withdrawal', why: 'the rail paid at once' },
  {
    from: 'paying_out',
    to: 'returning',
    direction: 'withdrawal',
    why: 'the rail could not pay the customer',
  },
  { from: 'funded', to: 'returning', direction: 'withdrawal', why: 'the rail refused the payout' },
  { from: 'funded', to: 'returning', direction: 'deposit', why: 'the money goes back instead' },
  { from: 'awaiting_trust', to: 'returning', direction: 'deposit', why: 'the money goes back instead' },
  { from: 'returning', to: 'returned', direction: 'both', why: 'the payment was refunded' },
  {
    from: 'completed',
    to: 'sent_back',
    direction: 'withdrawal',
    why: 'the bank sent the payout back after it was paid',
  },
  {
    from: 'returned',
    to: 'sent_back',
    direction: 'deposit',
    why: 'the bank sent the refund back after it was paid',
  },
  { from: 'returning', to: 'sent_back', direction: 'deposit', why: 'the rail could not pay the refund' },
  { from: 'sent_back', to: 'funded', direction: 'withdrawal', why: 'the anchor pays it out again' },
  { from: 'sent_back', to: 'returning', direction: 'both', why: 'the anchor gives the payment back' },
  // People reversed a decision about a bank statement.
  { from: 'sent_back', to: 'completed', direction: 'withdrawal', why: 'the payout did not come back' },
  { from: 'sent_back', to: 'returned', direction: 'deposit', why: 'the refund did not come back' },
  { from: 'funded', to: 'awaiting_funds', direction: 'deposit', why: 'the payment was not the customer’s' },
  { from: 'funded', to: 'expired', direction: 'deposit', why: 'the payment was not the customer’s' },
  {
    from: 'awaiting_trust',
    to: 'awaiting_funds',
    direction: 'deposit',
    why: 'the payment was not the customer’s',
  },
  { from: 'awaiting_trust', to: 'expired', direction: 'deposit', why: 'the payment was not the customer’s' },
  { from: 'completed', to: 'paying_out', direction: 'withdrawal', why: 'another payment was counted as it' },
  { from: 'returning', to: 'paying_out', direction: 'withdrawal', why: 'the payout did not come back' },
  { from: 'returned', to: 'returning', direction: 'deposit', why: 'another payment was counted as it' },
  { from: 'new', to: 'failed', direction: 'both', why: 'the request cannot be completed' },
  { from: 'identifying', to: 'failed', direction: 'both', why: 'the request can no longer be completed' },
  { from: 'awaiting_funds', to: 'failed', direction: 'both', why: 'the anchor canceled it' },
  { from: 'new', to: 'expired', direction: 'both', why: 'the customer did not continue in time' },
  { from: 'identifying', to: 'expired', direction: 'both', why: 'the customer was not identified in time' },
  { from: 'awaiting_funds', to: 'expired', direction: 'both', why: 'no payment came in time' },
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
