import { createAnchorDatabase, isComplete } from '../../servers/prepare.ts'
import { ensureTemplate } from '../../servers/template.ts'
import { businessSpecOf } from '../../servers/servers.ts'
import type { Vault } from '../../anchors/vault.ts'
import { keepSecretsAndPorts } from '../secrets-and-ports.ts'
import type { ProvisioningStage, StageContext } from '../stage.ts'

/** A database of the anchor's own, with a schema and a login for each of its servers. */
export const setUpDatabases: ProvisioningStage = {
  name: 'Setting up databases',
  key: 'databases',
  isBusy: true,
  retries: { attempts: 12, backoff: 1, maxBackoff: 10, budget: 180 },
  run: async context => {
    const { vault, log } = context
    await early.get(vault)
    if (!isComplete(vault)) await createDatabase(context)
    await log('info', 'The database exists, with a schema and a login for each server.')
  },
}

async function createDatabase({ deps, plan, vault }: StageContext): Promise<void> {
  const template = await ensureTemplate(deps, await businessSpecOf(deps, plan.anchorId))
  await createAnchorDatabase(deps, plan, vault, template)
}

/** Databases that are created ahead of their stage, by the vault of the run: another run waits for none that may hang. */
const early = new WeakMap<Vault, Promise<void>>()

/**
 * Begins to create the database, while the ledger closes. Its own stage creates what is missing then, also after an end
 * of this process, and reports why it cannot be.
 */
export function createDatabaseEarly(context: StageContext): void {
  const { deps, jobId, vault } = context
  if (early.has(vault)) return
  const work = keepSecretsAndPorts(context)
    .then(() => createDatabase(context))
    .catch(error => deps.logger.info({ err: error, jobId }, 'the database is created later'))
  early.set(vault, work)
}
