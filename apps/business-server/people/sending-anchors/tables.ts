import type { Tier } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { ColumnType, Generated } from 'kysely'

/** The tables that this slice owns. */
export interface SendingAnchorsTables {
  sending_anchors: SendingAnchorTable
}

export interface SendingAnchorTable {
  /** `G…` */
  account: string
  name: string
  tier: Generated<Tier>
  lei: ColumnType<string | null, string | null | undefined, string | null>
  licence: ColumnType<string | null, string | null | undefined, string | null>
  /** `YYYY-MM-DD` */
  agreed_on: ColumnType<string | null, string | null | undefined, string | null>
  ends_on: ColumnType<string | null, string | null | undefined, string | null>
  created_at: Generated<Date>
}
