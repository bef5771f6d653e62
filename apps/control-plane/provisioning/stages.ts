import type { StageName } from '@windlass/contracts/platform/provisioning.ts'
import type { ProvisioningStage } from './stage.ts'
import { activate } from './stages/activate.ts'
import { fundAndIssue } from './stages/fund-and-issue.ts'
import { generateKeys } from './stages/generate-keys.ts'
import { setUpDatabases } from './stages/set-up-databases.ts'
import { startBothServers } from './stages/start-servers.ts'
import { waitUntilHealthy } from './stages/wait-until-healthy.ts'
import { writeConfigurationFiles } from './stages/write-configuration.ts'

/** Every stage, in the order in which they run. */
export const stages: readonly ProvisioningStage[] = [
  generateKeys,
  fundAndIssue,
  writeConfigurationFiles,
  setUpDatabases,
  startBothServers,
  waitUntilHealthy,
  activate,
]

/** Throws where there is none of that name. */
export function stageOf(name: StageName): ProvisioningStage {
  const stage = stages.find(each => each.name === name)
  if (!stage) throw new Error(`no stage is named ${name}`)
  return stage
}
