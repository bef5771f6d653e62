import type { Tier } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { Generated } from 'kysely'

/** The tables that this slice owns. */
export interface SendingAnchorsTables {
  sending_anchors: SendingAnchorTable
}

export interface SendingAnchorTable {
  /** `G…` */
  account: string
  name: string
  tier: Generated<Tier>
  created_at: Generated<Date>
}
