import type { AnchorStatus } from '@windlass/contracts/administrators.ts'
import type { AnchorEventKind, Export, Removal } from '@windlass/contracts/anchor-life.ts'
import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import type { ColumnType } from 'kysely'

export interface AnchorsTable {
  id: string
  organization_id: string
  application_id: string
  subdomain: string
  home_domain: string
  status: AnchorStatus
  plan: ColumnType<AnchorPlan, string, string>
  reason: string | null
  issuer: string | null
  distribution: string | null
  signing_key: string | null
  api_url: string | null
  /** As it was told at provisioning; the aggregator's health worker knows the present one. */
  treasury_capacity: string | null
  summary_secret: Buffer | null
  service_secret_hash: Buffer | null
  created_at: Date
  activated_at: Date | null
}

export interface AnchorEventsTable {
  id: string
  anchor_id: string
  kind: AnchorEventKind
  detail: string
  at: Date
}

export interface RemovalsTable {
  id: string
  anchor_id: string
  state: Removal['state']
  reason: string
  forced: boolean
  export: ColumnType<Export | null, string | null | undefined, string | null>
  error: ColumnType<string | null, string | null | undefined, string | null>
  created_at: Date
  finished_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}
