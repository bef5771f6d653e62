import { currentRetention, recordRemoval, yearsBefore } from '../../people/retention/rules.ts'
import type { Deps } from '../../deps.ts'
import { KINDS } from './kinds.ts'

const AT_ONCE = 1_000
/** More waits for the next hour. */
const BATCHES = 100

/**
 * Removes personal data whose time is over, and writes down how much of what, in the same transaction. What someone looks into
 * stays. A kind that fails keeps no other from being removed.
 */
export async function removeDue(deps: Deps): Promise<void> {
  const failures: unknown[] = []
  for (const kind of KINDS) await removeAll(deps, kind).catch((error: unknown) => failures.push(error))
  const [first, ...more] = failures
  const others = more.filter(each => String(each) !== String(first))
  if (others.length > 0) deps.logger.warn({ failures: others.map(String) }, 'further kinds were not removed')
  if (failures.length > 0) throw first
}

async function removeAll(deps: Deps, { kind, years, remove }: (typeof KINDS)[number]): Promise<void> {
  const { database, clock, faults } = deps
  const now = clock.now()
  const before = yearsBefore(now, (await currentRetention(deps, database.db))[years])
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const count = await database.db.transaction().execute(async tx => {
      const removed = await remove(tx, { before, now, limit: AT_ONCE })
      await recordRemoval(tx, { kind, count: removed, before })
      faults.at('retention:removed')
      return removed
    })
    if (count < AT_ONCE) return
  }
}
