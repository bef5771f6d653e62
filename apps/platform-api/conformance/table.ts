import type { Finding } from '@windlass/contracts/conformance.ts'
import type { ColumnType } from 'kysely'

export interface ConformanceReportsTable {
  anchor_id: string
  checked_at: Date
  passed: number
  demands: number
  findings: ColumnType<Finding[], string, string>
}
