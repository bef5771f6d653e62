import { writeConfiguration } from '../../anchors/configuration.ts'
import { raiseServers, stopAll } from '../../anchors/servers.ts'
import type { ProvisioningStage } from '../stage.ts'

/** The SEP server and the business server, started or adopted. */
export const startServers: ProvisioningStage = {
  name: 'Spawning containers',
  key: 'servers',
  retries: { attempts: 4, backoff: 1, maxBackoff: 10, budget: 120 },
  run: async context => {
    const { deps, plan, vault, signal } = context
    // An earlier run may have died between changing a port and writing it down.
    await writeConfiguration(deps, plan, vault)
    const states = await raiseServers(deps, plan, vault, {
      signal,
      afterEach: role => context.at(`${role}-started`),
    })
    for (const { role, port } of states) {
      await context.log('info', `The ${role} server runs on port ${port}.`)
    }
  },
  undo: ({ deps, plan }) => stopAll(deps, plan.anchorId),
}
