import type { WalletCheckReport } from '@windlass/contracts/wallet-checks.ts'
import type { ColumnType } from 'kysely'

export interface WalletChecksTable {
  anchor_id: string
  next_at: Date
  checked_at: Date | null
  report: ColumnType<WalletCheckReport | null, string | null | undefined, string | null>
}
