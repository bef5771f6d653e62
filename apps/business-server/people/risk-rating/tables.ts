import type { Rating, RiskFactor, RiskRules } from '@windlass/contracts/anchor/risk-rating.ts'
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

/** The tables that this slice owns. */
export interface RiskRatingTables {
  risk_rules: RiskRulesTable
  customer_ratings: CustomerRatingTable
}

interface RiskRulesTable {
  version: GeneratedAlways<string>
  rules: ColumnType<RiskRules, string, never>
  by: string
  at: Generated<Date>
}

export interface CustomerRatingTable {
  id: string
  /** Null: of one who deleted their data. `account`, `memo` and `person` say whose it was. */
  customer_id: ColumnType<string | null, string, null>
  account: ColumnType<string | null, undefined, string>
  memo: ColumnType<string | null, undefined, string | null>
  person: ColumnType<string | null, undefined, string | null>
  left_at: ColumnType<Date | null, undefined, Date>
  rating: Rating
  reasons: RiskFactor[]
  at_least: Rating | null
  /** As an earlier release wrote it; later ones in `sealed_note`. */
  note: ColumnType<string | null, undefined, null>
  sealed_note: ColumnType<Buffer | null, Buffer | null, Buffer | null>
  /** `rules`, or `operator:<id>` */
  by: string
  rules_version: string
  /** `YYYY-MM-DD` */
  review_on: string
  created_at: Generated<Date>
  replaced_at: ColumnType<Date | null, undefined, Date>
}
