import { StrKey } from '@stellar/stellar-sdk'
import { stroopsOf } from './amounts.ts'
import { assetName, assetXdr, splitAsset, type AssetName } from './assets.ts'
import { int64Max, LineFlag, newAccount } from './entries.ts'
import type { LedgerState } from './state.ts'

/** What a network's first ledger holds, so that a test need not set it up. Amounts are decimals ('100.5'). */
export interface Genesis {
  readonly accounts?: readonly GenesisAccount[]
  /** Assets (`CODE:ISSUER`) whose issuers have accounts. */
  readonly assets?: readonly AssetName[]
}

export interface GenesisAccount {
  /** G… */
  readonly address: string
  /** Default: 10,000. */
  readonly lumens?: string
  /** What it holds of which asset (`CODE:ISSUER`), in lines without a limit. */
  readonly holds?: Readonly<Record<AssetName, string>>
}

const lumensByDefault = '10000'

/**
 * Writes the entries of a first ledger.
 * @returns the stroops that the root account has given for it
 * @throws RangeError naming what is no account, no asset or no amount
 */
export function putGenesis(state: LedgerState, { accounts = [], assets = [] }: Genesis): bigint {
  let given = 0n
  const open = (address: string, lumens: string) => {
    if (!StrKey.isValidEd25519PublicKey(address)) throw new RangeError(`genesis: '${address}' is no account`)
    if (state.account(address)) return
    const balance = stroopsOf(lumens)
    given += balance
    state.put(newAccount(address, balance, 1))
  }
  for (const { address, lumens = lumensByDefault } of accounts) open(address, lumens)
  const held = accounts.flatMap(({ holds = {} }) => Object.keys(holds))
  for (const asset of [...assets, ...held]) open(splitAsset(requireAsset(asset)).issuer, lumensByDefault)
  for (const { address, holds = {} } of accounts)
    for (const [asset, amount] of Object.entries(holds)) putLine(state, address, asset, stroopsOf(amount))
  return given
}

function requireAsset(asset: AssetName): AssetName {
  const { code, issuer } = splitAsset(asset)
  if (/^[A-Za-z0-9]{1,12}$/.test(code) && StrKey.isValidEd25519PublicKey(issuer))
    if (assetName(assetXdr(asset)) === asset) return asset
  throw new RangeError(`genesis: '${asset}' is no asset: write CODE:ISSUER`)
}

function putLine(state: LedgerState, account: string, asset: AssetName, balance: bigint): void {
  const owner = state.account(account)
  if (!owner || splitAsset(asset).issuer === account) return
  state.put({ ...owner, subentries: owner.subentries + 1 })
  state.put({
    kind: 'trustline',
    account,
    asset,
    balance,
    buying: 0n,
    selling: 0n,
    limit: int64Max,
    flags: LineFlag.authorized,
    pools: 0,
    sponsor: null,
    modified: 1,
  })
}
