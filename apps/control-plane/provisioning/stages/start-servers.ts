import { writeConfiguration } from '../../servers/configuration.ts'
import { startServers, stopAll } from '../../servers/servers.ts'
import type { ProvisioningStage } from '../stage.ts'

/** The SEP server and the business server, started or adopted. */
export const startBothServers: ProvisioningStage = {
  name: 'Spawning containers',
  key: 'servers',
  isBusy: true,
  retries: { attempts: 4, backoff: 1, maxBackoff: 10, budget: 120 },
  run: async context => {
    const { deps, plan, vault, signal } = context
    // An earlier run may have died between changing a port and storing it.
    await writeConfiguration(deps, plan, vault)
    const states = await startServers(deps, plan, vault, {
      signal,
      afterEach: role => context.at(`${role}-started`),
    })
    for (const { role, port } of states) {
      await context.log('info', `The ${role} server runs on port ${port}.`)
    }
  },
  undo: async ({ deps, plan }) => {
    await stopAll(deps, plan.anchorId)
    await deps.runtime.remove?.(plan.anchorId)
  },
}
