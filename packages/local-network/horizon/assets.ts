import { amountText } from '../ledger/amounts.ts'
import { assetFields, splitAsset } from '../ledger/assets.ts'
import { LineFlag } from '../ledger/entries.ts'
import { integer, number, text } from '../store/columns.ts'
import type { Database, Row } from '../store/database.ts'
import { accountFlags } from './accounts.ts'
import type { Instance } from './instance.ts'
import type { Page } from './paging.ts'

interface AssetFilter {
  readonly code: string
  readonly issuer: string
}

/** Assets that someone has a line for or that are in a claimable balance, by code and issuer. */
export function assetNames(
  database: Database,
  filter: AssetFilter,
  { cursor, order, limit }: Page,
): string[] {
  const after = cursor === '' ? '' : cursor.split('_').slice(0, 2).join(':')
  const code = "substr(asset, 1, instr(asset, ':') - 1)"
  const issuer = "substr(asset, instr(asset, ':') + 1)"
  return database
    .rows(
      `SELECT asset FROM (
         SELECT DISTINCT asset FROM trustlines WHERE instr(asset, ':') > 0
         UNION SELECT DISTINCT asset FROM claimable_balances WHERE asset != 'native')
       WHERE (?1 = '' OR ${code} = ?1) AND (?2 = '' OR ${issuer} = ?2)
         AND (?3 = '' OR asset ${order === 'asc' ? '>' : '<'} ?3)
       ORDER BY asset ${order} LIMIT ?4`,
      filter.code,
      filter.issuer,
      after,
      limit,
    )
    .map(row => text(row['asset']))
}

/** Horizon's resource of an asset: who holds how much of it, by authorisation. */
export function assetRecord({ database, ledger }: Instance, asset: string) {
  const { code, issuer } = splitAsset(asset)
  const fields = assetFields(asset)
  const groups = database.rows(
    `SELECT flags & ${LineFlag.authorization} AS level, COUNT(*) AS accounts, SUM(balance) AS balance
     FROM trustlines WHERE asset = ? GROUP BY level`,
    asset,
  )
  const claimable = database.row(
    'SELECT COUNT(*) AS balances, COALESCE(SUM(amount), 0) AS amount FROM claimable_balances WHERE asset = ?',
    asset,
  )
  const pools = database.row(
    `SELECT COUNT(*) AS pools, COALESCE(SUM(CASE ?1 WHEN asset_a THEN reserve_a ELSE reserve_b END), 0) AS amount
     FROM liquidity_pools WHERE ?1 IN (asset_a, asset_b)`,
    asset,
  )
  const contracts = database.row(
    'SELECT COUNT(*) AS contracts, COALESCE(SUM(balance), 0) AS amount FROM contract_balances WHERE asset = ?',
    asset,
  )
  const account = database.row('SELECT flags, home_domain FROM accounts WHERE id = ?', issuer)
  const domain = account ? text(account['home_domain']) : ''
  const level = (wanted: number) => groups.find(row => number(row['level']) === wanted)
  const accounts = (row: Row | undefined) => (row ? number(row['accounts']) : 0)
  const balance = (row: Row | undefined) => amountText(row ? integer(row['balance']) : 0n)
  const authorized = level(LineFlag.authorized)
  const maintained = level(LineFlag.maintain)
  const unauthorized = level(0)
  return {
    _links: { toml: { href: domain && `https://${domain}/.well-known/stellar.toml` } },
    ...fields,
    paging_token: `${code}_${issuer}_${fields['asset_type']}`,
    accounts: {
      authorized: accounts(authorized),
      authorized_to_maintain_liabilities: accounts(maintained),
      unauthorized: accounts(unauthorized),
    },
    num_claimable_balances: claimable ? number(claimable['balances']) : 0,
    num_liquidity_pools: pools ? number(pools['pools']) : 0,
    num_contracts: contracts ? number(contracts['contracts']) : 0,
    // Removed from later Horizons.
    ...(ledger.protocol < 20 && { num_accounts: accounts(authorized), amount: balance(authorized) }),
    balances: {
      authorized: balance(authorized),
      authorized_to_maintain_liabilities: balance(maintained),
      unauthorized: balance(unauthorized),
    },
    claimable_balances_amount: amountText(claimable ? integer(claimable['amount']) : 0n),
    liquidity_pools_amount: amountText(pools ? integer(pools['amount']) : 0n),
    contracts_amount: amountText(contracts ? integer(contracts['amount']) : 0n),
    flags: accountFlags(account ? number(account['flags']) : 0),
  }
}
