import type { AnchorStatus } from '@windlass/contracts/administrators.ts'
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
