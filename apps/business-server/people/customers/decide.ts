import type { IdentityDigests } from '@windlass/contracts/internal/internal.ts'
import type { KycStatus } from '@windlass/contracts/platform/kyc.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Sealer } from '@windlass/service/seals/seal.ts'
import { sql } from 'kysely'
import { queueCustomerUpdate } from '../../outgoing/sep-calls/sep-calls.ts'
import type { Tables } from '../../tables.ts'
import { publishEvent } from '../../outgoing/webhooks/publish.ts'
import { keepIdentity } from './same-person.ts'
import { keepVerifiedName } from './verified-name.ts'

interface Decision {
  centralId: string
  status: KycStatus
  provider: string | null
  sessionId: string | null
  /** By the provider's clock: decisions are ordered by it. */
  completedAt: Date
  /** By ours. */
  heardAt: Date
  /** Null: the provider said none, or an earlier release of the platform answered. */
  verifiedName: string | null
  /** Absent: an earlier release of the platform answered. */
  identity?: IdentityDigests | undefined
}

/** Records a provider's decision if it is newer than the recorded one. True if the status changed. */
export async function decide(tx: Db<Tables>, sealer: Sealer, decision: Decision): Promise<boolean> {
  const before = await lockStatus(tx, decision.centralId)
  if (before && before.completed_at >= decision.completedAt) return false
  await write(tx, sealer, decision)
  return publishChange(tx, before?.status, decision)
}

/**
 * Records the platform's status, unless the one here has changed since `since` (null: there was none): then the
 * platform's answer may be older than that change. True if the status changed.
 */
export async function adopt(
  tx: Db<Tables>,
  sealer: Sealer,
  decision: Decision,
  since: Date | null,
): Promise<boolean> {
  const before = await lockStatus(tx, decision.centralId)
  if ((before?.updated_at.getTime() ?? null) !== (since?.getTime() ?? null)) return false
  await write(tx, sealer, decision)
  return publishChange(tx, before?.status, decision)
}

/** Makes the next request for the customer's KYC status ask the platform. */
export async function markStale(db: Db<Tables>, centralId: string): Promise<void> {
  await db
    .updateTable('kyc_statuses')
    .set({ updated_at: new Date(0) })
    .where('central_id', '=', centralId)
    .execute()
}

/** Two decisions about one customer wait for each other, also before there is a row to lock. */
async function lockStatus(tx: Db<Tables>, centralId: string) {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`kyc:${centralId}`}, 0))`.execute(tx)
  return tx
    .selectFrom('kyc_statuses')
    .select(['status', 'completed_at', 'updated_at'])
    .where('central_id', '=', centralId)
    .executeTakeFirst()
}

async function write(tx: Db<Tables>, sealer: Sealer, decision: Decision): Promise<void> {
  const { centralId, status, provider, sessionId, completedAt, heardAt, verifiedName } = decision
  await tx
    .insertInto('kyc_statuses')
    .values({
      central_id: centralId,
      status,
      provider,
      session_id: sessionId,
      completed_at: completedAt,
      updated_at: heardAt,
    })
    .onConflict(conflict =>
      conflict.column('central_id').doUpdateSet({
        status,
        provider: sql<string>`coalesce(excluded.provider, kyc_statuses.provider)`,
        session_id: sql<string>`coalesce(excluded.session_id, kyc_statuses.session_id)`,
        completed_at: completedAt,
        updated_at: heardAt,
      }),
    )
    .execute()
  await keepVerifiedName(tx, sealer, centralId, verifiedName)
  await keepIdentity(tx, centralId, decision.identity)
}

async function publishChange(
  tx: Db<Tables>,
  before: KycStatus | undefined,
  { centralId, status }: Decision,
): Promise<boolean> {
  if (before === status) return false
  const customers = await tx
    .selectFrom('customers')
    .select(['id', 'account', 'memo'])
    .where('central_id', '=', centralId)
    .execute()
  for (const { id, account, memo } of customers) {
    await queueCustomerUpdate(tx, id)
    await publishEvent(tx, 'customer.status_changed', { id, account, memo, status })
  }
  return true
}
