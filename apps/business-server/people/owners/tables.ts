import type { ColumnType, Generated } from 'kysely'

/** The tables that this slice owns. */
export interface OwnersTables {
  beneficial_owners: BeneficialOwnerTable
}

export interface BeneficialOwnerTable {
  id: Generated<string>
  customer_id: string
  sealed: Buffer
  by: string
  created_at: Date
  ended_by: ColumnType<string | null, undefined, string>
  ended_at: ColumnType<Date | null, undefined, Date>
}
