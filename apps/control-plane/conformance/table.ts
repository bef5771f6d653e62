import type { ConformanceReport } from '@windlass/contracts/conformance.ts'
import type { ColumnType } from 'kysely'

export interface ConformanceChecksTable {
  anchor_id: string
  next_at: Date
  checked_at: Date | null
  report: ColumnType<ConformanceReport | null, string | null | undefined, string | null>
}
