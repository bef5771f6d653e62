import { formatAmount } from '@windlass/money/amount.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import {
  RuntimeError,
  type ServerRole,
  type ServerSpec,
  type ServerState,
  type Slot,
} from '@windlass/runtimes/runtime.ts'
import { posix } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { folderOf } from '../anchors/addresses.ts'
import { authorizeServers } from '../anchors/accounts.ts'
import { getAnchor } from '../anchors/records.ts'
import type { Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { StageFailure } from '../stage-failure.ts'
import { refreshInCluster, writeConfiguration } from './configuration.ts'
import { isJustCreated, prepareBusinessTables, prepareLogins } from './prepare.ts'
import { allocatePorts, readPair, type Which } from './pair.ts'
import { findSource } from './release.ts'
import { isLeftUnfinished } from './upgrades/records.ts'

export const roles: readonly ServerRole[] = ['sep', 'business']
export const slots: readonly Slot[] = ['a', 'b']

const PORT_CHANGES = 3

interface Start {
  which?: Which
  signal?: AbortSignal
  afterEach?: (role: ServerRole) => void
}

/**
 * Starts both servers of a pair, or adopts those that run. Where another program has taken one of the ports, both get
 * others and the configuration is written again.
 */
export async function startServers(
  deps: Deps,
  plan: AnchorPlan,
  vault: Vault,
  { which = 'serving', signal, afterEach }: Start = {},
): Promise<ServerState[]> {
  for (let change = 0; ; change++) {
    try {
      const specs = await specsOf(deps, plan.anchorId, which)
      const dead = await deadOf(deps, specs)
      if (dead.length > 0) await prepare(deps, plan, vault, which, dead)
      signal?.throwIfAborted()
      const starts = specs.map(async spec => {
        const state = await deps.runtime.start(spec)
        afterEach?.(spec.role)
        return state
      })
      // What is still starting is stopped before another port is chosen.
      await Promise.allSettled(starts)
      return await Promise.all(starts)
    } catch (error) {
      const taken = error instanceof RuntimeError && error.code === 'port-taken'
      if (!taken || change === PORT_CHANGES) throw error
      const replace = { replace: true, which }
      await stopServers(deps, plan.anchorId, which)
      await deps.database.db.transaction().execute(tx => allocatePorts(tx, deps, plan.anchorId, replace))
      await writeConfiguration(deps, plan, vault, which)
    }
  }
}

async function prepare(
  deps: Deps,
  plan: AnchorPlan,
  vault: Vault,
  which: Which,
  dead: readonly ServerSpec[],
): Promise<void> {
  if (!isJustCreated(vault)) {
    await prepareLogins(deps, plan, vault, dead[0]?.slot ?? 'a')
    // A suspended anchor's servers have lost it.
    await authorizeServers(deps, plan, vault)
    for (const spec of dead) if (spec.role === 'business') await prepareBusinessTables(deps, spec, vault)
  }
  await refreshInCluster(deps, plan, vault, which)
}

/**
 * Starts both servers of an anchor that sleeps: its logins, tables and authorizations are still there. Throws
 * {@link RuntimeError}.
 *
 * @param first whom someone waits for: as a process, the other one starts after them, so that it does not take a processor
 * from them. Containers wait for their engine first, and start together
 */
export async function resumeServers(
  deps: Deps,
  plan: AnchorPlan,
  vault: Vault,
  { first, afterEach }: { first: readonly ServerRole[]; afterEach: (state: ServerState) => Promise<void> },
): Promise<void> {
  await refreshInCluster(deps, plan, vault)
  const specs = await specsOf(deps, plan.anchorId, 'serving')
  const early = deps.runtime.kind === 'processes' ? first : roles
  for (const now of [true, false]) {
    const chosen = specs.filter(({ role }) => early.includes(role) === now)
    await Promise.all(chosen.map(spec => deps.runtime.start(spec).then(afterEach)))
  }
}

async function deadOf({ runtime }: Deps, specs: readonly ServerSpec[]): Promise<ServerSpec[]> {
  const states = await Promise.all(
    specs.map(({ anchorId, role, slot }) => runtime.inspect(anchorId, role, slot)),
  )
  return specs.filter((_, index) => !states[index]?.running)
}

/**
 * Whether the serving pair has other files than are in its folder, of which some were just written. Where several control planes
 * have a folder each, what is new in this one may be what the servers were given by another.
 */
export async function lacksFiles(deps: Deps, anchorId: string): Promise<boolean> {
  const { runtime } = deps
  if (!runtime.hasFiles) return true
  const specs = await specsOf(deps, anchorId, 'serving')
  const given = await Promise.all(specs.map(spec => runtime.hasFiles?.(spec)))
  return given.some(has => !has)
}

/** Stops a pair's servers. */
export async function stopServers(deps: Deps, anchorId: string, which: Which = 'serving'): Promise<void> {
  const { slot } = await readPair(deps, anchorId, which)
  await stopSlot(deps, anchorId, slot)
}

/** Stops every server of an anchor. */
export async function stopAll(deps: Deps, anchorId: string): Promise<void> {
  await Promise.all(slots.map(slot => stopSlot(deps, anchorId, slot)))
}

export async function stopSlot({ runtime }: Deps, anchorId: string, slot: Slot): Promise<void> {
  await Promise.all(roles.map(role => runtime.stop(anchorId, role, slot)))
}

/** How both servers of a pair are started. */
async function specsOf(deps: Deps, anchorId: string, which: Which): Promise<[ServerSpec, ServerSpec]> {
  const { config } = deps
  const { slot, ports, release } = await readPair(deps, anchorId, which)
  const isLeft = await isLeftUnfinished(deps.database.db, anchorId, release)
  const { number, plan } = await getAnchor(deps.database.db, anchorId)
  const [sep, business] = [sepSettings(deps), businessSettings(deps, plan)]
  const shared = Object.values(sep.files).filter(path => Object.values(business.files).includes(path))
  const specOf = async (role: ServerRole, settings: ServerSettings): Promise<ServerSpec> => ({
    ...{ anchorId, role, slot, ...settings },
    ...(isLeft && { env: { ...settings.env, DATABASE_MAY_BE_NEWER: 'true' } }),
    user: { ...userOf(number, role), shared },
    folder: folderOf(config, anchorId, slot),
    version: release.version,
    port: ports[role],
    from: await findSource(deps, release, role),
  })
  return Promise.all([specOf('sep', sep), specOf('business', business)])
}

/** How the business server of the serving pair is started. */
export const businessSpecOf = async (deps: Deps, anchorId: string): Promise<ServerSpec> =>
  (await specsOf(deps, anchorId, 'serving'))[1]

/** Above what systems give to people and services, below what containers map. */
const FIRST_USER = 20_000

/** Each anchor has three ids: its group, and a user for each of its servers. */
const userOf = (number: number, role: ServerRole) => {
  const gid = FIRST_USER + 3 * number
  return { gid, uid: gid + (role === 'sep' ? 1 : 2) }
}

type ServerSettings = Pick<ServerSpec, 'env' | 'files' | 'folders'>

function sepSettings({ config }: Deps): ServerSettings {
  return {
    env: { ...deploymentOf(config), ...secondSourceOf(config) },
    files: {
      ANCHOR_CONFIG: 'config/anchor.json',
      STELLAR_TOML: 'config/stellar.toml',
      SIGNER_CREDENTIAL_FILE: 'secrets/sep_signer_credential',
      SEP_JWT_SECRET_FILE: 'secrets/sep_jwt_secret',
      DETAILS_KEY_FILE: 'secrets/sep_details_key',
      LINK_SECRET_FILE: 'secrets/link_secret',
      PROXY_SECRET_FILE: 'secrets/proxy_secret',
      DATABASE_URL_FILE: 'secrets/sep_database_url',
    },
  }
}

function businessSettings({ config }: Deps, plan: AnchorPlan): ServerSettings {
  const statements = statementsOf(config, plan)
  return {
    ...(statements.folders ? { folders: statements.folders } : {}),
    env: {
      ...deploymentOf(config),
      MAX_FEE_STROOPS: String(config.ledger.maxFee),
      ...(config.anchors.clamd ? { CLAMD_ADDRESS: config.anchors.clamd } : {}),
      ...(config.anchors.railProviderUrl ? { RAIL_PROVIDER_URL: config.anchors.railProviderUrl } : {}),
      ...statements.env,
      ...(config.ledger.historyHorizonUrl ? { HISTORY_HORIZON_URL: config.ledger.historyHorizonUrl } : {}),
      ...secondSourceOf(config),
      ...config.ledger.proofs,
      ...config.anchors.lists,
    },
    files: {
      ANCHOR_CONFIG: 'config/anchor.json',
      DATABASE_URL_FILE: 'secrets/business_database_url',
      SIGNER_CREDENTIAL_FILE: 'secrets/business_signer_credential',
      ANCHOR_SERVICE_SECRET_FILE: 'secrets/service_secret',
      SUMMARY_SECRET_FILE: 'secrets/summary_secret',
      LINK_SECRET_FILE: 'secrets/link_secret',
      PROXY_SECRET_FILE: 'secrets/proxy_secret',
      SEP_JWT_SECRET_FILE: 'secrets/sep_jwt_secret',
      DETAILS_KEY_FILE: 'secrets/details_key',
      RAIL_CREDENTIALS_FILE: 'secrets/rail_credentials.json',
    },
  }
}

function secondSourceOf({ ledger: { second } }: Deps['config']): Record<string, string> {
  const { horizonUrl, rpcUrl, limit } = second
  if (!horizonUrl && !rpcUrl) return {}
  return {
    ...(horizonUrl ? { SECOND_HORIZON_URL: horizonUrl } : {}),
    ...(rpcUrl ? { SECOND_RPC_URL: rpcUrl } : {}),
    SECOND_SOURCE_LIMIT: formatAmount(limit),
  }
}

const STATEMENTS_IN_CONTAINER = '/run/windlass/statements'

/** A container has its own anchor's folder alone. */
function statementsOf(
  { anchors: { statements, runtime } }: Deps['config'],
  { subdomain }: AnchorPlan,
): Partial<Pick<ServerSettings, 'env' | 'folders'>> {
  if (!statements) return {}
  if (runtime.kind === 'processes') return { env: { STATEMENTS_FOLDER: statements } }
  return {
    env: { STATEMENTS_FOLDER: STATEMENTS_IN_CONTAINER },
    folders: [
      { source: posix.join(statements, subdomain), at: posix.join(STATEMENTS_IN_CONTAINER, subdomain) },
    ],
  }
}

function deploymentOf({ local, mainnet, anchors }: Deps['config']): Record<string, string> {
  return {
    DEPLOYMENT: local ? 'local' : 'production',
    IS_MAINNET: String(mainnet),
    ANCHOR_DOMAIN_SUFFIX: anchors.domainSuffix,
    ANCHOR_INGRESS: anchors.ingress,
    ...anchors.observed,
  }
}

/** Waits until both servers answer their health check. Throws `server-exited`, or `server-not-healthy` after a while. */
export async function untilHealthy(
  deps: Deps,
  plan: AnchorPlan,
  signal: AbortSignal,
  which: Which = 'serving',
): Promise<void> {
  await Promise.all(
    roles.map(async role => {
      const until = performance.now() + deps.config.work.healthySeconds * 1_000
      // Most are there at the second look.
      let pause = 20
      while ((await healthOf(deps, plan.anchorId, role, which)) !== 'healthy') {
        signal.throwIfAborted()
        await demandAlive(deps, plan.anchorId, role, which)
        if (performance.now() > until) {
          throw new StageFailure('server-not-healthy', `The ${role} server does not become healthy.`)
        }
        await sleep(pause)
        pause = Math.min(pause * 2, 160)
      }
      // Not another program, which took its port.
      await demandAlive(deps, plan.anchorId, role, which)
    }),
  )
}

async function demandAlive(deps: Deps, anchorId: string, role: ServerRole, which: Which): Promise<void> {
  const { runtime, logger } = deps
  const { slot } = await readPair(deps, anchorId, which)
  const state = await runtime.inspect(anchorId, role, slot, true)
  if (state?.running) return
  const lines = await runtime.log(anchorId, role, 20, slot)
  logger.warn({ anchorId, role, ended: state?.ended, lines }, 'an anchor server exited')
  // What the anchor's database tells servers of a release that knows one asset.
  // oxlint-disable-next-line compared-sentences/by-codes -- a server of an older release prints what the database says.
  const why = lines.some(line => line.includes('serves several assets'))
    ? ' Its release knows one asset and the anchor serves several: there is no way back to it.'
    : ''
  throw new StageFailure('server-exited', `The ${role} server exited instead of becoming healthy.${why}`)
}

/** An anchor's server may be in others' hands: a redirect would choose what the control plane calls. */
async function probe(url: string, withinMs: number): Promise<Response> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(withinMs) })
  await response.body?.cancel()
  return response
}

/** A server's answer to its health check within two seconds; `silent`: none. */
export async function healthOf(
  deps: Deps,
  anchorId: string,
  role: ServerRole,
  which: Which = 'serving',
): Promise<'healthy' | 'failing' | 'silent'> {
  const { slot, ports } = await readPair(deps, anchorId, which)
  const address = deps.runtime.address({ anchorId, role, slot, port: ports[role] })
  try {
    const response = await probe(`${address}/health`, 2_000)
    return response.status === 200 ? 'healthy' : 'failing'
  } catch {
    return 'silent'
  }
}

// A server under load answers late; one that hangs answers never.
const LIVE_WITHIN_MS = 10_000

/** Whether a server of the serving pair answers at all, whatever its dependencies do. */
export async function isLive(deps: Deps, anchorId: string, role: ServerRole): Promise<boolean> {
  const { slot, ports } = await readPair(deps, anchorId)
  const address = deps.runtime.address({ anchorId, role, slot, port: ports[role] })
  try {
    // An earlier release answers 404: it is live too.
    await probe(`${address}/health/live`, LIVE_WITHIN_MS)
    return true
  } catch {
    return false
  }
}

/** Whether both servers of the serving pair answer that they are healthy. */
export async function isHealthy(deps: Deps, anchorId: string): Promise<boolean> {
  const states = await Promise.all(roles.map(role => healthOf(deps, anchorId, role)))
  return states.every(state => state === 'healthy')
}
