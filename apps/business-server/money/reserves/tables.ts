import type { Safeguarding } from '@windlass/contracts/anchor/reserves.ts'
import type { ColumnType, Generated } from 'kysely'

/** The tables that this slice owns. */
export interface ReservesTables {
  safeguarding_days: SafeguardingDayTable
}

interface SafeguardingDayTable {
  /** `YYYY-MM-DD` */
  day: string
  figures: ColumnType<Safeguarding, string, string>
  at: Generated<Date>
}
