import type { Generated } from 'kysely'

/** The tables that this slice owns. */
export interface TravelRuleTables {
  travel_rule_settings: TravelRuleSettingsTable
  travel_rule_records: TravelRuleRecordTable
}

/** The newest row counts. */
interface TravelRuleSettingsTable {
  version: Generated<string>
  threshold: string | null
  lei: string | null
  by: string
  at: Generated<Date>
}

interface TravelRuleRecordTable {
  transfer_id: string
  /** An IVMS101 document. */
  sealed: Buffer
  at: Date
}
