import type { ColumnType, Generated } from 'kysely'

/** The tables that this slice owns. */
export interface JournalTables {
  journal_entries: JournalEntryTable
  journal_lines: JournalLineTable
}

export interface JournalEntryTable {
  id: Generated<string>
  cause: string
  kind: string
  transfer_id: string | null
  /** The entry that it takes back. */
  reverses: ColumnType<string | null, string | undefined, never>
  created_at: Generated<Date>
}

interface JournalLineTable {
  entry_id: string
  account: string
  unit: string
  amount: string
}
