import { readHorizon } from './horizon-client.ts'
import type { LedgerSource } from './network.ts'

/** Path at the ledger gateway; Horizon itself has nothing there. */
export const CHANGED_ACCOUNTS = '/changed-accounts'

export interface ChangedAccounts {
  /** What to ask with the next time. */
  now: string
  /** Accounts that the gateway was asked about and that had a payment since; null: it does not know. */
  accounts: string[] | null
}

/**
 * Which accounts had a payment since an earlier answer. Null where there is no gateway. Throws {@link HorizonError}.
 *
 * @param since `now` of that answer
 */
export const listChangedAccounts = (gateway: LedgerSource, since: string): Promise<ChangedAccounts | null> =>
  readHorizon(gateway, `${CHANGED_ACCOUNTS}?since=${encodeURIComponent(since)}`, { urgency: 'routine' })
