import { putAnchorRoute, removeAnchorRoute } from '../../servers/route.ts'
import { requireCompatibility } from '../../check-runs/require-compatibility.ts'
import { startServers, stopAll, untilHealthy } from '../../servers/servers.ts'
import { StageFailure } from '../../stage-failure.ts'
import type { ProvisioningStage } from '../stage.ts'

/** Both servers healthy, the route in place, and the anchor compatible with wallets at its public domain. */
export const waitUntilHealthy: ProvisioningStage = {
  name: 'Waiting for stack to be healthy',
  key: 'health',
  retries: { attempts: 4, backoff: 2, maxBackoff: 10, budget: 150 },
  run: async context => {
    const { deps, plan, vault, signal, log } = context
    // A retry, or a restart of the machine, finds them stopped.
    await startServers(deps, plan, vault, { signal })
    await untilHealthy(deps, plan, signal)
    await log('info', 'Both servers are healthy.')
    await putAnchorRoute(deps, plan).catch(cause => {
      throw new StageFailure('proxy-unavailable', 'The reverse proxy does not take the route.', { cause })
    })
    await requireCompatibility(context)
  },
  undo: async ({ deps, plan }) => {
    await stopAll(deps, plan.anchorId)
    await removeAnchorRoute(deps, plan)
  },
}
