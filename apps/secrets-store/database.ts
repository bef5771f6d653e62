import type { SecretTable, StageTable, VersionTable } from './secrets/table.ts'

export interface Tables {
  secrets: SecretTable
  versions: VersionTable
  stages: StageTable
}
