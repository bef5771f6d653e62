import type { TransferPlan } from '@windlass/contracts/aggregator/transfer-plans.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Tables } from '../tables.ts'

export async function insertPlan(db: Db<Tables>, plan: TransferPlan): Promise<void> {
  const { id, createdAt } = plan
  await db
    .insertInto('transfer_plans')
    .values({ id, created_at: new Date(createdAt), plan: JSON.stringify(plan) })
    .execute()
}

export async function findPlan(db: Db<Tables>, id: string): Promise<TransferPlan | undefined> {
  const row = await db.selectFrom('transfer_plans').select('plan').where('id', '=', id).executeTakeFirst()
  return row?.plan
}

export async function prunePlans(db: Db<Tables>, before: Date): Promise<void> {
  await db.deleteFrom('transfer_plans').where('created_at', '<', before).execute()
}
