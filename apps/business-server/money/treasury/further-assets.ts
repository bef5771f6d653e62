import { servedAssets } from '@windlass/contracts/internal/served-assets.ts'
import type { Deps } from '../../deps.ts'

/**
 * Records what the anchor serves beside its first asset, so that no release that knows one asset starts on its database
 * (ADR 70). Throws where the configuration lacks one that it has served: its transfers would be left alone.
 */
export async function recordFurtherAssets({
  config,
  database,
}: Pick<Deps, 'config' | 'database'>): Promise<void> {
  const served = servedAssets(config.anchor).flatMap(({ key }) => (key === null ? [] : [{ asset: key }]))
  if (served.length > 0) {
    await database.db
      .insertInto('further_assets')
      .values(served)
      .onConflict(conflict => conflict.doNothing())
      .execute()
  }
  const known = await database.db.selectFrom('further_assets').select('asset').execute()
  const missing = known.filter(({ asset }) => served.every(each => each.asset !== asset))
  if (missing.length === 0) return
  const names = missing.map(({ asset }) => asset).join(', ')
  throw new Error(`ANCHOR_CONFIG does not name ${names}, which the anchor serves by its database.`)
}
