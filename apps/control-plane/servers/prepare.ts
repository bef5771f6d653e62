import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import type { ServerSpec, Slot } from '@windlass/runtimes/runtime.ts'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { StageFailure } from '../stage-failure.ts'
import { anchorDatabaseUrl, databasePasswords, ensureAnchorDatabase, grantServerRights } from './database.ts'
import { writeFileWhole } from './write-file.ts'

const OWNER_URL = 'secrets/migration_database_url'

/** Creates what an anchor's servers of a slot log in with, for anchors of an earlier version too. */
export async function prepareLogins(
  deps: Deps,
  { anchorId }: AnchorPlan,
  vault: Vault,
  slot: Slot,
): Promise<void> {
  const passwords = await databasePasswords(deps, vault, slot)
  await ensureAnchorDatabase(deps, anchorId, passwords, slot).catch(unavailable)
}

/**
 * Brings the business server's tables to its release as their owner, which the server itself is not (docs/adr/0023),
 * and gives its login the rights it needs.
 */
export async function prepareBusinessTables(deps: Deps, spec: ServerSpec, vault: Vault): Promise<void> {
  const { config, runtime } = deps
  const { anchorId, folder } = spec
  const passwords = await databasePasswords(deps, vault)
  const address = { schema: 'business', password: passwords.owner } as const
  const file = join(folder, OWNER_URL)
  await writeFileWhole(file, anchorDatabaseUrl(config.anchorsDatabaseUrl, anchorId, address), 0o600)
  try {
    await runtime.migrate({ ...spec, files: { DATABASE_URL_FILE: OWNER_URL } }, config.work.healthySeconds)
  } finally {
    await rm(file, { force: true })
  }
  await grantServerRights(deps, anchorId, passwords).catch(unavailable)
}

function unavailable(cause: unknown): never {
  throw new StageFailure('database-unavailable', 'The database server cannot prepare the anchor now.', {
    cause,
  })
}
