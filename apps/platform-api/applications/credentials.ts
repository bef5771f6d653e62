import { type OutboxMessage, enqueue } from '@windlass/service/work/outbox.ts'
import { unavailable } from '@windlass/service/http/problem.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { PlatformDb } from '../tables.ts'

export const REMOVE_CREDENTIALS_TOPIC = 'remove-credentials'

/*
 * Rail credentials are only in the secrets store. Their name is recorded here before they are stored, and deleted
 * after they are removed, so that a crash at any point leaves no unknown secret.
 */

/**
 * Stores credentials before the transaction that confirms them with {@link confirmCredentials}. Throws
 * `dependency-unavailable` where the store is unavailable; nothing is stored then.
 */
export async function storeCredentials(
  { database: { db }, secrets }: Pick<Deps, 'database' | 'secrets'>,
  name: string,
  value: unknown,
): Promise<void> {
  await db.insertInto('stored_credentials').values({ name, state: 'writing' }).execute()
  try {
    await secrets.put(name, JSON.stringify(value))
  } catch (error) {
    // It may have arrived though the answer did not.
    await db.transaction().execute(tx => abandonCredentials(tx, name))
    throw unavailable('The secrets store', error)
  }
}

/** Throws `dependency-unavailable` where the sweep has removed them as abandoned. */
export async function confirmCredentials(tx: PlatformDb, name: string): Promise<void> {
  const kept = await tx
    .updateTable('stored_credentials')
    .set({ state: 'kept' })
    .where('name', '=', name)
    .where('state', '=', 'writing')
    .executeTakeFirst()
  if (kept.numUpdatedRows !== 1n) throw unavailable('The secrets store')
}

/** Removes them from the store once this transaction commits, however long the store is unavailable. */
export async function abandonCredentials(tx: PlatformDb, name: string): Promise<void> {
  const leaving = await tx
    .updateTable('stored_credentials')
    .set({ state: 'leaving' })
    .where('name', '=', name)
    .where('state', '!=', 'leaving')
    .executeTakeFirst()
  if (leaving.numUpdatedRows === 1n) await enqueue(tx, REMOVE_CREDENTIALS_TOPIC, name, {})
}

export function removeCredentials({ database: { db }, secrets }: Pick<Deps, 'database' | 'secrets'>) {
  return async ({ key: name }: OutboxMessage): Promise<void> => {
    await secrets.remove(name)
    await db.deleteFrom('stored_credentials').where('name', '=', name).execute()
  }
}

// Longer than any request may take.
const LEFT_OVER = sql`interval '5 minutes'`

/** Abandons credentials that a crash left without an application. */
export async function sweepCredentials({ database: { db } }: Pick<Deps, 'database'>): Promise<number> {
  const left = await db
    .selectFrom('stored_credentials')
    .select('name')
    .where('state', '=', 'writing')
    .where('created_at', '<', sql<Date>`now() - ${LEFT_OVER}`)
    .limit(100)
    .execute()
  for (const { name } of left) {
    await db.transaction().execute(tx => abandonCredentials(tx, name))
  }
  return left.length
}
