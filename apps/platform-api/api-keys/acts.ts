import type { KeyAct } from '@windlass/contracts/platform/api-keys.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'

/**
 * Adds what an anchor's keys did to the audit log, each act once. Throws `forbidden` for a caller that is no anchor, and for
 * a key of another one.
 */
export async function recordKeyActs(
  { database, clock }: Deps,
  principal: Principals['internal'],
  acts: readonly KeyAct[],
): Promise<void> {
  if (principal.kind !== 'anchor') throw new Problem('forbidden', 'Only an anchor tells what its keys did.')
  const { anchorId } = principal
  await database.db.transaction().execute(async tx => {
    const keys = await tx
      .selectFrom('api_keys')
      .select(['id', 'name'])
      .where('anchor_id', '=', anchorId)
      .execute()
    const names = new Map(keys.map(({ id, name }) => [id, name]))
    for (const { id, keyId, action, details, outcome, at } of acts) {
      const apiKey = names.get(keyId)
      if (apiKey === undefined) throw new Problem('forbidden', 'A key of another anchor acts only there.')
      const added = await tx
        .insertInto('key_acts')
        .values({ anchor_id: anchorId, id })
        .onConflict(conflict => conflict.doNothing())
        .executeTakeFirst()
      if (added.numInsertedOrUpdatedRows !== 1n) continue
      const told = { ...details, apiKey, at, ...(outcome === 'unknown' ? { outcome } : {}) }
      const act = { actor: `key:${keyId}`, action, subject: `anchor:${anchorId}`, details: told }
      await record(tx, act, clock.now())
    }
  })
}
