import { createAnchorDatabase } from '../../servers/prepare.ts'
import { ensureTemplate } from '../../servers/template.ts'
import { businessSpecOf } from '../../servers/servers.ts'
import type { ProvisioningStage } from '../stage.ts'

/** A database of the anchor's own, with a schema and a login for each of its servers. */
export const setUpDatabases: ProvisioningStage = {
  name: 'Setting up databases',
  key: 'databases',
  isBusy: true,
  retries: { attempts: 12, backoff: 1, maxBackoff: 10, budget: 180 },
  run: async ({ deps, plan, vault, log }) => {
    const template = await ensureTemplate(deps, await businessSpecOf(deps, plan.anchorId))
    await createAnchorDatabase(deps, plan, vault, template)
    await log('info', 'The database exists, with a schema and a login for each server.')
  },
}
