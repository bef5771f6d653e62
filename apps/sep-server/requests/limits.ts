import type { Principals } from '@windlass/contracts/realm.ts'
import type { Rate } from '@windlass/service/http/rates.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'

/** Counts requests of one wallet that proves its domain; without that proof those of one account, and of one client's network. */
export interface WalletRates {
  domain: Rate
  account: Rate
  client: Rate
}

/**
 * Counts what a wallet does, or as much of it. Accounts, memos and muxed ids cost nothing, so without the proof of a domain
 * the client counts too. Throws `too-many-requests`.
 */
export async function demandOf(
  rates: WalletRates,
  { account, clientDomain }: Pick<Principals['wallet'], 'account' | 'clientDomain'>,
  clientAddress: string,
  count = 1,
): Promise<void> {
  if (clientDomain) return rates.domain.demand(clientDomain, count)
  await rates.account.demand(baseAccount(account), count)
  await rates.client.demand(clientAddress, count)
}
