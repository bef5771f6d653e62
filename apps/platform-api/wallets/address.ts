import { invalid } from '@windlass/service/problem.ts'
import { isStellarAccount } from '@windlass/stellar/addresses.ts'

/** A ledger account as people link it, `G…` or muxed `M…` (SEP-23). Throws `validation-failed`. */
export function readAddress(typed: string): string {
  const address = typed.trim()
  if (!isStellarAccount(address)) {
    throw invalid('address', 'must be a Stellar account, G… or M…, with a valid checksum')
  }
  return address
}

const NETWORKS: Readonly<Record<string, string>> = { testnet: 'testnet', public: 'public', mainnet: 'public' }

/** The networks we know in any case; other names stay as they were typed. */
export function readNetwork(typed: string | undefined, fallback: string): string {
  const text = typed?.trim() || fallback
  return NETWORKS[text.toLowerCase()] ?? text
}
