import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { vi, type MockInstance } from 'vitest'
import type { Rail } from '../rails/rail.ts'
import { type BusinessApp, startBusinessApp } from './business-app.ts'

/** An anchor whose rail pays at once, for verified customers; `pay` is what the rail was asked to pay. */
export async function startWithInstantRail(): Promise<{ app: BusinessApp; pay: MockInstance<Rail['pay']> }> {
  const ledger: UnreliableNetwork = new UnreliableNetwork({
    asset: () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`,
  })
  const app = await startBusinessApp({ horizon: ledger })
  const known = { customerId: 'cus_1', status: 'ACCEPTED' as const, walletVerified: true }
  app.deps.customerRegistry.byWallet = async () => known
  const rail = app.deps.rails.get('UPI')
  if (!rail) throw new Error('there is no instant rail')
  return { app, pay: vi.spyOn(rail, 'pay') }
}
