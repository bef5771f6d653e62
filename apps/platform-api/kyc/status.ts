import { lockCustomer } from '../customers/customers.ts'
import type { KycStatus } from '@windlass/contracts/platform/kyc.ts'
import { record } from '../audit/record.ts'
import type { PlatformDb } from '../tables.ts'

/** One decision about a customer's identity. */
export interface Decision {
  customerId: string
  status: KycStatus
  provider: string | null
  /** Id of the provider's session; null: the platform itself says so. */
  sessionId: string | null
  /** When the provider decided. */
  completedAt: Date
  /** The name on the document, by `sealName`; null or absent: the report has none, and the provider is asked. */
  sealedName?: Buffer | null
}

const NEVER = new Date(0)

/** The central status; NEEDS_INFO where nothing is known of the customer. */
export async function centralStatus(db: PlatformDb, customerId: string) {
  const row = await db
    .selectFrom('kyc_records')
    .selectAll()
    .where('customer_id', '=', customerId)
    .executeTakeFirst()
  return {
    status: row?.status ?? ('NEEDS_INFO' as const),
    verifiedAt: row?.verified_at?.toISOString() ?? null,
    provider: row?.provider ?? null,
    updatedAt: row?.updated_at.toISOString() ?? null,
    completedAt: row && row.completed_at > NEVER ? row.completed_at.toISOString() : null,
  }
}

/**
 * Records a decision unless a newer one exists, or it says nothing about what is recorded, in the caller's transaction, and returns the status that then applies.
 * Every change is audited under `actor`.
 */
export async function decide(
  tx: PlatformDb,
  decision: Decision,
  actor: string,
  now: Date,
): Promise<KycStatus> {
  await lockCustomer(tx, decision.customerId)
  const before = await tx
    .selectFrom('kyc_records')
    .selectAll()
    .where('customer_id', '=', decision.customerId)
    .executeTakeFirst()
  if (before && !counts(decision, before)) return before.status
  const { customerId, status, provider, sessionId, completedAt, sealedName = null } = decision
  const row = {
    status,
    provider,
    session_id: sessionId,
    completed_at: completedAt,
    verified_at: status === 'ACCEPTED' ? completedAt : null,
    updated_at: now,
    identity_due_at: null,
    name_due_at: status === 'ACCEPTED' && sessionId !== null && sealedName === null ? now : null,
    ...(sealedName ? { sealed_name: sealedName } : {}),
  }
  await tx
    .insertInto('kyc_records')
    .values({ customer_id: customerId, ...row })
    .onConflict(conflict => conflict.column('customer_id').doUpdateSet(row))
    .execute()
  const details = {
    from: before?.status ?? 'NEEDS_INFO',
    to: status,
    provider,
    sessionId,
    completedAt: completedAt.toISOString(),
  }
  await record(tx, { actor, action: 'kyc.decided', subject: `customer:${customerId}`, details }, now)
  return status
}

/**
 * Whether a newer report takes the place of what is recorded. Of another session than the recorded one, what is begun,
 * abandoned or expired says nothing against a decision, nor against a session that is under review.
 */
function counts(
  { status, sessionId, completedAt }: Decision,
  before: { status: KycStatus; session_id: string | null; completed_at: Date },
): boolean {
  if (completedAt <= before.completed_at) return false
  const decides = status === 'ACCEPTED' || status === 'REJECTED'
  if (decides || sessionId === null || sessionId === before.session_id) return true
  return before.status === 'NEEDS_INFO' || (before.status === 'PROCESSING' && status === 'PROCESSING')
}

/** Deletes a customer's status and sessions at the provider. */
export async function deleteIdentityOf(tx: PlatformDb, customerId: string): Promise<void> {
  await tx.deleteFrom('kyc_sessions').where('customer_id', '=', customerId).execute()
  await tx.deleteFrom('kyc_records').where('customer_id', '=', customerId).execute()
  await tx.deleteFrom('identity_digests').where('customer_id', '=', customerId).execute()
}
