import { activateAnchor } from '@windlass/contracts/internal/control-plane.ts'
import { startServers, untilHealthy } from '../../servers/servers.ts'
import { callPlatform } from '../call-platform.ts'
import { registrationOf } from '../report.ts'
import type { ProvisioningStage } from '../stage.ts'

/** The platform registers the anchor with the aggregator and marks it active. */
export const activate: ProvisioningStage = {
  name: 'completed',
  key: 'activation',
  retries: { attempts: 40, backoff: 1, maxBackoff: 15, budget: 600 },
  run: async context => {
    const { deps, jobId, plan, vault, signal, log } = context
    await startServers(deps, plan, vault, { signal })
    await untilHealthy(deps, plan, signal)
    const body = await registrationOf(deps, plan, vault)
    await callPlatform(deps, activateAnchor, { params: { jobId }, body })
    context.at('acknowledged')
    await log('info', 'The anchor is registered and active.')
  },
}
