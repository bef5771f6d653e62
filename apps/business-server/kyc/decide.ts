import type { KycStatus } from '@windlass/contracts/kyc.ts'
import type { Db } from '@windlass/service/database.ts'
import { sql } from 'kysely'
import type { BusinessDatabase } from '../database.ts'
import { tellDevelopers } from '../webhooks/tell-developers.ts'

export interface Decision {
  centralId: string
  status: KycStatus
  provider: string | null
  sessionId: string | null
  completedAt: Date
}

/** Takes a decision over unless a newer one stands; true where something changed. */
export async function decide(tx: Db<BusinessDatabase>, decision: Decision): Promise<boolean> {
  const before = await tx
    .selectFrom('kyc_statuses')
    .select('status')
    .where('central_id', '=', decision.centralId)
    .forUpdate()
    .executeTakeFirst()
  const written = await tx
    .insertInto('kyc_statuses')
    .values({
      central_id: decision.centralId,
      status: decision.status,
      provider: decision.provider,
      session_id: decision.sessionId,
      completed_at: decision.completedAt,
    })
    .onConflict(conflict =>
      conflict
        .column('central_id')
        .doUpdateSet({
          status: decision.status,
          provider: sql<string>`coalesce(excluded.provider, kyc_statuses.provider)`,
          session_id: sql<string>`coalesce(excluded.session_id, kyc_statuses.session_id)`,
          completed_at: decision.completedAt,
          updated_at: sql<Date>`now()`,
        })
        .where('kyc_statuses.completed_at', '<=', decision.completedAt),
    )
    .returning('status')
    .executeTakeFirst()
  if (!written || before?.status === decision.status) return false
  await tellCustomersChanged(tx, decision)
  return true
}

async function tellCustomersChanged(
  tx: Db<BusinessDatabase>,
  { centralId, status }: Decision,
): Promise<void> {
  const customers = await tx
    .selectFrom('customers')
    .select(['id', 'account', 'memo'])
    .where('central_id', '=', centralId)
    .execute()
  for (const { id, account, memo } of customers) {
    const params = JSON.stringify({ customer_id: id })
    await tx
      .insertInto('platform_calls')
      .values({
        transfer_id: null,
        method: 'notify_customer_info_updated',
        params,
        delivered_at: null,
        refused: null,
      })
      .execute()
    await tellDevelopers(tx, 'customer.status_changed', { id, account, memo, status })
  }
}
