import {
  isDeposit,
  type RpcMethod,
  type TransactionKind,
  type TransactionStatus,
} from '@windlass/contracts/anchor/anchor-platform.ts'

export interface Transition {
  method: RpcMethod
  side: 'deposit' | 'withdrawal' | 'both'
  from: readonly TransactionStatus[]
  /** `same`: only data changes. `recovered`: the status before or after the money arrived. */
  to: TransactionStatus | 'same' | 'recovered'
  why: string
}

const open: readonly TransactionStatus[] = [
  'incomplete',
  'pending_user_transfer_start',
  'pending_user_transfer_complete',
  'pending_external',
  'pending_anchor',
  'on_hold',
  'pending_stellar',
  'pending_trust',
  'pending_user',
  'pending_customer_info_update',
  'pending_transaction_info_update',
]
const beforeMoney: readonly TransactionStatus[] = [
  'incomplete',
  'pending_user_transfer_start',
  'pending_customer_info_update',
  'pending_anchor',
  'pending_transaction_info_update',
]

/** Every change of a transaction's status, with what it means. A call that finds no row is refused. */
export const transitions: readonly Transition[] = [
  {
    method: 'notify_interactive_flow_completed',
    side: 'both',
    from: ['incomplete'],
    to: 'pending_anchor',
    why: 'the customer has finished the interactive pages',
  },
  {
    method: 'request_customer_info_update',
    side: 'both',
    from: ['incomplete', 'pending_anchor', 'pending_customer_info_update'],
    to: 'pending_customer_info_update',
    why: 'the customer must complete KYC (SEP-12) first',
  },
  {
    method: 'request_transaction_info_update',
    side: 'withdrawal',
    from: ['incomplete', 'pending_anchor', 'pending_customer_info_update', 'pending_transaction_info_update'],
    to: 'pending_transaction_info_update',
    why: 'the payout destination is wrong: the wallet is asked for another account',
  },
  {
    method: 'notify_customer_info_updated',
    side: 'both',
    from: ['pending_customer_info_update', 'pending_anchor'],
    to: 'pending_anchor',
    why: 'the customer passed KYC',
  },
  {
    method: 'request_offchain_funds',
    side: 'deposit',
    from: ['incomplete', 'pending_anchor', 'pending_customer_info_update'],
    to: 'pending_user_transfer_start',
    why: 'the customer has the payment instructions and may pay',
  },
  {
    method: 'notify_offchain_funds_sent',
    side: 'deposit',
    from: ['pending_user_transfer_start'],
    to: 'pending_external',
    why: 'the customer reports the payment as sent',
  },
  {
    method: 'notify_offchain_funds_received',
    side: 'deposit',
    from: ['pending_user_transfer_start', 'pending_external', 'on_hold', 'expired'],
    to: 'pending_anchor',
    why: 'the rail reported the money, in time or late',
  },
  {
    method: 'request_trust',
    side: 'deposit',
    from: ['pending_anchor', 'pending_stellar'],
    to: 'pending_trust',
    why: 'the account cannot hold the asset until it opens a trustline',
  },
  {
    method: 'notify_trust_set',
    side: 'deposit',
    from: ['pending_trust'],
    to: 'pending_anchor',
    why: 'the trustline exists',
  },
  {
    method: 'notify_onchain_funds_sent',
    side: 'deposit',
    from: ['pending_anchor', 'pending_stellar', 'pending_trust'],
    to: 'completed',
    why: 'the asset was paid on the ledger',
  },
  {
    method: 'request_onchain_funds',
    side: 'withdrawal',
    from: ['incomplete', 'pending_anchor', 'pending_customer_info_update'],
    to: 'pending_user_transfer_start',
    why: 'the wallet knows the account and memo to pay to',
  },
  {
    method: 'notify_onchain_funds_received',
    side: 'withdrawal',
    from: ['pending_user_transfer_start', 'on_hold', 'expired'],
    to: 'pending_anchor',
    why: 'the payment is on the ledger, in time or late',
  },
  {
    method: 'notify_offchain_funds_pending',
    side: 'withdrawal',
    from: ['pending_anchor', 'pending_external'],
    to: 'pending_external',
    why: 'the rail accepted the payout and has not completed it',
  },
  {
    method: 'notify_offchain_funds_available',
    side: 'withdrawal',
    from: ['pending_anchor', 'pending_external'],
    to: 'pending_user_transfer_complete',
    why: 'the money is ready for collection',
  },
  {
    method: 'notify_offchain_funds_sent',
    side: 'withdrawal',
    from: ['pending_anchor', 'pending_external', 'pending_user_transfer_complete'],
    to: 'completed',
    why: 'the rail has paid the customer',
  },
  {
    method: 'notify_refund_pending',
    side: 'both',
    from: ['pending_anchor', 'pending_external', 'on_hold', 'pending_trust', 'pending_stellar'],
    to: 'pending_external',
    why: 'the refund is on its way',
  },
  {
    method: 'notify_refund_sent',
    side: 'both',
    from: ['pending_anchor', 'pending_external', 'on_hold', 'pending_stellar', 'pending_trust', 'expired'],
    to: 'refunded',
    why: 'the refund arrived',
  },
  {
    method: 'notify_amounts_updated',
    side: 'both',
    from: ['pending_anchor', 'pending_external'],
    to: 'same',
    why: 'the amount received differs from the expected one',
  },
  {
    method: 'notify_transaction_on_hold',
    side: 'both',
    from: ['pending_user_transfer_start', 'pending_anchor', 'pending_external'],
    to: 'on_hold',
    why: 'the anchor reviews it before it continues',
  },
  {
    method: 'notify_transaction_expired',
    side: 'both',
    from: beforeMoney,
    to: 'expired',
    why: 'the customer did not pay in time',
  },
  {
    method: 'notify_transaction_error',
    side: 'both',
    from: open,
    to: 'error',
    why: 'it cannot continue by itself; the message gives the reason',
  },
  {
    method: 'notify_transaction_recovery',
    side: 'withdrawal',
    from: ['completed'],
    to: 'pending_anchor',
    why: 'the payout did not reach the customer after all, and the anchor continues it',
  },
  {
    method: 'notify_transaction_recovery',
    side: 'deposit',
    from: ['refunded'],
    to: 'pending_anchor',
    why: 'the refund did not reach the customer after all, and the anchor continues it',
  },
  {
    method: 'notify_transaction_recovery',
    side: 'both',
    from: ['error', 'expired'],
    to: 'recovered',
    why: 'the anchor continues it',
  },
]

const sideOf = (kind: TransactionKind) => (isDeposit(kind) ? 'deposit' : 'withdrawal')

/** The row that a call on a transaction in this state follows; null if it is refused. */
export function transitionFor(
  method: RpcMethod,
  kind: TransactionKind,
  status: TransactionStatus,
): Transition | null {
  const side = sideOf(kind)
  const found = transitions.find(
    row => row.method === method && (row.side === 'both' || row.side === side) && row.from.includes(status),
  )
  return found ?? null
}

/** Without a further call these stay as they are. */
export const finalStatuses: readonly TransactionStatus[] = ['completed', 'refunded', 'expired', 'error']
