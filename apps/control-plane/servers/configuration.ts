import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import { anchorEndpoints } from '@windlass/contracts/internal/anchor-endpoints.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { servedAssets } from '@windlass/contracts/internal/served-assets.ts'
import type { Slot } from '@windlass/runtimes/runtime.ts'
import { hostSecret } from '@windlass/service/http/client-address.ts'
import { renderDiscoveryFile } from '@windlass/stellar/discovery-file.ts'
import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { folderOf, hostOf, publicUrlOf } from '../anchors/addresses.ts'
import { authorizeServers, ensureAccounts, ownAccounts, signerCredentials } from '../anchors/accounts.ts'
import { randomKeyring, type SecretReader, type SecretRole, type Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { StageFailure } from '../stage-failure.ts'
import { anchorDatabaseUrl, databasePasswords } from './database.ts'
import { readPair, type Pair, type Which } from './pair.ts'
import { writeFileWhole } from './write-file.ts'

/**
 * Writes the configuration and secrets that a pair of servers reads, from the database. Resolves to the paths in its
 * folder that changed.
 */
export async function writeConfiguration(
  deps: Deps,
  plan: AnchorPlan,
  vault: Vault,
  which: Which = 'serving',
): Promise<string[]> {
  const pair = await readPair(deps, plan.anchorId, which)
  const folder = folderOf(deps.config, plan.anchorId, pair.slot)
  const secrets = await vault.readAll(deps.database.db)
  const accounts = await ensureAccounts(deps, plan, secrets)
  await authorizeServers(deps, plan, secrets)
  const config = anchorConfig(deps, plan, accounts, pair)
  const files: [path: string, content: string][] = [
    ['config/anchor.json', `${JSON.stringify(config, null, 2)}\n`],
    ['config/stellar.toml', discoveryFile(deps, plan, accounts)],
    ...(await secretFiles(deps, plan, secrets, { folder, slot: pair.slot })),
  ]
  makePrivateFolder(folder)
  const isNew = await Promise.all(
    files.map(([path, content]) => writeFileWhole(join(folder, path), content, 0o600)),
  )
  return files.flatMap(([path], index) => (isNew[index] ? [path] : []))
}

/** Anchors whose configuration this process has compared, each with how often its rails had changed by then. */
const compared = new WeakMap<Deps['config'], Map<string, number>>()

/**
 * Writes the configuration of an anchor's serving pair once in this process, and again when its rails have changed: the
 * settings of the platform may have changed since its servers were started. Resolves to the paths that changed.
 */
export async function compareConfiguration(deps: Deps, plan: AnchorPlan, vault: Vault): Promise<string[]> {
  const known = compared.get(deps.config) ?? new Map<string, number>()
  compared.set(deps.config, known)
  const version = plan.railVersions?.length ?? 0
  if (known.get(plan.anchorId) === version) return []
  const changed = await writeConfiguration(deps, plan, vault)
  known.set(plan.anchorId, version)
  return changed
}

/** Writes it where the files here may be missing or outdated: another node's control plane may have written them last. */
export async function refreshInCluster(
  deps: Deps,
  plan: AnchorPlan,
  vault: Vault,
  which: Which = 'serving',
): Promise<void> {
  if (deps.runtime.kind === 'swarm') await writeConfiguration(deps, plan, vault, which)
}

type Accounts = AnchorConfig['accounts']

function anchorConfig(
  { config, runtime }: Deps,
  plan: AnchorPlan,
  accounts: Accounts,
  { anchorId, slot, ports, release }: Pair,
): AnchorConfig {
  return {
    plan,
    accounts,
    publicUrl: publicUrlOf(config, plan),
    network: {
      passphrase: config.ledger.networkPassphrase,
      horizonUrl: config.ledger.horizonUrl,
      ledgerUrl: config.ledger.gatewayUrl,
      ...(config.ledger.explorer ? { explorer: config.ledger.explorer } : {}),
      ...(config.ledger.browsers ? { browsers: config.ledger.browsers } : {}),
      ...(config.ledger.contractLogin ? { contractLogin: config.ledger.contractLogin } : {}),
    },
    platformUrl: config.platformUrl,
    signerUrl: config.signer.url,
    // In this file and not in their environment, so that a change reaches servers that run.
    fxRates: config.anchors.fxRates,
    ...(config.anchors.fxRatesWithin ? { fxRatesWithin: config.anchors.fxRatesWithin } : {}),
    sepServerUrl: runtime.address({ anchorId, slot, role: 'sep', port: ports.sep }),
    businessServerUrl: runtime.address({ anchorId, slot, role: 'business', port: ports.business }),
    version: release.version,
  }
}

function discoveryFile({ config }: Deps, plan: AnchorPlan, accounts: Accounts): string {
  return renderDiscoveryFile({
    networkPassphrase: config.ledger.networkPassphrase,
    endpoints: anchorEndpoints(publicUrlOf(config, plan)),
    signingKey: accounts.signing,
    webAuthContract: config.ledger.contractLogin?.contract,
    accounts: ownAccounts(plan, accounts),
    organization: { name: plan.organizationName, email: plan.businessEmail, website: plan.website },
    currencies: servedAssets({ plan, accounts }).map(asset => ({
      ...asset,
      status: config.mainnet ? 'live' : 'test',
    })),
  })
}

async function secretFiles(
  deps: Deps,
  plan: AnchorPlan,
  vault: SecretReader,
  { folder, slot }: { folder: string; slot: Slot },
): Promise<[string, string][]> {
  const secret = async (role: SecretRole) => (await vault.get(deps.database.db, role)).secret
  const server = deps.config.anchorsDatabaseUrl
  const { sep, business } = await databasePasswords(deps, vault, slot)
  const signer = await signerCredentials(deps, vault)
  const files: [string, string | null][] = [
    ['sep_signer_credential', signer.sep],
    ['business_signer_credential', signer.business],
    ['sep_jwt_secret', await secret('sep_jwt')],
    ['service_secret', await secret('service')],
    ['summary_secret', await secret('summary')],
    ['link_secret', await secret('link')],
    [
      'proxy_secret',
      deps.config.proxySecret === undefined ? null : hostSecret(deps.config.proxySecret, hostOf(plan)),
    ],
    // Created here, so that anchors of an earlier version get theirs from the reconciler.
    ['details_key', (await vault.ensure(deps.database.db, 'details', () => randomKeyring())).secret],
    // v1 is what SEP servers of an earlier version derived for themselves.
    ['sep_details_key', (await vault.ensure(deps.database.db, 'sep_details', () => randomKeyring(2))).secret],
    ['sep_database_url', anchorDatabaseUrl(server, plan.anchorId, { login: 'sep', slot, password: sep })],
    [
      'business_database_url',
      anchorDatabaseUrl(server, plan.anchorId, { login: 'business', slot, password: business }),
    ],
    ['rail_credentials.json', await railCredentials(deps, plan)],
    // Earlier releases gave servers their accounts' keys and the identity provider's: they are removed.
    ['signing_key', null],
    ['distribution_key', null],
    ['webhook_secret', null],
    ['provider_api_key', null],
  ]
  const gone = files.filter(([, content]) => content === null)
  await Promise.all(gone.map(([name]) => rm(join(folder, 'secrets', name), { force: true })))
  return files.flatMap(([name, content]) => (content === null ? [] : [[`secrets/${name}`, content]]))
}

/** The application's credentials as they are, and beside them every later version of a rail's, oldest first. */
async function railCredentials(
  deps: Deps,
  { railCredentials: first, railVersions = [] }: AnchorPlan,
): Promise<string | null> {
  if (!first && railVersions.length === 0) return null
  try {
    const given = first ? await deps.readSecret(first) : null
    if (railVersions.length === 0) return given
    const versions = []
    for (const { rail, credentials } of railVersions)
      versions.push({ rail, credentials: JSON.parse((await deps.readSecret(credentials)) ?? '') })
    return JSON.stringify({ ...JSON.parse(given ?? '{}'), versions })
  } catch (cause) {
    const detail = 'The secrets store with the rail credentials does not answer.'
    throw new StageFailure('secrets-store-unavailable', detail, { cause })
  }
}
