import type {
  BankStatement,
  CsvColumns,
  statementFormats,
  statementLineStates,
} from '@windlass/contracts/anchor/bank-files.ts'
import type { OwnAccount } from '@windlass/contracts/anchor/journal.ts'
import type { ColumnType, Generated, Selectable } from 'kysely'

/** The tables that this slice owns. */
export interface BankFilesTables {
  bank_statements: BankStatementTable
  bank_statement_files: BankStatementFileTable
  bank_openings: BankOpeningTable
  bank_statement_parts: BankStatementPartTable
  bank_statement_days: BankStatementDayTable
  bank_line_places: BankLinePlaceTable
  bank_lines: BankLineTable
  csv_columns: CsvColumnsTable
  return_accounts: ReturnAccountTable
}

interface BankStatementTable {
  id: Generated<string>
  account: string
  rail: string
  currency: string
  format: (typeof statementFormats)[number]
  file_name: string
  digest: Buffer
  lines: number
  new_lines: number
  not_booked: Generated<number>
  /** `YYYY-MM-DD` */
  booked_from: string | null
  booked_to: string | null
  by: string
  created_at: Generated<Date>
  /** By which rule its lines were compared with earlier ones; 1 lost bookings. */
  rule: 1 | 2
  possible_duplicates: Generated<number>
  /** What of the file does not count: other accounts, rows that are no bookings. */
  left_out: ColumnType<NonNullable<BankStatement['leftOut']>, undefined, string>
}
export type BankStatementRow = Selectable<BankStatementTable>

interface BankStatementFileTable {
  statement_id: string
  /** The bytes as they came, compressed. Null: removed by retention. */
  sealed: Buffer | null
  removed_at: ColumnType<Date | null, undefined, Date>
}

/** What a bank account had before its first statement. The newest that is done counts. */
interface BankOpeningTable {
  id: Generated<string>
  account: string
  rail: string
  currency: string
  amount: string
  /** `YYYY-MM-DD` */
  day: string
  reason: string
  state: ColumnType<'waiting' | 'done' | 'rejected', undefined, 'done' | 'rejected'>
  requested_by: string
  requested_at: Generated<Date>
  decided_by: ColumnType<string | null, undefined, string>
  decided_at: ColumnType<Date | null, undefined, Date>
}
export type BankOpening = Selectable<BankOpeningTable>

/** One statement of a file; a file of most banks has one. */
interface BankStatementPartTable {
  id: Generated<string>
  statement_id: string
  position: number
  number: string | null
  page: string | null
  opening: string | null
  /** `YYYY-MM-DD` */
  opening_day: string | null
  closing: string | null
  closing_day: string | null
}

/** What a statement says of one day. */
interface BankStatementDayTable {
  part_id: string
  /** `YYYY-MM-DD` */
  day: string
  opening: string | null
  closing: string | null
  /** Whether it has the day from its beginning: 0 not known, 1 the bank says so, 2 it has earlier days. */
  starts: number
  /** The same of the day's end. */
  ends: number
  turnover: string
  bookings: Buffer
  is_longer: boolean
}

interface BankLinePlaceTable {
  part_id: string
  position: number
  line_id: string
}

export interface BankLineTable {
  id: string
  statement_id: string
  position: number
  account: string
  rail: string
  /** `YYYY-MM-DD` */
  booked_on: string
  /** From when its money counts; null: the file does not say. */
  valued_on: string | null
  direction: 'in' | 'out'
  amount: string
  currency: string
  bank_reference: string | null
  codes: string[]
  /** Null: removed by retention. */
  sealed: Buffer | null
  /** Null: an older release read it, or retention removed what it says. */
  facts: string | null
  payer_digest: ColumnType<string | null, string | null | undefined, null>
  /** The booking that has this transaction beside others: its number in the file, and what it comes to. */
  booking: number | null
  booking_direction: 'in' | 'out' | null
  booking_amount: string | null
  booking_reference: string | null
  possible_duplicate_of: string | null
  state: ColumnType<
    (typeof statementLineStates)[number],
    undefined,
    'matched' | 'review' | 'returned' | 'ignored'
  >
  why: string | null
  /** Why it could not be matched; null: it could, or is not looked at yet. */
  review_code: ColumnType<'refused' | 'failed' | null, undefined, 'refused' | 'failed' | null>
  transfer_id: string | null
  order_id: string | null
  /** The line that an ignored one repeats. */
  ignored_as: 'own' | 'duplicate' | null
  /** The account of the journal, for the business's own money. */
  own_account: OwnAccount | null
  /** The line that an ignored one repeats. */
  duplicate_of: string | null
  decided_by: string | null
  decided_at: Date | null
  next_try_at: Generated<Date>
  created_at: Generated<Date>
  /** When retention removed what it says of people. */
  removed_at: ColumnType<Date | null, undefined, Date>
}
export type BankLine = Selectable<BankLineTable>

interface CsvColumnsTable {
  version: Generated<string>
  rail: string
  columns: ColumnType<CsvColumns, string, never>
  by: string
  at: Generated<Date>
}

/** An account that someone wants a return to go to, which is not its line's. */
interface ReturnAccountTable {
  id: string
  payout_id: string
  /** Null: removed by retention. */
  sealed: Buffer | null
  state: ColumnType<'waiting' | 'done' | 'dismissed', undefined, 'done' | 'dismissed'>
  requested_by: string
  requested_at: Generated<Date>
  decided_by: ColumnType<string | null, undefined, string>
  decided_at: ColumnType<Date | null, undefined, Date>
}
export type ReturnAccount = Selectable<ReturnAccountTable>
