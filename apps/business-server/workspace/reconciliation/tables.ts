import type { Difference, Reconciliation } from '@windlass/contracts/anchor/reconciliation.ts'
import type { ColumnType, Generated, Selectable } from 'kysely'

/** The tables that this slice owns. */
export interface ReconciliationTables {
  reconciliations: ReconciliationTable
  reconciliation_differences: DifferenceTable
}

interface ReconciliationTable {
  id: Generated<string>
  by: string
  checks: ColumnType<NonNullable<Reconciliation['last']>['checks'], string, never>
  at: Generated<Date>
}

interface DifferenceTable {
  id: Generated<string>
  kind: Difference['kind']
  subject: string
  unit: string
  amount: string
  detail: string
  state: Generated<Difference['status']>
  last_seen_at: Generated<Date>
  assigned_to: string | null
  ended_by: string | null
  ended_at: Date | null
  reason: string | null
  resolution: Generated<Difference['resolution'] | null>
  /** Who said that the money came, of what a person alone said. */
  said_by: ColumnType<string | null, string | null | undefined, string | null>
  /** Until then the other side may still come: no alarm. */
  due_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** What waits for a second person. */
  proposed: ColumnType<Difference['pending'] | null, undefined, string | null>
  created_at: Generated<Date>
}
export type DifferenceRow = Selectable<DifferenceTable>
