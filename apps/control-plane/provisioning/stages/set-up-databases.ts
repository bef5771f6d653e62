import { ensureAnchorDatabase } from '../../servers/database.ts'
import { StageFailure } from '../../stage-failure.ts'
import type { ProvisioningStage } from '../stage.ts'

/** A database and a role of the anchor's own, with a schema for each of its servers. */
export const setUpDatabases: ProvisioningStage = {
  name: 'Setting up databases',
  key: 'databases',
  retries: { attempts: 12, backoff: 1, maxBackoff: 10, budget: 180 },
  run: async ({ deps, plan, vault, log }) => {
    const { secret } = await vault.get(deps.database.db, 'database')
    try {
      await ensureAnchorDatabase(deps, plan.anchorId, secret)
    } catch (cause) {
      throw new StageFailure('database-unavailable', 'The database server cannot take the anchor now.', {
        cause,
      })
    }
    await log('info', 'The database, its role and the schemas sep and business exist.')
  },
}
