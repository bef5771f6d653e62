import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { ServerSpec, Slot } from '@windlass/runtimes/runtime.ts'
import type { Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { StageFailure } from '../stage-failure.ts'
import {
  anchorDatabaseUrl,
  databasePasswords,
  ensureAnchorDatabase,
  grantServerRights,
  markMigrations,
  readMigrations,
  withClient,
} from './database.ts'
import { identifyMigrations } from './migrations.ts'
import { runMigrations } from './run-migrations.ts'

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
 * and gives its login the rights it needs. Tables that are known to have the release's migrations are left as they are.
 */
export async function prepareBusinessTables(deps: Deps, spec: ServerSpec, vault: Vault): Promise<void> {
  const { config } = deps
  const { anchorId } = spec
  const passwords = await databasePasswords(deps, vault)
  const address = { schema: 'business', password: passwords.owner } as const
  const url = anchorDatabaseUrl(config.anchorsDatabaseUrl, anchorId, address)
  const migrations = await identifyMigrations(deps, spec)
  const isCurrent = await withClient(url, async client => {
    if (migrations === null || (await readMigrations(client)) !== migrations) return false
    await grantServerRights(client, anchorId)
    return true
  }).catch(unavailable)
  if (isCurrent) return
  await runMigrations(deps, spec, url)
  await withClient(url, async client => {
    if (migrations !== null) await markMigrations(client, migrations)
    await grantServerRights(client, anchorId)
  }).catch(unavailable)
}

function unavailable(cause: unknown): never {
  throw new StageFailure('database-unavailable', 'The database server cannot prepare the anchor now.', {
    cause,
  })
}
