import type { closeKinds, ExchangeTerms, JournalSettings } from '@windlass/contracts/anchor/journal.ts'
import type { ManualEntry } from '@windlass/contracts/anchor/manual-entries.ts'
import type { ColumnType, Generated, Selectable } from 'kysely'

/** The tables that this slice owns. */
export interface JournalTables {
  journal_entries: JournalEntryTable
  journal_lines: JournalLineTable
  journal_account_settings: AccountSettingsTable
  journal_settings: JournalSettingsTable
  journal_closes: JournalCloseTable
  manual_entries: ManualEntryTable
}

export interface JournalEntryTable {
  id: Generated<string>
  cause: string
  kind: string
  transfer_id: string | null
  /** The entry that it takes back. */
  reverses: ColumnType<string | null, string | undefined, never>
  created_at: Generated<Date>
  /** `YYYY-MM-DD`: of the bank's booking, or of the day in the anchor's time zone. */
  booked_on: ColumnType<string, string | undefined, never>
  /** From which its money counts. */
  valued_on: ColumnType<string, string | undefined, never>
  /** The rate, for an exchange. */
  exchange: ColumnType<ExchangeTerms | null, ExchangeTerms | null | undefined, never>
  /** In whose period it is: not before the last close. */
  counted_on: ColumnType<string, undefined, never>
  /** The line of a bank's statement that it rests on; null: none, or it is older than this was kept. */
  line_id: ColumnType<string | null, string | null | undefined, never>
}

interface JournalLineTable {
  entry_id: string
  account: string
  unit: string
  amount: string
}

/** How an accountant has an account, in versions: the newest of an account counts. */
interface AccountSettingsTable {
  id: Generated<string>
  account: string
  code: string | null
  tax_key: string | null
  /** The rail of `rail:<name>`. */
  held_for: 'customers' | 'business' | null
  by: string
  at: Generated<Date>
}

/** In versions: the newest counts. */
interface JournalSettingsTable {
  version: Generated<string>
  settings: ColumnType<JournalSettings, string, never>
  by: string
  at: Generated<Date>
}

/** Closed days and months. */
interface JournalCloseTable {
  id: Generated<string>
  kind: (typeof closeKinds)[number]
  /** `YYYY-MM-DD` */
  from_day: string
  to_day: string
  /** A period as JSON, with the reason. */
  content: string
  /** What is signed: it has the SHA-256 of the content. */
  message: string
  signature: string | null
  by: string
  created_at: Generated<Date>
}
export type JournalClose = Selectable<JournalCloseTable>

/** Entries that people wrote, with their documents. */
interface ManualEntryTable {
  id: string
  text: string
  /** `YYYY-MM-DD` */
  booked_on: string | null
  lines: ColumnType<ManualEntry['lines'], string, never>
  file_name: string
  /** SHA-256 of the document. */
  digest: Buffer
  /** The document, encrypted. */
  sealed: Buffer
  state: ColumnType<ManualEntry['status'], undefined, ManualEntry['status']>
  requested_by: string
  created_at: Generated<Date>
  decided_by: ColumnType<string | null, undefined, string>
  decided_at: ColumnType<Date | null, undefined, Date>
  reversal: ColumnType<ManualEntry['reversal'], undefined, string>
}
export type ManualEntryRow = Selectable<ManualEntryTable>
