import type { Generated } from 'kysely'

/** The tables that this slice owns. */
export interface SealingTables {
  sealing: {
    one: Generated<boolean>
    under: string
    since: Generated<Date>
    done_at: Date | null
  }
}
