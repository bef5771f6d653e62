import { invalid } from '@windlass/service/http/problem.ts'
import { isBoxKey } from '@windlass/service/seals/sealed-box.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { lockAnchor } from './anchors.ts'

/** Sets for whom the export of an anchor is sealed. Throws `validation-failed`. */
export async function setExportKey(
  { database, clock }: Deps,
  anchorId: string,
  publicKey: string | null,
  actor: string,
): Promise<{ publicKey: string | null }> {
  if (publicKey !== null && !isBoxKey(publicKey))
    throw invalid('publicKey', 'is no public key. Make one with npm run export:key')
  await database.db.transaction().execute(async tx => {
    const before = (await lockAnchor(tx, anchorId))?.export_key ?? null
    await tx.updateTable('anchors').set({ export_key: publicKey }).where('id', '=', anchorId).execute()
    const act = { actor, action: 'anchor.export-key-set', subject: `anchor:${anchorId}` }
    await record(tx, { ...act, details: { before, after: publicKey } }, clock.now())
  })
  return { publicKey }
}
