import type { RemovedKind } from '@windlass/contracts/anchor/retention.ts'
import type { Generated, GeneratedAlways } from 'kysely'

/** The tables that this slice owns. */
export interface RetentionTables {
  retention_rules: RetentionRulesTable
  removals: RemovalTable
}

interface RetentionRulesTable {
  version: GeneratedAlways<string>
  customer_years: number
  travel_record_years: number
  /** Null: what counts by the anchor's countries. */
  payment_record_years: number | null
  case_record_years: number | null
  by: string
  at: Generated<Date>
}

interface RemovalTable {
  id: GeneratedAlways<string>
  kind: RemovedKind
  count: number
  before: Date
  at: Generated<Date>
}
