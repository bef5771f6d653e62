import { randomUUID } from 'node:crypto'
import type { PlatformTransaction } from '@windlass/contracts/anchor/anchor-platform.ts'

/** A transaction as the SEP server reports it that an account began: a deposit of 20 units to itself. */
export const reportedBy = (
  account: string,
  over: Partial<PlatformTransaction> = {},
): PlatformTransaction => ({
  ...{ id: randomUUID(), sep: '24', kind: 'deposit', status: 'incomplete', started_at: '', updated_at: '' },
  ...{ amount_expected: { amount: '20' }, destination_account: account, source_account: account },
  ...{ creator: { account }, customers: { sender: { account } }, claimable_balance_supported: false },
  ...over,
})
