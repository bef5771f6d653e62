import { Address, nativeToScVal, scValToNative, SignerKey, xdr } from '@stellar/stellar-sdk'
import { accountIdOf, publicKeyOf } from './addresses.ts'
import { assetName, assetXdr, poolParametersXdr, trustLineAssetXdr } from './assets.ts'
import {
  accountKey,
  assetContractKey,
  claimableBalanceKey,
  contractBalanceKey,
  dataKey,
  offerKey,
  poolKey,
  trustLineKey,
  type Account,
  type AssetContract,
  type ClaimableBalance,
  type ContractBalance,
  type Entry,
  type Liabilities,
  type LiquidityPool,
  type Offer,
  type TrustLine,
} from './entries.ts'
import type { Change } from './state.ts'

/** What a layer changed, in the form of a transaction's meta: the state before, then the state after. */
export function ledgerEntryChanges(changes: readonly Change[]): xdr.LedgerEntryChange[] {
  const found: xdr.LedgerEntryChange[] = []
  for (const { before, after } of changes) {
    if (before) found.push(xdr.LedgerEntryChange.ledgerEntryState(ledgerEntry(before)))
    if (!after) {
      if (before) found.push(xdr.LedgerEntryChange.ledgerEntryRemoved(ledgerKey(before)))
    } else if (before) found.push(xdr.LedgerEntryChange.ledgerEntryUpdated(ledgerEntry(after)))
    else found.push(xdr.LedgerEntryChange.ledgerEntryCreated(ledgerEntry(after)))
  }
  return found
}

function ledgerEntry(entry: Entry): xdr.LedgerEntry {
  return new xdr.LedgerEntry({
    lastModifiedLedgerSeq: entry.modified,
    data: entryData(entry),
    ext:
      'sponsor' in entry && entry.sponsor !== null
        ? xdr.LedgerEntryExt.v1(
            new xdr.LedgerEntryExtensionV1({
              sponsoringId: publicKeyOf(entry.sponsor),
              ext: xdr.LedgerEntryExtensionV1Ext.v0(),
            }),
          )
        : xdr.LedgerEntryExt.v0(),
  })
}

export function entryData(entry: Entry): xdr.LedgerEntryData {
  switch (entry.kind) {
    case 'account':
      return xdr.LedgerEntryData.account(accountEntry(entry))
    case 'trustline':
      return xdr.LedgerEntryData.trustline(trustLineEntry(entry))
    case 'data':
      return xdr.LedgerEntryData.data(
        new xdr.DataEntry({
          accountId: publicKeyOf(entry.account),
          dataName: entry.name,
          dataValue: entry.value,
          ext: xdr.DataEntryExt.v0(),
        }),
      )
    case 'claimable-balance':
      return xdr.LedgerEntryData.claimableBalance(claimableBalanceEntry(entry))
    case 'offer':
      return xdr.LedgerEntryData.offer(offerEntry(entry))
    case 'liquidity-pool':
      return xdr.LedgerEntryData.liquidityPool(poolEntry(entry))
    case 'contract-balance':
      return xdr.LedgerEntryData.contractData(contractBalanceEntry(entry))
    case 'asset-contract':
      return xdr.LedgerEntryData.contractData(assetContractEntry(entry))
  }
}

function liabilitiesXdr({ buying, selling }: Liabilities): xdr.Liabilities {
  return new xdr.Liabilities({ buying, selling })
}

function trustLineEntry(line: TrustLine): xdr.TrustLineEntry {
  return new xdr.TrustLineEntry({
    accountId: publicKeyOf(line.account),
    asset: trustLineAssetXdr(line.asset),
    balance: line.balance,
    limit: line.limit,
    flags: line.flags,
    ext: trustLineExtension(line),
  })
}

/** A network adds the extensions once an offer or a pool has used the line; so it never has them without need. */
function trustLineExtension(line: TrustLine): xdr.TrustLineEntryExt {
  if (line.buying === 0n && line.selling === 0n && line.pools === 0) return xdr.TrustLineEntryExt.v0()
  return xdr.TrustLineEntryExt.v1(
    new xdr.TrustLineEntryV1({
      liabilities: liabilitiesXdr(line),
      ext:
        line.pools === 0
          ? xdr.TrustLineEntryV1Ext.v0()
          : xdr.TrustLineEntryV1Ext.v2(
              new xdr.TrustLineEntryExtensionV2({
                liquidityPoolUseCount: line.pools,
                ext: xdr.TrustLineEntryExtensionV2Ext.v0(),
              }),
            ),
    }),
  )
}

export function offerEntry(offer: Offer): xdr.OfferEntry {
  return new xdr.OfferEntry({
    sellerId: publicKeyOf(offer.seller),
    offerId: offer.id,
    selling: assetXdr(offer.selling),
    buying: assetXdr(offer.buying),
    amount: offer.amount,
    price: new xdr.Price(offer.price),
    flags: offer.flags,
    ext: xdr.OfferEntryExt.v0(),
  })
}

function poolEntry(pool: LiquidityPool): xdr.LiquidityPoolEntry {
  return new xdr.LiquidityPoolEntry({
    liquidityPoolId: new xdr.PoolId(Buffer.from(pool.id, 'hex')),
    body: xdr.LiquidityPoolEntryBody.liquidityPoolConstantProduct(
      new xdr.LiquidityPoolEntryConstantProduct({
        params: poolParametersXdr(pool.assetA, pool.assetB),
        reserveA: pool.reserveA,
        reserveB: pool.reserveB,
        totalPoolShares: pool.shares,
        poolSharesTrustLineCount: BigInt(pool.lines),
      }),
    ),
  })
}

function accountEntry(account: Account): xdr.AccountEntry {
  const { master, low, medium, high } = account.thresholds
  return new xdr.AccountEntry({
    accountId: publicKeyOf(account.id),
    balance: account.balance,
    seqNum: account.sequence,
    numSubEntries: account.subentries,
    inflationDest: account.inflationDestination ? publicKeyOf(account.inflationDestination) : null,
    flags: account.flags,
    homeDomain: account.homeDomain,
    thresholds: Uint8Array.of(master, low, medium, high),
    signers: account.signers.map(
      ({ key, weight }) => new xdr.Signer({ key: SignerKey.decodeAddress(key), weight }),
    ),
    ext: accountExtension(account),
  })
}

/** The extensions that a network gives an account once it has used a sequence, an offer or a sponsorship. */
function accountExtension(account: Account): xdr.AccountEntryExt {
  const { sponsoring, sponsored, sequenceLedger, buying, selling } = account
  if (sponsoring === 0 && sponsored === 0 && sequenceLedger === 0 && buying === 0n && selling === 0n)
    return xdr.AccountEntryExt.v0()
  const v2 = new xdr.AccountEntryExtensionV2({
    numSponsored: sponsored,
    numSponsoring: sponsoring,
    signerSponsoringIDs: account.signers.map(({ sponsor }) => (sponsor ? publicKeyOf(sponsor) : null)),
    ext:
      account.sequenceLedger === 0
        ? xdr.AccountEntryExtensionV2Ext.v0()
        : xdr.AccountEntryExtensionV2Ext.v3(
            new xdr.AccountEntryExtensionV3({
              ext: xdr.ExtensionPoint.v0(),
              seqLedger: account.sequenceLedger,
              seqTime: account.sequenceTime,
            }),
          ),
  })
  return xdr.AccountEntryExt.v1(
    new xdr.AccountEntryExtensionV1({
      liabilities: liabilitiesXdr(account),
      ext: xdr.AccountEntryExtensionV1Ext.v2(v2),
    }),
  )
}

function claimableBalanceEntry(balance: ClaimableBalance): xdr.ClaimableBalanceEntry {
  return new xdr.ClaimableBalanceEntry({
    balanceId: balanceIdXdr(balance.id),
    claimants: balance.claimants.map(({ destination, predicate }) =>
      xdr.Claimant.claimantTypeV0(
        new xdr.ClaimantV0({
          destination: publicKeyOf(destination),
          predicate: xdr.ClaimPredicate.fromXdr(predicate, 'base64'),
        }),
      ),
    ),
    asset: assetXdr(balance.asset),
    amount: balance.amount,
    ext: balance.clawbackEnabled
      ? xdr.ClaimableBalanceEntryExt.v1(
          new xdr.ClaimableBalanceEntryExtensionV1({
            ext: xdr.ClaimableBalanceEntryExtensionV1Ext.v0(),
            flags: 1,
          }),
        )
      : xdr.ClaimableBalanceEntryExt.v0(),
  })
}

export function balanceIdXdr(id: string): xdr.ClaimableBalanceId {
  return xdr.ClaimableBalanceId.fromXdr(id, 'hex')
}

export function ledgerKey(entry: Entry): xdr.LedgerKey {
  switch (entry.kind) {
    case 'account':
      return xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: publicKeyOf(entry.id) }))
    case 'trustline':
      return xdr.LedgerKey.trustline(
        new xdr.LedgerKeyTrustLine({
          accountId: publicKeyOf(entry.account),
          asset: trustLineAssetXdr(entry.asset),
        }),
      )
    case 'data':
      return xdr.LedgerKey.data(
        new xdr.LedgerKeyData({ accountId: publicKeyOf(entry.account), dataName: entry.name }),
      )
    case 'claimable-balance':
      return xdr.LedgerKey.claimableBalance(
        new xdr.LedgerKeyClaimableBalance({ balanceId: balanceIdXdr(entry.id) }),
      )
    case 'offer':
      return xdr.LedgerKey.offer(
        new xdr.LedgerKeyOffer({ sellerId: publicKeyOf(entry.seller), offerId: entry.id }),
      )
    case 'liquidity-pool':
      return xdr.LedgerKey.liquidityPool(
        new xdr.LedgerKeyLiquidityPool({ liquidityPoolId: new xdr.PoolId(Buffer.from(entry.id, 'hex')) }),
      )
    case 'contract-balance':
      return dataKeyXdr(entry.contract, balanceKeyXdr(entry.holder))
    case 'asset-contract':
      return instanceKeyXdr(entry.contract)
  }
}

/** Key of the entry of the contract itself. */
export const instanceKeyXdr = (contract: string) =>
  dataKeyXdr(contract, xdr.ScVal.scvLedgerKeyContractInstance())

const dataKeyXdr = (contract: string, key: xdr.ScVal) =>
  xdr.LedgerKey.contractData(
    new xdr.LedgerKeyContractData({
      contract: Address.fromString(contract).toScAddress(),
      key,
      durability: xdr.ContractDataDurability.persistent,
    }),
  )

/** Under which key an asset's contract keeps what a contract account holds. */
const balanceKeyXdr = (holder: string) =>
  xdr.ScVal.scvVec([nativeToScVal('Balance', { type: 'symbol' }), nativeToScVal(holder, { type: 'address' })])

function contractBalanceEntry({
  contract,
  holder,
  balance,
  clawback,
}: ContractBalance): xdr.ContractDataEntry {
  const field = (name: string, val: xdr.ScVal) =>
    new xdr.ScMapEntry({ key: nativeToScVal(name, { type: 'symbol' }), val })
  return new xdr.ContractDataEntry({
    ext: xdr.ExtensionPoint.v0(),
    contract: Address.fromString(contract).toScAddress(),
    key: balanceKeyXdr(holder),
    durability: xdr.ContractDataDurability.persistent,
    val: xdr.ScVal.scvMap([
      field('amount', nativeToScVal(balance, { type: 'i128' })),
      field('authorized', xdr.ScVal.scvBool(true)),
      field('clawback', xdr.ScVal.scvBool(clawback)),
    ]),
  })
}

/** Without the storage in which a real one keeps its metadata and administrator. */
const assetContractEntry = ({ contract }: AssetContract): xdr.ContractDataEntry =>
  new xdr.ContractDataEntry({
    ext: xdr.ExtensionPoint.v0(),
    contract: Address.fromString(contract).toScAddress(),
    key: xdr.ScVal.scvLedgerKeyContractInstance(),
    durability: xdr.ContractDataDurability.persistent,
    val: xdr.ScVal.scvContractInstance(
      new xdr.ScContractInstance({
        executable: xdr.ContractExecutable.contractExecutableStellarAsset(),
        storage: null,
      }),
    ),
  })

function contractDataKey({ contract, key }: xdr.LedgerKeyContractData): string | undefined {
  if (key.type === 'scvLedgerKeyContractInstance')
    return assetContractKey(Address.fromScAddress(contract).toString())
  const [name, holder]: unknown[] = key.type === 'scvVec' ? scValToNative(key) : []
  return name === 'Balance' && typeof holder === 'string'
    ? contractBalanceKey(Address.fromScAddress(contract).toString(), holder)
    : undefined
}

/** Under which key the ledger keeps an entry; undefined for kinds that it has none of. */
export function entryKeyOf(key: xdr.LedgerKey): string | undefined {
  switch (key.type) {
    case 'account':
      return accountKey(accountIdOf(key.account.accountId))
    case 'trustline':
      return trustLineKey(accountIdOf(key.trustLine.accountId), lineName(key.trustLine.asset) ?? '')
    case 'offer':
      return offerKey(key.offer.offerId)
    case 'data':
      return dataKey(accountIdOf(key.data.accountId), key.data.dataName.toString())
    case 'claimableBalance':
      return claimableBalanceKey(key.claimableBalance.balanceId.toXdr('hex'))
    case 'liquidityPool':
      return poolKey(Buffer.from(key.liquidityPool.liquidityPoolId.value).toString('hex'))
    case 'contractData':
      return contractDataKey(key.contractData)
    default:
      return undefined
  }
}

/** What a trustline is for: an asset, or the id of the pool whose shares it holds. */
export function lineName(asset: xdr.TrustLineAsset): string | undefined {
  return asset.type === 'assetTypePoolShare'
    ? Buffer.from(asset.liquidityPoolId.value).toString('hex')
    : assetName(asset)
}
