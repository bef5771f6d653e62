import { Address, nativeToScVal, xdr } from '@stellar/stellar-sdk'
import { accountIdOf } from '../ledger/addresses.ts'
import { stroopsOf } from '../ledger/amounts.ts'
import { assetName, splitAsset, type AssetName } from '../ledger/assets.ts'
import { crossingsOf } from '../ledger/results.ts'
import { lineAsset, type OperationFields, type Pair } from './effect.ts'

/* What moves assets, in the form that contracts have for it, whatever moved them (CAP-67). */

/** An event of the contract that an asset has or would have. */
export interface AssetEvent {
  readonly asset: AssetName
  readonly topics: readonly xdr.ScVal[]
  readonly data: xdr.ScVal
}

const symbol = (name: string) => nativeToScVal(name, { type: 'symbol' })
const amountOf = (stroops: bigint) => nativeToScVal(stroops, { type: 'i128' })
const nameOf = (asset: AssetName) => nativeToScVal(asset, { type: 'string' })

const account = (id: string) => nativeToScVal(id, { type: 'address' })
const balance = (id: xdr.ClaimableBalanceId) =>
  xdr.ScVal.scvAddress(xdr.ScAddress.scAddressTypeClaimableBalance(id))
const pool = (id: Uint8Array) =>
  xdr.ScVal.scvAddress(xdr.ScAddress.scAddressTypeLiquidityPool(new xdr.PoolId(id)))

/** Charged before everything else; `charged` in stroops. */
export const feeEvent = (payer: string, charged: bigint): AssetEvent => ({
  asset: 'native',
  topics: [symbol('fee'), account(payer)],
  data: amountOf(charged),
})

interface Movement {
  readonly asset: AssetName
  readonly from: xdr.ScVal
  readonly to: xdr.ScVal
  readonly amount: bigint
  /** Whom of those behind one account it is for. */
  readonly muxedId?: xdr.ScVal | undefined
}

/** What the issuer gives is minted, and what it gets is burned. */
function moved({ asset, from, to, amount, muxedId }: Movement): AssetEvent {
  const issuer = asset === 'native' ? undefined : account(splitAsset(asset).issuer).toXdr('base64')
  const [isMint, isBurn] = [from, to].map(each => each.toXdr('base64') === issuer)
  const value = amountOf(amount)
  if (isBurn && !isMint) return { asset, topics: [symbol('burn'), from, nameOf(asset)], data: value }
  const data = muxedId
    ? xdr.ScVal.scvMap([
        new xdr.ScMapEntry({ key: symbol('amount'), val: value }),
        new xdr.ScMapEntry({ key: symbol('to_muxed_id'), val: muxedId }),
      ])
    : value
  return isMint && !isBurn
    ? { asset, topics: [symbol('mint'), to, nameOf(asset)], data }
    : { asset, topics: [symbol('transfer'), from, to, nameOf(asset)], data }
}

export interface Moving {
  readonly operation: OperationFields
  readonly changes: readonly Pair[]
  readonly result: xdr.OperationResult | undefined
  readonly memo: xdr.Memo
}

/** The events of an operation that succeeded, in the order of its movements. */
export function eventsOf(moving: Moving): AssetEvent[] {
  const { operation, changes } = moving
  const field = (name: string) => String(operation[name])
  const source = account(field('source_account'))
  /** To the account in a field. */
  const pay = (asset: AssetName, from: xdr.ScVal, to: string, amount: string): AssetEvent =>
    moved({ asset, from, to: account(field(to)), amount: stroopsOf(amount), muxedId: muxedIdOf(moving, to) })
  switch (operation['type']) {
    case 'create_account':
      return [pay('native', source, 'account', field('starting_balance'))]
    case 'payment':
      return [pay(assetIn(operation), source, 'to', field('amount'))]
    case 'path_payment_strict_send':
    case 'path_payment_strict_receive':
      return [...tradesOf(moving, source), pay(assetIn(operation), source, 'to', field('amount'))]
    case 'manage_sell_offer':
    case 'manage_buy_offer':
    case 'create_passive_sell_offer':
      return tradesOf(moving, source)
    case 'account_merge':
      return changes.flatMap(({ before, after }) =>
        !after && before?.data.type === 'account'
          ? moved({
              ...{ asset: 'native', from: source, to: account(field('into')) },
              ...{ amount: before.data.account.balance, muxedId: muxedIdOf(moving, 'into') },
            })
          : [],
      )
    case 'create_claimable_balance':
      return balancesIn(changes, 'after').map(each =>
        moved({ ...moneyOf(each), from: source, to: balance(each.balanceId) }),
      )
    case 'claim_claimable_balance':
      return balancesIn(changes, 'before').map(each =>
        moved({
          ...moneyOf(each),
          from: balance(each.balanceId),
          to: source,
          muxedId: memoValue(moving.memo),
        }),
      )
    case 'clawback':
      return [clawedBack(assetIn(operation), account(field('from')), stroopsOf(field('amount')))]
    case 'clawback_claimable_balance':
      return balancesIn(changes, 'before').map(each => {
        const { asset, amount } = moneyOf(each)
        return clawedBack(asset, balance(each.balanceId), amount)
      })
    case 'liquidity_pool_deposit':
      return reserves(operation, 'reserves_deposited').map(each =>
        moved({ ...each, from: source, to: poolIn(operation) }),
      )
    case 'liquidity_pool_withdraw':
      return reserves(operation, 'reserves_received').map(each =>
        moved({ ...each, from: poolIn(operation), to: source, muxedId: memoValue(moving.memo) }),
      )
    case 'allow_trust':
    case 'set_trust_line_flags':
      return changes.flatMap(authorized)
    case 'invoke_host_function':
      return callEvents(operation)
    default:
      return []
  }
}

function assetIn(operation: OperationFields): AssetName {
  const { asset_type, asset_code, asset_issuer } = operation
  return asset_type === 'native' ? 'native' : `${String(asset_code)}:${String(asset_issuer)}`
}

/** The number of the muxed account that is paid, or else the memo. */
function muxedIdOf({ operation, memo }: Moving, field: string): xdr.ScVal | undefined {
  const id = operation[`${field}_muxed_id`]
  return id === undefined ? memoValue(memo) : nativeToScVal(BigInt(String(id)), { type: 'u64' })
}

function memoValue(memo: xdr.Memo): xdr.ScVal | undefined {
  switch (memo.type) {
    case 'memoId':
      return nativeToScVal(memo.id, { type: 'u64' })
    case 'memoText':
      return nativeToScVal(Buffer.from(memo.text.bytes).toString(), { type: 'string' })
    case 'memoHash':
      return xdr.ScVal.scvBytes(memo.hash.value)
    case 'memoReturn':
      return xdr.ScVal.scvBytes(memo.retHash.value)
    default:
      return undefined
  }
}

/** Two for each offer or pool that was traded against. */
function tradesOf({ result }: Moving, source: xdr.ScVal): AssetEvent[] {
  if (!result) return []
  return crossingsOf(result).claims.flatMap((claim): AssetEvent[] => {
    const { assetSold, amountSold, assetBought, amountBought } = claim.value
    const other =
      claim.type === 'claimAtomTypeLiquidityPool'
        ? pool(claim.liquidityPool.liquidityPoolId.value)
        : claim.type === 'claimAtomTypeOrderBook'
          ? account(accountIdOf(claim.orderBook.sellerId))
          : undefined
    if (!other || (amountSold === 0n && amountBought === 0n)) return []
    const [given, got] = [assetName(assetBought) ?? 'native', assetName(assetSold) ?? 'native']
    return [
      moved({ asset: given, from: source, to: other, amount: amountBought }),
      moved({ asset: got, from: other, to: source, amount: amountSold }),
    ]
  })
}

function balancesIn(changes: readonly Pair[], side: 'before' | 'after'): xdr.ClaimableBalanceEntry[] {
  return changes.flatMap(pair => {
    const entry = pair[side]
    return entry?.data.type === 'claimableBalance' ? entry.data.claimableBalance : []
  })
}

const moneyOf = ({ asset, amount }: xdr.ClaimableBalanceEntry) => ({
  ...{ asset: assetName(asset) ?? 'native', amount },
})

const clawedBack = (asset: AssetName, from: xdr.ScVal, amount: bigint): AssetEvent => ({
  asset,
  topics: [symbol('clawback'), from, nameOf(asset)],
  data: amountOf(amount),
})

const poolIn = (operation: OperationFields) =>
  pool(Buffer.from(String(operation['liquidity_pool_id']), 'hex'))

function reserves(operation: OperationFields, field: string): { asset: AssetName; amount: bigint }[] {
  const given = operation[field] as readonly { asset: string; amount: string }[] | undefined
  return (given ?? []).map(({ asset, amount }) => ({ asset, amount: stroopsOf(amount) }))
}

/** Says that a line may be used from now on, or no longer. */
function authorized({ before, after }: Pair): AssetEvent[] {
  if (before?.data.type !== 'trustline' || after?.data.type !== 'trustline') return []
  const [was, is] = [before.data.trustLine, after.data.trustLine].map(({ flags }) => (flags & 1) === 1)
  if (was === is) return []
  const { accountId, asset } = after.data.trustLine
  const name = lineAsset(asset)
  const topics = [symbol('set_authorized'), account(accountIdOf(accountId)), nameOf(name)]
  return [{ asset: name, topics, data: xdr.ScVal.scvBool(is === true) }]
}

/** The number of a muxed account is in the call alone. */
function callEvents(operation: OperationFields): AssetEvent[] {
  const changes = (operation['asset_balance_changes'] ?? []) as readonly OperationFields[]
  const given = (operation['parameters'] ?? []) as readonly { value: string }[]
  const paid = given[3] ? xdr.ScVal.fromXdr(given[3].value, 'base64') : undefined
  const muxed = paid?.type === 'scvAddress' && paid.address.type === 'scAddressTypeMuxedAccount'
  const muxedId = muxed ? nativeToScVal(paid.address.muxedAccount.id, { type: 'u64' }) : undefined
  return changes.map(change => {
    const asset = assetIn(change)
    const issuer = asset === 'native' ? '' : splitAsset(asset).issuer
    const { from = issuer, to = issuer, amount } = change
    const [payer, payee] = [from, to].map(each => account(String(each)))
    return moved({
      ...{ asset, from: payer ?? account(issuer), to: payee ?? account(issuer) },
      ...{ amount: stroopsOf(String(amount)), muxedId },
    })
  })
}

/** As the ledger's meta has it. */
export const contractEvent = ({ topics, data }: AssetEvent, contract: string): xdr.ContractEvent =>
  new xdr.ContractEvent({
    ext: xdr.ExtensionPoint.v0(),
    contractId: contractIdOf(contract),
    type: xdr.ContractEventType.contract,
    body: xdr.ContractEventBody.v0(new xdr.ContractEventV0({ topics: [...topics], data })),
  })

function contractIdOf(contract: string): xdr.ContractId | null {
  const address = Address.fromString(contract).toScAddress()
  return address.type === 'scAddressTypeContract' ? address.contractId : null
}
