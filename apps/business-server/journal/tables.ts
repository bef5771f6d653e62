import type { Generated } from 'kysely'

/** The tables that this slice owns. */
export interface JournalTables {
  journal_entries: JournalEntryTable
  journal_lines: JournalLineTable
}

interface JournalEntryTable {
  id: Generated<string>
  cause: string
  kind: string
  transfer_id: string | null
  created_at: Generated<Date>
}

interface JournalLineTable {
  entry_id: string
  account: string
  unit: string
  amount: string
}
