import type { AccountKey } from '@windlass/stellar/keys.ts'
import { observePayments } from '../payments/observe.ts'
import { LedgerAnchor } from './ledger-anchor.ts'

/** An anchor that has issued its asset, and an accepted customer with units; what came so far is observed. */
export async function startWithCustomer(
  settings?: Parameters<typeof LedgerAnchor.start>[0],
): Promise<{ anchor: LedgerAnchor; customer: AccountKey }> {
  const anchor = await LedgerAnchor.start(settings)
  anchor.deps.customerRegistry.byWallet = async () => ({
    customerId: 'cus_1',
    status: 'ACCEPTED',
    walletVerified: true,
  })
  await anchor.issue()
  const customer = await anchor.customerWithAsset()
  await observePayments(anchor.deps)
  return { anchor, customer }
}
