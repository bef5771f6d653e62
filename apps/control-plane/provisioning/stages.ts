import type { ProvisioningStage } from './stage.ts'
import { activate } from './stages/activate.ts'
import { fundAndIssue } from './stages/fund-and-issue.ts'
import { generateKeys } from './stages/generate-keys.ts'
import { setUpDatabases } from './stages/set-up-databases.ts'
import { startServers } from './stages/start-servers.ts'
import { waitUntilHealthy } from './stages/wait-until-healthy.ts'
import { writeConfigurationFiles } from './stages/write-configuration.ts'

/** The seven stages in their order. */
export const stages: readonly ProvisioningStage[] = [
  generateKeys,
  fundAndIssue,
  writeConfigurationFiles,
  setUpDatabases,
  startServers,
  waitUntilHealthy,
  activate,
]
