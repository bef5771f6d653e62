import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { ServerSpec, Slot } from '@windlass/runtimes/runtime.ts'
import type { Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { StageFailure } from '../stage-failure.ts'
import {
  anchorDatabaseUrl,
  databasePasswords,
  ensureAnchorDatabase,
  grantNewTables,
  grantServerRights,
  markMigrations,
  readMigrations,
  withClient,
} from './database.ts'
import { identifyMigrations } from './migrations.ts'
import { runMigrations } from './run-migrations.ts'

/** Vaults of runs that have just made their anchor's database complete, until its servers are started first. */
const complete = new WeakSet<Vault>()

/**
 * Makes a new anchor's database as a copy of the template where there is one. Its servers' first start in the same run then
 * prepares nothing: that is two connections to a database whose catalog Postgres reads for each. A later start looks: passwords,
 * tables and authorizations may have changed since.
 */
export async function createAnchorDatabase(
  deps: Deps,
  { anchorId }: AnchorPlan,
  vault: Vault,
  template: string | null,
): Promise<void> {
  const passwords = await databasePasswords(deps, vault)
  if (await ensureAnchorDatabase(deps, anchorId, passwords, 'a', template).catch(unavailable))
    complete.add(vault)
}

/** Whether the run with this vault has made its anchor's database complete, and the servers have not been started since. */
export const isComplete = (vault: Vault): boolean => complete.has(vault)

/** As {@link isComplete}, once: a second start looks at the database. */
export const isJustCreated = (vault: Vault): boolean => complete.delete(vault)

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
    const isCurrent = migrations !== null && (await readMigrations(client)) === migrations
    await (isCurrent ? grantServerRights : grantNewTables)(client, anchorId)
    return isCurrent
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
