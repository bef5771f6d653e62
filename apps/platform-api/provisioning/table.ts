import type { Job, JobStatus } from '@windlass/contracts/provisioning.ts'
import type { ColumnType, Generated } from 'kysely'

export interface JobsTable {
  id: string
  anchor_id: string
  status: JobStatus
  snapshot: ColumnType<Job, string, string>
  revision: Generated<string>
  version: Generated<string>
  heartbeat_at: Generated<Date>
  created_at: Date
}
