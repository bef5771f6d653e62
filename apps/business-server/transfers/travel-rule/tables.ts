import type { Corridor, TravelRuleFact } from '@windlass/contracts/anchor/travel-rule.ts'
import type { ColumnType, Generated } from 'kysely'

/** The tables that this slice owns. */
export interface TravelRuleTables {
  travel_rule_settings: TravelRuleSettingsTable
  travel_rule_records: TravelRuleRecordTable
  wallet_owners: WalletOwnerTable
}

/** The newest row counts. */
interface TravelRuleSettingsTable {
  version: Generated<string>
  threshold: string | null
  lei: string | null
  country: string | null
  corridors: ColumnType<Corridor[], string, never>
  ownership_above: string | null
  waits_for_answer: boolean
  by: string
  at: Generated<Date>
}

interface TravelRuleRecordTable {
  transfer_id: string
  /** An IVMS101 document. */
  sealed: Buffer
  /** Null: an earlier release kept it. */
  facts: ColumnType<TravelRuleFact[] | null, string, string | null>
  at: Date
}

interface WalletOwnerTable {
  account: string
  person: string
  at: Date
}
