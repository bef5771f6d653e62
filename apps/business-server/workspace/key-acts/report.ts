import { MAX_KEY_ACTS } from '@windlass/contracts/platform/api-keys.ts'
import { refusalOf } from '@windlass/service/work/refusals.ts'
import { sql, type Selectable } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { KeyActsTables } from './tables.ts'

type KeyAct = Selectable<KeyActsTables['key_acts']>

const RETRY_MS = 30_000
/** One that the platform does not take is sent again, should it be repaired. */
const REFUSED_RETRY_MS = 600_000

/** For the due work: when the platform learns of an act next. */
export const keyActsDueAt = sql<Date | null>`
  select min(next_try_at) from key_acts where reported_at is null`

/** Tells the platform what keys did, and which acts began and never ended. */
export async function reportKeyActs(deps: Deps): Promise<void> {
  const { db } = deps.database
  for (;;) {
    const first = await db
      .selectFrom('key_acts')
      .selectAll()
      .where('reported_at', 'is', null)
      .where('next_try_at', '<=', deps.clock.now())
      .orderBy('next_try_at')
      .limit(MAX_KEY_ACTS)
      .execute()
    if (first.length === 0) return
    await report(
      deps,
      first.toSorted((one, other) => one.at.getTime() - other.at.getTime()),
    )
  }
}

/** An act that is refused keeps no other one back: then each is sent by itself. */
async function report(deps: Deps, due: readonly KeyAct[]): Promise<void> {
  const { db } = deps.database
  const update = db.updateTable('key_acts').where(
    'id',
    'in',
    due.map(({ id }) => id),
  )
  const later = (milliseconds: number) => new Date(deps.clock.now().getTime() + milliseconds)
  // Told again where this is the last that happens: the platform drops what it has.
  await update.set({ next_try_at: later(RETRY_MS) }).execute()
  try {
    await deps.keyActs.report(due.map(formOf))
  } catch (error) {
    const refused_code = refusalOf(error)
    if (refused_code === null) throw error
    if (due.length > 1) for (const act of due) await report(deps, [act])
    else {
      deps.logger.error({ act: due[0]?.id, err: error }, 'the platform refuses what a key did')
      await update.set({ refused_code, next_try_at: later(REFUSED_RETRY_MS) }).execute()
    }
    return
  }
  await update.set({ reported_at: deps.clock.now(), refused_code: null }).execute()
}

const formOf = (row: KeyAct) => ({
  id: row.id,
  keyId: row.key_id,
  action: row.action,
  details: row.details,
  outcome: row.state === 'done' ? ('done' as const) : ('unknown' as const),
  at: row.at.toISOString(),
})
