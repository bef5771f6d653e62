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
  by: string
  at: Generated<Date>
}

interface RemovalTable {
  id: GeneratedAlways<string>
  kind: 'customer' | 'travel-record' | 'snapshot'
  count: number
  before: Date
  at: Generated<Date>
}
