import { protocolVersion } from '../ledger/header.ts'
import type { Instance } from './instance.ts'
import { version } from './version.ts'

/** Horizon's root: what network this is, how far it has come, where everything lies. */
export function rootRecord({ ledger, latest, elder }: Instance, base: string) {
  const href = (path: string) => ({ href: `${base}${path}` })
  const page = (path: string, parameters = 'cursor,limit,order') => ({
    href: `${base}${path}{?${parameters}}`,
    templated: true,
  })
  const { sequence, closedAt } = latest
  return {
    _links: {
      account: { href: `${base}/accounts/{account_id}`, templated: true },
      accounts: page('/accounts', 'signer,sponsor,asset,liquidity_pool,cursor,limit,order'),
      account_transactions: page('/accounts/{account_id}/transactions'),
      claimable_balances: page('/claimable_balances', 'asset,sponsor,claimant,cursor,limit,order'),
      assets: page('/assets', 'asset_code,asset_issuer,cursor,limit,order'),
      effects: page('/effects'),
      fee_stats: href('/fee_stats'),
      friendbot: { href: `${base}/friendbot{?addr}`, templated: true },
      ledger: { href: `${base}/ledgers/{sequence}`, templated: true },
      ledgers: page('/ledgers'),
      operation: { href: `${base}/operations/{id}`, templated: true },
      operations: page('/operations', 'cursor,limit,order,include_failed'),
      payments: page('/payments', 'cursor,limit,order,include_failed'),
      self: href('/'),
      transaction: { href: `${base}/transactions/{hash}`, templated: true },
      transactions: page('/transactions'),
    },
    horizon_version: version,
    core_version: `windlass-local-network ${version}`,
    ingest_latest_ledger: sequence,
    history_latest_ledger: sequence,
    history_latest_ledger_closed_at: new Date(closedAt).toISOString().replace('.000Z', 'Z'),
    history_elder_ledger: elder,
    core_latest_ledger: ledger.latest.sequence,
    network_passphrase: ledger.passphrase,
    current_protocol_version: protocolVersion,
    supported_protocol_version: protocolVersion,
    core_supported_protocol_version: protocolVersion,
  }
}
