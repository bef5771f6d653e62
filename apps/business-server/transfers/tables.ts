import type { Origin } from '@windlass/service/observe/current-request.ts'
import type { ExchangeTerms } from '@windlass/contracts/anchor/journal.ts'
import type { TransactionSep } from '@windlass/contracts/anchor/anchor-platform.ts'
import type { AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import type { ColumnType, Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { DisputeReport } from '../rails/rail.ts'
import type { TransferTerms } from '../money/settings/tables.ts'

/** The tables that this slice owns. */
export interface TransfersTables {
  customer_debts: CustomerDebtTable
  rail_disputes: RailDisputeTable
  transfers: TransferTable
  transfer_steps: TransferStepTable
  transfer_notes: TransferNoteTable
  transfer_snapshots: TransferSnapshotTable
  transfers_to_bind: TransferToBindTable
  terms_binding: TermsBindingTable
}

export type TransferState =
  | 'new'
  | 'identifying'
  | 'awaiting_funds'
  | 'funded'
  | 'awaiting_trust'
  | 'paying_out'
  | 'completed'
  /** The payment over the rail came back after it was paid: people decide what becomes of it. */
  | 'sent_back'
  | 'returning'
  | 'returned'
  | 'expired'
  | 'failed'

interface TransferTable {
  id: string
  sep: TransactionSep
  direction: 'deposit' | 'withdrawal'
  state: TransferState
  account: string
  /** The memo of the wallet's login; with `account` it is one customer. */
  account_memo: string | null
  /** The sender of a direct payment. */
  customer_id: string | null
  /** Present in a direct payment. */
  receiver_id: string | null
  /** Towards whose limits it counts: the person's id at the platform, or the sender of a direct payment. Null: not known, or nothing is agreed yet. */
  person: ColumnType<string | null, undefined, string | null>
  stellar_account: string
  /** The memo that a deposit's payment to `stellar_account` carries. */
  memo: string | null
  memo_type: string | null
  /** A refund on the ledger carries it, except to a muxed address. */
  refund_memo: string | null
  refund_memo_type: string | null
  claimable: boolean
  client_domain: string | null
  lang: string | null
  rail: string
  currency: string
  asset: ColumnType<AssetKey, AssetKey | undefined, never>
  amount: string | null
  fee: string | null
  fiat_amount: string | null
  rate: string | null
  /** Beside the rate; null: an earlier release priced it, or nothing is priced. */
  exchange: ColumnType<ExchangeTerms | null, ExchangeTerms | null | undefined, ExchangeTerms | null>
  quote_id: string | null
  /** What the page of a withdrawal said: false where it called the amounts fixed, as an earlier release did. */
  priced_at_arrival: Generated<boolean>
  reference: string | null
  /** The id memo that the customer's payment must have in a withdrawal. */
  ledger_memo: string | null
  sealed_destination: Buffer | null
  /** As an earlier release wrote it; empty once it is encrypted. */
  destination: ColumnType<Record<string, string>, undefined, '{}'>
  /** When retention removed the account that it was paid to. */
  account_removed_at: ColumnType<Date | null, undefined, Date>
  ledger_hash: string | null
  claimable_balance_id: string | null
  rail_payment_id: string | null
  message: string | null
  /**
   * `paid-already`: a deposit that the ledger shows as paid, though its money is not known here: it would be asked for
   * again. `waits-for-treasury`: it cannot be covered yet.
   */
  notice: ColumnType<
    'paid-already' | 'waits-for-treasury' | null,
    undefined,
    'paid-already' | 'waits-for-treasury' | null
  >
  /** `postMessage`: the page posts its transaction to the wallet that opened it, once the customer's part ends (SEP-24). */
  callback: string | null
  /** The page posts it at each change of its status too (`on_change_callback=postMessage`). */
  posts_changes: Generated<boolean>
  expires_at: Date | null
  origin: ColumnType<Origin | null, string | null | undefined, string | null>
  /** Null: it started before terms were kept, with those of the plan. */
  terms: ColumnType<TransferTerms | null, string | null | undefined, TransferTerms | null>
  /** Proves that this server agreed what it says. Null: nothing is agreed, an earlier release did, or someone else. */
  bound: ColumnType<Buffer | null, undefined, Buffer>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}
export type Transfer = Selectable<TransferTable>
export type NewTransfer = Insertable<TransferTable>
export type TransferChange = Updateable<TransferTable>

export interface TransferStepTable {
  id: Generated<string>
  transfer_id: string
  from_state: TransferState
  to_state: TransferState
  why: string
  at: Generated<Date>
}

/** What was known and which rules counted when a transaction was agreed, and when its money left. */
export interface TransferSnapshotTable {
  transfer_id: string
  moment: 'agreed' | 'left'
  sealed: Buffer
  at: Date
}

/** What earlier releases agreed, which the next server binds. */
interface TransferToBindTable {
  transfer_id: string
}

/** Until when a server of the release before may run beside this one. */
interface TermsBindingTable {
  until: Date
}

export interface TransferNoteTable {
  id: Generated<string>
  transfer_id: string
  by: string
  text: string
  at: Generated<Date>
}

export interface RailDisputeTable {
  rail: string
  dispute_id: string
  payment_id: string
  transfer_id: string | null
  currency: string
  amount: string
  state: DisputeReport['state']
  round: number
  deducted: string
  booked: Generated<string>
  /** `awaited`: the deposit waits for its money again. `owed`: the customer owes it. `suspense`: people decide. */
  booked_as: ColumnType<
    'awaited' | 'owed' | 'suspense' | null,
    undefined,
    'awaited' | 'owed' | 'suspense' | null
  >
  reason: string
  respond_by: Date | null
  person: string | null
  account: string | null
  account_memo: string | null
  created_at: Generated<Date>
  changed_at: Generated<Date>
}

export interface CustomerDebtTable {
  id: Generated<string>
  transfer_id: string
  /** The statement's line, or the provider's report. */
  cause: string
  rail: string
  currency: string
  amount: string
  recovered: Generated<string>
  /** What the bank said. */
  reason: string
  person: string | null
  account: string
  account_memo: string | null
  state: ColumnType<
    'open' | 'recovered' | 'written-off' | 'reversed',
    undefined,
    'open' | 'recovered' | 'written-off' | 'reversed'
  >
  created_at: Generated<Date>
  ended_at: ColumnType<Date | null, undefined, Date | null>
}
