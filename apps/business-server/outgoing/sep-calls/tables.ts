import type { Origin } from '@windlass/service/observe/current-request.ts'
import type { ColumnType, Generated } from 'kysely'

/** The tables that this slice owns. */
export interface SepCallsTables {
  platform_calls: SepCallTable
}

interface SepCallTable {
  id: Generated<string>
  transfer_id: string | null
  method: string
  params: ColumnType<Record<string, unknown>, string, string>
  created_at: Generated<Date>
  delivered_at: Date | null
  refused: string | null
  origin: ColumnType<Origin | null, string | null | undefined, never>
}
