import { MAX_KEY_ACTS } from '@windlass/contracts/platform/api-keys.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'

const RETRY_MS = 30_000

/** For the due work: when the platform learns of an act next. */
export const keyActsDueAt = sql<Date | null>`
  select min(next_try_at) from key_acts where reported_at is null`

/** Tells the platform what keys did, and which acts began and never ended. */
export async function reportKeyActs({ database: { db }, clock, keyActs }: Deps): Promise<void> {
  for (;;) {
    const first = await db
      .selectFrom('key_acts')
      .selectAll()
      .where('reported_at', 'is', null)
      .where('next_try_at', '<=', clock.now())
      .orderBy('next_try_at')
      .limit(MAX_KEY_ACTS)
      .execute()
    if (first.length === 0) return
    const due = first.toSorted((one, other) => one.at.getTime() - other.at.getTime())
    const update = db.updateTable('key_acts').where(
      'id',
      'in',
      due.map(({ id }) => id),
    )
    // Told again where this is the last that happens: the platform drops what it has.
    await update.set({ next_try_at: new Date(clock.now().getTime() + RETRY_MS) }).execute()
    await keyActs.report(
      due.map(row => ({
        id: row.id,
        keyId: row.key_id,
        action: row.action,
        details: row.details,
        outcome: row.state === 'done' ? 'done' : 'unknown',
        at: row.at.toISOString(),
      })),
    )
    await update.set({ reported_at: clock.now() }).execute()
  }
}
