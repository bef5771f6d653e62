import type { ApplicationStatus, ReviewedApplication } from '@windlass/contracts/platform/applications.ts'
import type { EmailLanguage } from '@windlass/contracts/platform/emails.ts'
import type { PageStart } from '@windlass/service/http/pages.ts'
import { sql } from 'kysely'
import type { PlatformDb } from '../tables.ts'
import type { Submission } from './read-submission.ts'

interface NewApplication {
  id: string
  submission: Submission
  credentials: string | null
  language: EmailLanguage
  now: Date
}

export async function insertApplication(tx: PlatformDb, application: NewApplication): Promise<void> {
  const { companyProfile, stellarConfig, paymentRails, compliance } = application.submission
  await tx
    .insertInto('applications')
    .values({
      id: application.id,
      status: 'applied',
      company_profile: JSON.stringify(companyProfile),
      stellar_config: JSON.stringify(stellarConfig),
      payment_rails: JSON.stringify(paymentRails),
      compliance: JSON.stringify(compliance),
      credentials: application.credentials,
      created_at: application.now,
      reviewed_at: null,
      reviewed_by: null,
      reason: null,
      language: application.language,
    })
    .execute()
}

interface ReviewRow {
  review: ApplicationStatus
  from: ApplicationStatus
  by: string
  reason: string | null
  now: Date
}

/** Reviews an application where it is still in `from`; of many at once one gets the row. */
export function markReviewed(tx: PlatformDb, id: string, { review, from, by, reason, now }: ReviewRow) {
  return tx
    .updateTable('applications')
    .set({ status: review, reviewed_at: now, reviewed_by: by, reason })
    .where('id', '=', id)
    .where('status', '=', from)
    .returning(['id', 'company_profile', 'credentials', 'language'])
    .executeTakeFirst()
}

export async function forgetCredentials(tx: PlatformDb, id: string): Promise<void> {
  await tx.updateTable('applications').set({ credentials: null }).where('id', '=', id).execute()
}

export function findApplication(db: PlatformDb, id: string) {
  return db.selectFrom('applications').selectAll().where('id', '=', id).executeTakeFirst()
}

function reviewedApplications(db: PlatformDb) {
  return db
    .selectFrom('applications as a')
    .leftJoinLateral(
      eb =>
        eb
          .selectFrom('invitations')
          .select([
            'id as invitation_id',
            'created_at as invited_at',
            'expires_at',
            sql<'open' | 'used' | 'revoked' | 'expired'>`case when used_at is not null then 'used'
              when revoked_at is not null then 'revoked'
              when expires_at <= now() then 'expired' else 'open' end`.as('invitation_status'),
          ])
          .whereRef('invitations.application_id', '=', 'a.id')
          .orderBy('invitations.created_at', 'desc')
          .orderBy('invitations.id')
          .limit(1)
          .as('i'),
      join => join.onTrue(),
    )
    .selectAll('a')
    .select(['i.invitation_id', 'i.invited_at', 'i.expires_at', 'i.invitation_status'])
}

type ReviewedRow = Awaited<ReturnType<ReturnType<typeof reviewedApplications>['executeTakeFirstOrThrow']>>

export async function findReviewed(
  db: PlatformDb,
  status: ApplicationStatus | undefined,
  start: PageStart | null,
  limit: number,
): Promise<ReviewedRow[]> {
  let query = reviewedApplications(db).orderBy('a.created_at', 'desc').orderBy('a.id', 'desc').limit(limit)
  if (status) query = query.where('a.status', '=', status)
  if (start) query = query.where(sql<boolean>`(a.created_at, a.id) < (${start.createdAt}, ${start.id})`)
  return query.execute()
}

export function findOneReviewed(db: PlatformDb, id: string): Promise<ReviewedRow | undefined> {
  return reviewedApplications(db).where('a.id', '=', id).executeTakeFirst()
}

/** As administrators see it. */
export function asReviewed(row: ReviewedRow): ReviewedApplication {
  return {
    id: row.id,
    status: row.status,
    companyProfile: row.company_profile,
    stellarConfig: row.stellar_config,
    paymentRails: row.payment_rails,
    compliance: row.compliance,
    hasCredentials: row.credentials !== null,
    createdAt: row.created_at.toISOString(),
    reviewedAt: row.reviewed_at?.toISOString() ?? null,
    reviewedBy: row.reviewed_by,
    reason: row.reason,
    invitation:
      row.invitation_id && row.invitation_status && row.invited_at && row.expires_at
        ? {
            id: row.invitation_id,
            status: row.invitation_status,
            createdAt: row.invited_at.toISOString(),
            expiresAt: row.expires_at.toISOString(),
          }
        : null,
  }
}
