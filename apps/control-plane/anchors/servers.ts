import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import {
  RuntimeError,
  type ServerRole,
  type ServerSpec,
  type ServerState,
} from '@windlass/runtimes/runtime.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import type { Vault } from '../keys/vault.ts'
import { StageFailure } from '../provisioning/stage.ts'
import { folderOf } from './addresses.ts'
import { writeConfiguration } from './configuration.ts'
import { allocatePorts, readPorts } from './ports.ts'
import { VERSION } from './version.ts'

export const roles: readonly ServerRole[] = ['sep', 'business']

const PORT_CHANGES = 3

/**
 * Starts both servers of an anchor, or adopts those that run. Where another program has taken a port meanwhile,
 * both move to others, and the configuration with them.
 */
export async function raiseServers(
  deps: Deps,
  plan: AnchorPlan,
  vault: Vault,
  { signal, afterEach }: { signal?: AbortSignal; afterEach?: (role: ServerRole) => void } = {},
): Promise<ServerState[]> {
  for (let change = 0; ; change++) {
    try {
      const states: ServerState[] = []
      for (const spec of await specsOf(deps, plan)) {
        signal?.throwIfAborted()
        states.push(await deps.runtime.start(spec))
        afterEach?.(spec.role)
      }
      return states
    } catch (error) {
      const taken = error instanceof RuntimeError && error.code === 'port-taken'
      if (!taken || change === PORT_CHANGES) throw error
      await stopServers(deps, plan.anchorId)
      await deps.database.db.transaction().execute(tx => allocatePorts(tx, deps, plan.anchorId, true))
      await writeConfiguration(deps, plan, vault)
    }
  }
}

export async function stopServers({ runtime }: Deps, anchorId: string): Promise<void> {
  await Promise.all(roles.map(role => runtime.stop(anchorId, role)))
}

/** What both servers are to be. */
export async function specsOf(deps: Deps, plan: AnchorPlan): Promise<ServerSpec[]> {
  const { anchorId } = plan
  const ports = await readPorts(deps.database.db, anchorId)
  const common = { anchorId, folder: folderOf(deps.config, anchorId), version: VERSION }
  return [
    { ...common, role: 'sep', port: ports.sep, ...sepSettings(deps) },
    { ...common, role: 'business', port: ports.business, ...businessSettings(deps) },
  ]
}

function sepSettings({ config }: Deps): Pick<ServerSpec, 'env' | 'files'> {
  return {
    env: deploymentOf(config),
    files: {
      ANCHOR_CONFIG: 'config/anchor.json',
      STELLAR_TOML: 'config/stellar.toml',
      SIGNING_KEY_FILE: 'secrets/signing_key',
      SEP_JWT_SECRET_FILE: 'secrets/sep_jwt_secret',
      LINK_SECRET_FILE: 'secrets/link_secret',
      DATABASE_URL_FILE: 'secrets/sep_database_url',
    },
  }
}

function businessSettings({ config }: Deps): Pick<ServerSpec, 'env' | 'files'> {
  const { kyc } = config.anchors
  return {
    env: {
      ...deploymentOf(config),
      ...config.anchors.fxRates,
      ALLOW_MOCK_KYC: String(kyc.allowMock),
      ...(kyc.provider ? { KYC_PROVIDER: kyc.provider } : {}),
      ...(kyc.workflowId ? { PROVIDER_WORKFLOW_ID: kyc.workflowId } : {}),
    },
    files: {
      ANCHOR_CONFIG: 'config/anchor.json',
      DATABASE_URL_FILE: 'secrets/business_database_url',
      DISTRIBUTION_KEY_FILE: 'secrets/distribution_key',
      ANCHOR_SERVICE_SECRET_FILE: 'secrets/service_secret',
      SUMMARY_SECRET_FILE: 'secrets/summary_secret',
      LINK_SECRET_FILE: 'secrets/link_secret',
      SEP_JWT_SECRET_FILE: 'secrets/sep_jwt_secret',
      DETAILS_KEY_FILE: 'secrets/details_key',
      RAIL_CREDENTIALS_FILE: 'secrets/rail_credentials.json',
      ...(kyc.webhookSecret ? { PROVIDER_WEBHOOK_SECRET_FILE: 'secrets/webhook_secret' } : {}),
      ...(kyc.apiKey ? { PROVIDER_API_KEY_FILE: 'secrets/provider_api_key' } : {}),
    },
  }
}

function deploymentOf({ local, mainnet, anchors }: Deps['config']): Record<string, string> {
  return {
    DEPLOYMENT: local ? 'local' : 'production',
    IS_MAINNET: String(mainnet),
    ANCHOR_DOMAIN_SUFFIX: anchors.domainSuffix,
    ANCHOR_INGRESS: anchors.ingress,
  }
}

/** Waits until both answer their health check. Throws `server-exited` or, when time is up, `server-not-healthy`. */
export async function untilHealthy(deps: Deps, plan: AnchorPlan, signal: AbortSignal): Promise<void> {
  await Promise.all(
    roles.map(async role => {
      const until = performance.now() + HEALTHY_WITHIN_MS
      while ((await healthOf(deps, plan.anchorId, role)) !== 'healthy') {
        signal.throwIfAborted()
        await refuseDead(deps, plan.anchorId, role)
        if (performance.now() > until) {
          throw new StageFailure('server-not-healthy', `The ${role} server does not become healthy.`)
        }
        await sleep(150)
      }
    }),
  )
}

const HEALTHY_WITHIN_MS = 45_000

async function refuseDead({ runtime, logger }: Deps, anchorId: string, role: ServerRole): Promise<void> {
  const state = await runtime.inspect(anchorId, role)
  if (state?.running) return
  const lines = await runtime.log(anchorId, role, 20)
  logger.warn({ anchorId, role, lines }, 'an anchor server exited')
  throw new StageFailure('server-exited', `The ${role} server exited instead of becoming healthy.`)
}

/** What a server answers to its health check within two seconds; `silent`: nothing at all. */
export async function healthOf(
  deps: Deps,
  anchorId: string,
  role: ServerRole,
): Promise<'healthy' | 'failing' | 'silent'> {
  const ports = await readPorts(deps.database.db, anchorId)
  const address = deps.runtime.address({ anchorId, role, port: ports[role] })
  try {
    const response = await fetch(`${address}/health`, { signal: AbortSignal.timeout(2_000) })
    await response.body?.cancel()
    return response.status === 200 ? 'healthy' : 'failing'
  } catch {
    return 'silent'
  }
}
