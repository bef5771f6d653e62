import type { incidentEndings } from '@windlass/contracts/anchor/developer-api.ts'
import type { AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import type { ColumnType, Generated, RawBuilder, Selectable } from 'kysely'
import type { WaitCode, WaitColumns } from './waits.ts'

/** The tables that this slice owns. */
export interface PaymentsTables {
  blocked_money: BlockedMoneyTable
  ledger_payments: LedgerPaymentTable
  ledger_envelopes: EnvelopeTable
  claimable_balances: ClaimableBalanceTable
  unrecorded_payments: UnrecordedPaymentTable
  ledger_channels: ChannelTable
  observed: ObservedTable
  ledger_receipts: LedgerReceiptTable
  ledger_dust: LedgerDustTable
  gathered_refunds: GatheredRefundTable
  ledger_incidents: LedgerIncidentTable
  ledger_proofs: LedgerProofTable
  rail_receipts: RailReceiptTable
  rail_orders: RailOrderTable
  orders_to_bind: OrderToBindTable
  payments_to_bind: PaymentToBindTable
}

type WaitDetailsColumn = ColumnType<WaitColumns['wait_details'], string | undefined, string>

/** `native`: XLM. */
export type LedgerAsset = AssetKey | 'native'

interface LedgerPaymentTable {
  id: Generated<string>
  /** What the payment is for: `deposit:<transfer>` or `refund:<receipt>`; a second one for it cannot be written. */
  cause: string
  transfer_id: string | null
  /**
   * `reclaim` takes back a claimable balance that nobody claimed; `redelivery` pays it to the customer's account;
   * `sweep` sends what exceeds the treasury's ceiling to the cold account; `open-channels` and `close-channels` pay
   * nobody: the amount is the XLM of the reserves.
   */
  purpose:
    | 'deposit'
    | 'refund'
    | 'reclaim'
    | 'redelivery'
    | 'sweep'
    | 'open-channels'
    | 'close-channels'
    | 'deploy-contract'
  destination: string
  amount: string
  asset: LedgerAsset
  memo: string | null
  memo_type: string | null
  claimable: boolean
  state: ColumnType<'queued' | 'paid' | 'canceled', undefined, 'queued' | 'paid' | 'canceled'>
  hash: string | null
  /** Why it is not made; `waits_for`, a sentence, is read by release 0.1 alone. */
  wait_code: WaitCode | null
  wait_details: WaitDetailsColumn
  attempts: Generated<number>
  next_try_at: Generated<Date>
  created_at: Generated<Date>
  paid_at: Date | null
  /** In XLM, once it is paid and the ledger's answer is known. */
  fee_charged: string | null
  /** How often people took back what it was canceled for. */
  reopened: Generated<number>
  /** Proves that this server ordered exactly this. Null: an earlier release did, or someone else. */
  bound: ColumnType<Buffer | null, Buffer, Buffer>
}
export type LedgerPayment = Selectable<LedgerPaymentTable>

/** A transaction that the anchor signed, and a ledger of the chain that it is for. */
interface SignedTable {
  hash: string
  xdr: string
  source: string
  sequence: string
  max_time: ColumnType<string, number, never>
  ledger_sequence: number
  ledger_hash: string
}

/** Money that a confirmed hit stops. */
interface BlockedMoneyTable {
  id: Generated<string>
  /** A payment on the ledger, or an order to a rail. */
  payment_id: string
  transfer_id: string
  hit_id: string
  unit: string
  amount: string
  blocked_at: Generated<Date>
  released_at: ColumnType<Date | null, undefined, Date>
}

interface EnvelopeTable extends SignedTable {
  payment_id: string
  ledger_closed_at: ColumnType<Date | null, string | null, never>
  state: ColumnType<'open' | 'applied' | 'dead', 'applied' | undefined, 'applied' | 'dead'>
  why: string | null
  created_at: Generated<Date>
  /** Proves that it can never apply. */
  ended: ColumnType<Buffer | null, undefined, Buffer>
}

export interface ClaimableBalanceTable {
  id: string
  /** The deposit that became it. */
  payment_id: string
  reclaim_at: Date
  state: ColumnType<
    'open' | 'claimed' | 'reclaimed' | 'lost',
    undefined,
    'open' | 'claimed' | 'reclaimed' | 'lost'
  >
  next_look_at: Date
  created_at: Generated<Date>
  bound: ColumnType<Buffer | null, Buffer, Buffer>
}

/** An account whose sequence numbers payments use beside the distribution account's. */
interface ChannelTable {
  account: string
  state: ColumnType<'open' | 'closing' | 'closed', 'open' | 'closing' | 'closed' | undefined>
  /** Whether a server with another state of this database may have signed with it. */
  foreign_use: Generated<boolean>
  opened_at: Generated<Date>
}

/** A payment on the ledger that this database did not make: it is older than the payment. */
export interface UnrecordedPaymentTable extends SignedTable {
  /** Its place in the transaction. */
  operation: number
  ledger_closed_at: Date
  destination: string
  /** Null: a claimable balance was taken back. */
  amount: string | null
  asset: LedgerAsset
  payment_id: string | null
  /** Whether an incident was opened. */
  reported: Generated<boolean>
  /** Whether an operator explained it. */
  closed: Generated<boolean>
  /** A sweep to the cold account, which needs no explanation. */
  is_sweep: Generated<boolean>
}

interface ObservedTable {
  account: string
  cursor: string
  caught_up_at: Date | null
  ledger_sequence: number | null
  ledger_hash: string | null
  ledger_closed_at: Date | null
  /** Up to it every transaction of the account is known; null: compared when the next payment is signed. */
  accounted_sequence: string | null
  /** Horizon's paging token of the place in the account's history up to which every transaction is known. */
  accounted_cursor: string | null
  /** The same of the network's fees in the journal, where the anchor serves XLM. */
  fees_cursor: ColumnType<string | null, string | null | undefined, string | null>
  /** The newest payment that was counted as dust. */
  dust_cursor: ColumnType<string | null, string | null | undefined, string | null>
}

interface LedgerIncidentTable {
  id: Generated<string>
  kind:
    | 'history-gap'
    | 'network-reset'
    | 'unreadable-payment'
    | 'unproven-payment'
    | 'unrecorded-payment'
    | 'held-receipt'
    | 'other-chain'
  subject: string
  details: ColumnType<Record<string, unknown>, string, string>
  record: Buffer | null
  attempts: Generated<number>
  next_try_at: Date | null
  found_at: Generated<Date>
  resolved_at: Date | null
  resolved_by: string | null
  /** What the person wrote who resolved it. */
  resolution: string | null
  /** How it ended by itself. */
  ended_as: (typeof incidentEndings)[number] | null
}
export type LedgerIncident = Selectable<LedgerIncidentTable>

interface LedgerReceiptTable {
  id: string
  hash: string
  /** The hash of the transaction inside a fee bump, which `hash` names. */
  inner_hash: ColumnType<string | null, string | null | undefined, string | null>
  /** Its place in the transaction, from 1. Null: of a chain that a reset ended, or credited by a person. */
  operation: number | null
  sender: string
  amount: string
  asset: LedgerAsset
  memo: string | null
  memo_type: string | null
  transfer_id: string | null
  outcome: 'accepted' | 'returned' | 'ignored' | 'kept' | 'held'
  why: string
  seen_at: Generated<Date>
}

/** Payments too small to be anything, of a day. */
interface LedgerDustTable {
  day: string
  asset: LedgerAsset
  payments: string
  amount: string
}

/** Refunds of strangers that wait to leave together. */
interface GatheredRefundTable {
  cause: string
  return_to: string
  asset: LedgerAsset
  amount: string
  memo: string | null
  memo_type: string | null
  leave_at: ColumnType<Date, Date | RawBuilder<Date>, never>
  created_at: Generated<Date>
  paid_by: string | null
  bound: ColumnType<Buffer | null, Buffer, Buffer>
}

/** That the payment of a withdrawal is on the ledger, by validators' signatures. */
interface LedgerProofTable {
  transfer_id: string
  hash: string
  ledger: number
  /** `accepted`: an operator said so, without a proof. */
  state: ColumnType<'waiting' | 'proven' | 'accepted', undefined, 'proven' | 'accepted'>
  proof: ColumnType<unknown, undefined, string>
  next_try_at: Generated<Date>
  created_at: Generated<Date>
  ended_at: ColumnType<Date | null, undefined, Date>
}
export type LedgerProof = Selectable<LedgerProofTable>

interface RailReceiptTable {
  rail: string
  payment_id: string
  reference: string | null
  amount: string
  currency: string
  transfer_id: string | null
  outcome: 'accepted' | 'returned' | 'unmatched' | 'held' | 'kept' | 'reversed'
  why: string
  /** `operator`: entered by a person, since the rail did not report it. */
  source: ColumnType<'rail' | 'operator', 'rail' | 'operator' | undefined, 'rail' | 'operator'>
  /** When the rail reported what a person entered. */
  confirmed_at: Generated<Date | null>
  seen_at: Generated<Date>
}

export type RailReceipt = Selectable<RailReceiptTable>

interface RailOrderTable {
  id: Generated<string>
  cause: string
  transfer_id: string | null
  kind: 'payout' | 'return'
  rail: string
  amount: string
  currency: string
  /** `paymentId` of what is returned; `masked` of a payout's account, which an earlier release wrote whole. */
  destination: ColumnType<Record<string, string>, string, never>
  state: ColumnType<'queued' | 'sent' | 'paid' | 'failed', undefined, 'queued' | 'sent' | 'paid' | 'failed'>
  failure: string | null
  /** Whether people decided that the money of a return is not sent back. */
  taken_back: Generated<boolean>
  /** Nothing held a payout, so its rail may have it. */
  handed: Generated<boolean>
  /** How often people took back how it ended. */
  reopened: Generated<number>
  /** Why it is not sent. */
  wait_code: ColumnType<WaitCode | null, undefined, WaitCode | null>
  wait_details: WaitDetailsColumn
  /** When the bank sent it back after it was paid, or could not pay a return: people decide about it. */
  came_back_at: ColumnType<Date | null, undefined, Date | null>
  /** What the bank kept of it then; negative: it gave back what it had taken with the debit. */
  bank_kept: ColumnType<string | null, undefined, string | null>
  /** What people decided then. */
  settled_as: ColumnType<'paid-again' | 'refunded' | null, undefined, 'paid-again' | 'refunded'>
  /** The order that came back, of one that pays it again. */
  again_of: ColumnType<string | null, string | undefined, never>
  next_try_at: Generated<Date>
  created_at: Generated<Date>
  /** Proves that this server ordered it. Null: an earlier release did, or someone else. */
  bound: ColumnType<Buffer | null, Buffer | null | undefined, Buffer>
}
export type RailOrder = Selectable<RailOrderTable>

/** Open orders of earlier releases, which the next server binds. */
interface OrderToBindTable {
  order_id: string
}

/** The same of payments on the ledger. */
interface PaymentToBindTable {
  payment_id: string
}
