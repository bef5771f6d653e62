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

/** Anchors whose database this process has just made complete, until their servers are started first. */
const complete = new WeakMap<Deps['config'], Set<string>>()

/**
 * Makes a new anchor's database as a copy of the template where there is one. Its servers' first start here then prepares nothing:
 * that is two connections to a database whose catalog Postgres reads for each.
 */
export async function createAnchorDatabase(
  deps: Deps,
  { anchorId }: AnchorPlan,
  vault: Vault,
  template: string | null,
): Promise<void> {
  const passwords = await databasePasswords(deps, vault)
  const isComplete = await ensureAnchorDatabase(deps, anchorId, passwords, 'a', template).catch(unavailable)
  if (!isComplete) return
  const anchors = complete.get(deps.config) ?? new Set()
  complete.set(deps.config, anchors.add(anchorId))
}

/** Whether this process has made an anchor's database complete, and its servers have not been started since. */
export const isComplete = ({ config }: Deps, anchorId: string): boolean =>
  complete.get(config)?.has(anchorId) ?? false

/** Whether an anchor's servers find all they log in to, once: a second start looks at the database. */
export const isJustCreated = ({ config }: Deps, anchorId: string): boolean =>
  complete.get(config)?.delete(anchorId) ?? false

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
