import type { ColumnType, Generated } from 'kysely'

/** The tables that this slice owns. */
export interface KeyActsTables {
  key_acts: KeyActTable
}

interface KeyActTable {
  id: Generated<string>
  key_id: string
  action: string
  details: ColumnType<Record<string, unknown>, string, string>
  state: ColumnType<'begun' | 'done', undefined, 'done'>
  next_try_at: Date
  reported_at: ColumnType<Date | null, undefined, Date>
  /** Why the platform does not take it; null: nothing speaks against it. */
  refused_code: ColumnType<string | null, undefined, string | null>
  at: Date
}
