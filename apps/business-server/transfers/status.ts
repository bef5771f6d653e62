import type { TransferState } from '../tables.ts'

interface Step {
  from: TransferState
  to: TransferState
  direction: 'deposit' | 'withdrawal' | 'both'
  why: string
}

/** Every way a transfer goes; a change that is no row here does not happen. */
export const steps: readonly Step[] = [
  { from: 'new', to: 'identifying', direction: 'both', why: 'the customer must be identified first' },
  { from: 'new', to: 'awaiting_funds', direction: 'both', why: 'the customer agreed to the amounts' },
  { from: 'identifying', to: 'awaiting_funds', direction: 'both', why: 'the customer is identified' },
  { from: 'awaiting_funds', to: 'funded', direction: 'both', why: 'the money came, as agreed' },
  { from: 'expired', to: 'funded', direction: 'both', why: 'the money came late, as agreed otherwise' },
  { from: 'awaiting_funds', to: 'returning', direction: 'both', why: 'what came is not what was agreed' },
  {
    from: 'expired',
    to: 'returning',
    direction: 'both',
    why: 'the money came when it could not be taken any more',
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
  { from: 'funded', to: 'paying_out', direction: 'withdrawal', why: 'the rail took the payout' },
  { from: 'paying_out', to: 'completed', direction: 'withdrawal', why: 'the rail paid the customer' },
  { from: 'funded', to: 'completed', direction: 'withdrawal', why: 'the rail paid at once' },
  {
    from: 'paying_out',
    to: 'returning',
    direction: 'withdrawal',
    why: 'the rail could not pay the customer',
  },
  { from: 'funded', to: 'returning', direction: 'withdrawal', why: 'the rail refused the payout' },
  { from: 'funded', to: 'returning', direction: 'deposit', why: 'the treasury could not cover the payout' },
  {
    from: 'awaiting_trust',
    to: 'returning',
    direction: 'deposit',
    why: 'the treasury could not cover the payout any more',
  },
  { from: 'returning', to: 'returned', direction: 'both', why: 'the money is back where it came from' },
  { from: 'new', to: 'failed', direction: 'both', why: 'what was requested cannot be done' },
  { from: 'identifying', to: 'failed', direction: 'both', why: 'what was requested cannot be done any more' },
  { from: 'new', to: 'expired', direction: 'both', why: 'nobody went on with it' },
  { from: 'identifying', to: 'expired', direction: 'both', why: 'the customer was not identified in time' },
  { from: 'awaiting_funds', to: 'expired', direction: 'both', why: 'no money came in time' },
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

/** Nothing more happens to these, but money that comes late. */
export const ended: readonly TransferState[] = ['completed', 'returned', 'expired', 'failed']
