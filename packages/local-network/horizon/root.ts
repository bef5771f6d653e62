import type { Instance } from './instance.ts'
import { timeText } from './times.ts'
import { version } from './version.ts'

/** Horizon's root: what network this is, how far it has come, where everything is. */
export function rootRecord({ ledger, latest, elder }: Instance, base: string) {
  const href = (path: string) => ({ href: `${base}${path}` })
  const page = (path: string, parameters = 'cursor,limit,order') => ({
    href: `${base}${path}{?${parameters}}`,
    templated: true,
  })
  const assetParts = ['type', 'code', 'issuer'] as const
  const asset = (prefix: string) => assetParts.map(part => `${prefix}asset_${part}`).join(',')
  const pair = (path: string) => {
    const names = ['base', 'counter'].flatMap(side => assetParts.map(part => `${side}_asset_${part}`))
    return { href: `${base}${path}?${names.map(name => `${name}={${name}}`).join('&')}`, templated: true }
  }
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
      ledger: { href: `${base}/${ledger.protocol >= 20 ? 'ledgers' : 'ledger'}/{sequence}`, templated: true },
      ledgers: page('/ledgers'),
      liquidity_pools: page('/liquidity_pools', 'reserves,account,cursor,limit,order'),
      offer: { href: `${base}/offers/{offer_id}`, templated: true },
      offers: page('/offers', 'selling,buying,seller,sponsor,cursor,limit,order'),
      operation: { href: `${base}/operations/{id}`, templated: true },
      operations: page('/operations', 'cursor,limit,order,include_failed'),
      order_book: page('/order_book', `${asset('selling_')},${asset('buying_')},limit`),
      payments: page('/payments', 'cursor,limit,order,include_failed'),
      self: href('/'),
      strict_receive_paths: page(
        '/paths/strict-receive',
        'source_assets,source_account,destination_account,destination_asset_type,destination_asset_issuer,' +
          'destination_asset_code,destination_amount',
      ),
      strict_send_paths: page(
        '/paths/strict-send',
        'destination_account,destination_assets,source_asset_type,source_asset_issuer,source_asset_code,source_amount',
      ),
      trade_aggregations: pair('/trade_aggregations'),
      trades: pair('/trades'),
      transaction: { href: `${base}/transactions/{hash}`, templated: true },
      transactions: page('/transactions'),
    },
    horizon_version: version,
    core_version: `windlass-local-network ${version}`,
    ingest_latest_ledger: sequence,
    history_latest_ledger: sequence,
    history_latest_ledger_closed_at: timeText(closedAt),
    history_elder_ledger: elder,
    core_latest_ledger: ledger.latest.sequence,
    network_passphrase: ledger.passphrase,
    current_protocol_version: ledger.protocol,
    supported_protocol_version: ledger.protocol,
    core_supported_protocol_version: ledger.protocol,
  }
}
