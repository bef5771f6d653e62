import type { CsvColumns, statementFormats, statementLineStates } from '@windlass/contracts/bank-files.ts'
import type { ColumnType, Generated, Selectable } from 'kysely'

/** The tables that this slice owns. */
export interface BankFilesTables {
  bank_statements: BankStatementTable
  bank_lines: BankLineTable
  csv_columns: CsvColumnsTable
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
}
export type BankStatementRow = Selectable<BankStatementTable>

export interface BankLineTable {
  id: string
  statement_id: string
  position: number
  account: string
  rail: string
  /** `YYYY-MM-DD` */
  booked_on: string
  direction: 'in' | 'out'
  amount: string
  currency: string
  bank_reference: string | null
  codes: string[]
  sealed: Buffer
  state: ColumnType<
    (typeof statementLineStates)[number],
    undefined,
    'matched' | 'review' | 'returned' | 'ignored'
  >
  why: string | null
  transfer_id: string | null
  order_id: string | null
  /** Of an ignored line. */
  ignored_as: 'own' | 'duplicate' | null
  /** The line that an ignored one repeats. */
  duplicate_of: string | null
  decided_by: string | null
  decided_at: Date | null
  next_try_at: Generated<Date>
  created_at: Generated<Date>
}
export type BankLine = Selectable<BankLineTable>

interface CsvColumnsTable {
  version: Generated<string>
  rail: string
  columns: ColumnType<CsvColumns, string, never>
  by: string
  at: Generated<Date>
}
