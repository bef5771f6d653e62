import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import type { PlatformDb } from '../database.ts'

export interface Draft {
  plan: AnchorPlan
  applicationId: string
  organizationId: string
}

/** Drafts an anchor, which takes its subdomain for good: the constraint `anchors_subdomain_key` says who was first. */
export async function draftAnchor(tx: PlatformDb, draft: Draft, now: Date): Promise<void> {
  const { plan, applicationId, organizationId } = draft
  await tx
    .insertInto('anchors')
    .values({
      id: plan.anchorId,
      organization_id: organizationId,
      application_id: applicationId,
      subdomain: plan.subdomain,
      home_domain: plan.homeDomain,
      status: 'draft',
      plan: JSON.stringify(plan),
      created_at: now,
    })
    .execute()
}

export async function isSubdomainTaken(db: PlatformDb, subdomain: string): Promise<boolean> {
  const row = await db
    .selectFrom('anchors')
    .select('id')
    .where('subdomain', '=', subdomain)
    .executeTakeFirst()
  return row !== undefined
}

/** What an anchor is to be. */
export async function anchorPlan(db: PlatformDb, anchorId: string): Promise<AnchorPlan> {
  const row = await db
    .selectFrom('anchors')
    .select('plan')
    .where('id', '=', anchorId)
    .executeTakeFirstOrThrow()
  return row.plan
}
