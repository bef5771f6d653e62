import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import { accountIdOf, publicKeyOf } from './addresses.ts'
import { isPoolId } from './entries.ts'

/** `native`, or `CODE:ISSUER` as SEP-11 writes it. */
export type AssetName = string

const codePattern = /^[A-Za-z0-9]{1,12}$/

/** The asset's name, or undefined when its code is not one the ledger accepts. */
export function assetName(
  asset: xdr.Asset | xdr.TrustLineAsset | xdr.ChangeTrustAsset,
): AssetName | undefined {
  switch (asset.type) {
    case 'assetTypeNative':
      return 'native'
    case 'assetTypeCreditAlphanum4': {
      const code = assetCode(asset.alphaNum4.assetCode.value)
      return code && code.length <= 4 ? `${code}:${accountIdOf(asset.alphaNum4.issuer)}` : undefined
    }
    case 'assetTypeCreditAlphanum12': {
      const code = assetCode(asset.alphaNum12.assetCode.value)
      return code && code.length > 4 ? `${code}:${accountIdOf(asset.alphaNum12.issuer)}` : undefined
    }
    default:
      return undefined
  }
}

/** The code in its fixed-size bytes: letters and digits, then nothing but zeros. */
export function assetCode(bytes: Uint8Array): string | undefined {
  const end = bytes.indexOf(0)
  const used = end < 0 ? bytes : bytes.subarray(0, end)
  if (end >= 0 && bytes.subarray(end).some(byte => byte !== 0)) return undefined
  const code = Buffer.from(used).toString('latin1')
  return codePattern.test(code) ? code : undefined
}

/** The code of an asset whose issuer is the operation's source. */
export function codeOf(asset: xdr.AssetCode): string | undefined {
  if (asset.type === 'assetTypeCreditAlphanum4') return assetCode(asset.assetCode4.value)
  const code = assetCode(asset.assetCode12.value)
  return code && code.length > 4 ? code : undefined
}

export function splitAsset(asset: AssetName): { code: string; issuer: string } {
  const [code = '', issuer = ''] = asset.split(':')
  return { code, issuer }
}

export function assetXdr(asset: AssetName): xdr.Asset {
  if (asset === 'native') return xdr.Asset.assetTypeNative()
  const { code, issuer } = splitAsset(asset)
  return code.length <= 4
    ? xdr.Asset.assetTypeCreditAlphanum4(new xdr.AlphaNum4({ assetCode: code, issuer: publicKeyOf(issuer) }))
    : xdr.Asset.assetTypeCreditAlphanum12(
        new xdr.AlphaNum12({ assetCode: code, issuer: publicKeyOf(issuer) }),
      )
}

export function trustLineAssetXdr(asset: AssetName): xdr.TrustLineAsset {
  if (isPoolId(asset)) return xdr.TrustLineAsset.assetTypePoolShare(new xdr.PoolId(Buffer.from(asset, 'hex')))
  const { code, issuer } = splitAsset(asset)
  return code.length <= 4
    ? xdr.TrustLineAsset.assetTypeCreditAlphanum4(
        new xdr.AlphaNum4({ assetCode: code, issuer: publicKeyOf(issuer) }),
      )
    : xdr.TrustLineAsset.assetTypeCreditAlphanum12(
        new xdr.AlphaNum12({ assetCode: code, issuer: publicKeyOf(issuer) }),
      )
}

/** Basis points that a pool takes of what is traded with it: the only fee the network allows. */
export const poolFee = 30

export function poolParametersXdr(
  assetA: AssetName,
  assetB: AssetName,
): xdr.LiquidityPoolConstantProductParameters {
  return new xdr.LiquidityPoolConstantProductParameters({
    assetA: assetXdr(assetA),
    assetB: assetXdr(assetB),
    fee: poolFee,
  })
}

/** The id of the pool of two assets, in either order: hex of the hash of its parameters (CAP-38). */
export function poolIdOf(one: AssetName, other: AssetName): string {
  const [a, b] = compareAssets(one, other) < 0 ? [one, other] : [other, one]
  const parameters = xdr.LiquidityPoolParameters.liquidityPoolConstantProduct(poolParametersXdr(a, b))
  return createHash('sha256').update(parameters.toXdr()).digest('hex')
}

/** The order of assets in a pool: native, short codes, long codes; then by code, then by issuer. */
export function compareAssets(a: AssetName, b: AssetName): number {
  return Buffer.compare(assetXdr(a).toXdr(), assetXdr(b).toXdr())
}

/** Horizon's three fields for an asset. */
export function assetFields(asset: AssetName, prefix = 'asset'): Record<string, string> {
  if (asset === 'native') return { [`${prefix}_type`]: 'native' }
  if (isPoolId(asset)) return { [`${prefix}_type`]: 'liquidity_pool_shares', liquidity_pool_id: asset }
  const { code, issuer } = splitAsset(asset)
  return {
    [`${prefix}_type`]: code.length <= 4 ? 'credit_alphanum4' : 'credit_alphanum12',
    [`${prefix}_code`]: code,
    [`${prefix}_issuer`]: issuer,
  }
}
