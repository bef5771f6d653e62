import type { Deps } from '../deps.ts'
import { proofOfClearing } from '../people/compliance/compare-names.ts'

/** Clears every hit of screening, as people would have. */
export async function clearHits(deps: Deps): Promise<void> {
  const { db } = deps.database
  for (const { id } of await db.selectFrom('screening_hits').select('id').execute())
    await db
      .updateTable('screening_hits')
      .set({ state: 'cleared', cleared: proofOfClearing(deps, id) })
      .where('id', '=', id)
      .execute()
}
