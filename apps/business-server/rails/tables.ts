import type { ColumnType, Generated, Selectable } from 'kysely'

/** The tables that this slice owns. */
export interface RailsTables {
  simulated_rail_payments: SimulatedPaymentTable
  payment_pages: PaymentPageTable
  bank_payouts: BankPayoutTable
  payout_files: PayoutFileTable
  payout_file_rejections: PayoutFileRejectionTable
  rejected_payouts: RejectedPayoutTable
  files_to_bind: FileToBindTable
}

interface SimulatedPaymentTable {
  id: string
  rail: string
  direction: 'in' | 'out'
  reference: string
  amount: string
  currency: string
  outcome: 'paid' | 'failed'
  reason: string | null
  due_at: Date
  attempts: Generated<number>
  reported_at: Date | null
}
export type SimulatedPayment = Selectable<SimulatedPaymentTable>

interface PaymentPageTable {
  provider_id: string
  rail: string
  reference: string
  url: string
  expires_at: Date
  checks: Generated<number>
  next_check_at: Generated<Date>
  closed_at: Date | null
  created_at: Generated<Date>
}
export type PaymentPage = Selectable<PaymentPageTable>

/** A payment of ours that goes into a bank file. */
interface BankPayoutTable {
  /** The rail order's. */
  id: string
  /** What the bank shows with it: `P` and 14 hexadecimal digits. */
  code: string
  kind: 'payout' | 'return'
  rail: string
  amount: string
  currency: string
  /** The withdrawal of a payout, which has the account. */
  transfer_id: string | null
  /** The line whose money goes back in a return. */
  line_id: string | null
  /** Where a return goes if the line names no account. */
  sealed_destination: Buffer | null
  file_id: string | null
  ended_at: Date | null
  created_at: Generated<Date>
}
export type BankPayout = Selectable<BankPayoutTable>

interface PayoutFileTable {
  id: Generated<string>
  rail: string
  code: string
  format: 'pain.001' | 'nacha' | 'csv'
  file_name: string
  /** Null: removed by retention. */
  sealed: ColumnType<Buffer | null, Buffer, null>
  digest: Buffer
  /** What people see before they approve the file, encrypted, and its SHA-256. Null: of an earlier release. */
  sealed_sheet: Buffer | null
  sheet_digest: Buffer | null
  payouts: number
  total: string
  currency: string
  state: ColumnType<
    'created' | 'approved' | 'canceled' | 'rejected',
    undefined,
    'approved' | 'canceled' | 'rejected'
  >
  created_by: string
  approved_by: string | null
  approved_at: Date | null
  /** Proves that this server took the approval. */
  approval: Buffer | null
  downloaded_at: Date | null
  created_at: Generated<Date>
  /** When retention removed what it says of people. */
  removed_at: ColumnType<Date | null, undefined, Date>
}
export type PayoutFile = Selectable<PayoutFileTable>

/** That the bank rejected an approved file. */
interface PayoutFileRejectionTable {
  id: Generated<string>
  file_id: string
  reason: string
  state: ColumnType<'waiting' | 'done' | 'dismissed', undefined, 'done' | 'dismissed'>
  requested_by: string
  requested_at: Generated<Date>
  decided_by: ColumnType<string | null, undefined, string>
  decided_at: ColumnType<Date | null, undefined, Date>
}
export type PayoutFileRejection = Selectable<PayoutFileRejectionTable>

/** The payouts that left a file when it was rejected. */
interface RejectedPayoutTable {
  file_id: string
  payout_id: string
}

/** Approved files of earlier releases, whose approval the next server binds. */
interface FileToBindTable {
  file_id: string
}
