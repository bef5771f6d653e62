import type { RegisterCategory, RegisterName } from '@windlass/contracts/anchor/registers.ts'
import type { ColumnType, Generated } from 'kysely'

/** The tables that this slice owns. */
export interface RegistersTables {
  register_entries: RegisterEntryTable
  register_steps: RegisterStepTable
}

export interface RegisterEntryTable {
  id: string
  register: RegisterName
  number: number
  category: RegisterCategory
  /** Null: removed by retention. */
  sealed_title: Buffer | null
  happened_at: Date
  subject_kind: 'customer' | 'transaction' | null
  subject_id: string | null
  closed_at: ColumnType<Date | null, undefined, Date>
  created_at: Generated<Date>
  /** When retention removed what was written. */
  removed_at: ColumnType<Date | null, undefined, Date>
}

export interface RegisterStepTable {
  id: string
  entry_id: string
  position: number
  sealed: Buffer | null
  customers: number | null
  amount: string | null
  currency: string | null
  closes: boolean
  by: string
  at: Generated<Date>
}
