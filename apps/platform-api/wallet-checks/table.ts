import type { CheckResult } from '@windlass/contracts/wallet-checks.ts'
import type { ColumnType } from 'kysely'

export interface WalletCheckReportsTable {
  anchor_id: string
  checked_at: Date
  passed: number
  total: number
  results: ColumnType<CheckResult[], string, string>
}
