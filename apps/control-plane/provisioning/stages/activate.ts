import { activateAnchor } from '@windlass/contracts/control-plane.ts'
import { createHash } from 'node:crypto'
import { readPorts } from '../../anchors/ports.ts'
import { raiseServers, untilHealthy } from '../../anchors/servers.ts'
import { callPlatform } from '../call-platform.ts'
import type { ProvisioningStage, StageContext } from '../stage.ts'

/** The platform registers the anchor with the aggregator and marks it active. */
export const activate: ProvisioningStage = {
  name: 'completed',
  key: 'activation',
  retries: { attempts: 40, backoff: 1, maxBackoff: 15, budget: 600 },
  run: async context => {
    const { deps, jobId, plan, vault, signal, log } = context
    await raiseServers(deps, plan, vault, { signal })
    await untilHealthy(deps, plan, signal)
    await callPlatform(deps, activateAnchor, { params: { jobId }, body: await standingAnchor(context) })
    context.at('acknowledged')
    await log('info', 'The anchor is registered and active.')
  },
}

async function standingAnchor({ deps, plan, vault }: StageContext) {
  const { db } = deps.database
  const publicKey = async (role: 'issuer' | 'distribution' | 'signing') =>
    (await vault.get(db, role)).publicKey ?? ''
  const service = await vault.get(db, 'service')
  const summary = await vault.get(db, 'summary')
  const { business } = await readPorts(db, plan.anchorId)
  return {
    issuer: await publicKey('issuer'),
    distribution: await publicKey('distribution'),
    signingKey: await publicKey('signing'),
    apiUrl: deps.runtime.address({ anchorId: plan.anchorId, role: 'business', port: business }),
    summarySecret: summary.secret,
    serviceSecretHash: createHash('sha256').update(service.secret).digest('hex'),
    treasuryCapacity: plan.asset.issued,
  }
}
