import { sql } from 'kysely'
import type { PlatformDb } from '../database.ts'

interface NewInvitation {
  id: string
  applicationId: string
  tokenHash: Buffer
  by: string
  now: Date
}

/** Valid for seven days of the database's time. */
export async function insertInvitation(tx: PlatformDb, invitation: NewInvitation): Promise<Date> {
  const row = await tx
    .insertInto('invitations')
    .values({
      id: invitation.id,
      application_id: invitation.applicationId,
      token_hash: invitation.tokenHash,
      created_at: invitation.now,
      created_by: invitation.by,
      expires_at: sql<Date>`date_trunc('milliseconds', now()) + interval '7 days'`,
      used_at: null,
      revoked_at: null,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return row.expires_at
}

function invitations(db: PlatformDb) {
  return db
    .selectFrom('invitations as i')
    .innerJoin('applications as a', 'a.id', 'i.application_id')
    .select([
      'i.id',
      'i.application_id',
      'i.expires_at',
      'i.used_at',
      'i.revoked_at',
      sql<boolean>`i.expires_at <= now()`.as('expired'),
      'a.company_profile',
      'a.stellar_config',
      'a.payment_rails',
      'a.compliance',
      'a.credentials',
    ])
}

export type InvitationRow = Awaited<ReturnType<ReturnType<typeof invitations>['executeTakeFirstOrThrow']>>

export function findByToken(db: PlatformDb, hash: Buffer): Promise<InvitationRow | undefined> {
  return invitations(db).where('i.token_hash', '=', hash).executeTakeFirst()
}

/** Held until the transaction ends: of many redeems at once, the next one sees what this one did. */
export function lockByToken(tx: PlatformDb, hash: Buffer): Promise<InvitationRow | undefined> {
  return invitations(tx).where('i.token_hash', '=', hash).forUpdate('i').executeTakeFirst()
}

export function lockById(tx: PlatformDb, id: string): Promise<InvitationRow | undefined> {
  return invitations(tx).where('i.id', '=', id).forUpdate('i').executeTakeFirst()
}

export async function markUsed(tx: PlatformDb, id: string): Promise<void> {
  await tx
    .updateTable('invitations')
    .set({ used_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

export async function markRevoked(tx: PlatformDb, id: string): Promise<void> {
  await tx
    .updateTable('invitations')
    .set({ revoked_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}
