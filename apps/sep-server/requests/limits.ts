import type { Principals } from '@windlass/contracts/realm.ts'
import type { Rate } from '@windlass/service/http/rates.ts'
import { siteOf } from '@windlass/service/http/site.ts'
import { baseAccount } from '@windlass/stellar/addresses.ts'

/**
 * Counts requests of one wallet that proves its domain, and of the network that it comes from; without that proof those of one
 * account, and of one client's network.
 */
export interface WalletRates {
  domain: Rate
  domainClient: Rate
  account: Rate
  client: Rate
}

/**
 * Counts what a wallet does, or as much of it. Accounts, memos and muxed ids cost nothing, so the client counts too; nor do
 * subdomains and ports, so that a domain counts as its site. Throws `too-many-requests`.
 */
export async function demandOf(
  rates: WalletRates,
  { account, clientDomain }: Pick<Principals['wallet'], 'account' | 'clientDomain'>,
  clientAddress: string,
  count = 1,
): Promise<void> {
  if (clientDomain) {
    // First: a client that is refused takes nothing from others of a site that many share.
    await rates.domainClient.demand(clientAddress, count)
    return rates.domain.demand(siteOf(clientDomain), count)
  }
  await rates.account.demand(baseAccount(account), count)
  await rates.client.demand(clientAddress, count)
}
