import { member, type AnchorToVisit } from './visit.ts'

type Asset = AnchorToVisit['asset']

/** XLM, which has no issuer. */
export const XLM: Asset = { code: 'XLM', issuer: 'native' }

const isNative = ({ issuer }: Asset): boolean => issuer === XLM.issuer

/** The code by which wallets ask for it (SEP-6, SEP-24). */
export const codeOf = (asset: Asset): string => (isNative(asset) ? 'native' : asset.code)

/** As in SEP-38. */
export const nameOf = (asset: Asset): string =>
  isNative(asset) ? 'stellar:native' : `stellar:${asset.code}:${asset.issuer}`

/** The fields by which a request of SEP-24 names it. */
export const fieldsOf = (asset: Asset) => ({
  asset_code: codeOf(asset),
  ...(isNative(asset) ? {} : { asset_issuer: asset.issuer }),
})

/** Whether an entry of `[[CURRENCIES]]` is it. */
export const isListedAs = (entry: unknown, asset: Asset): boolean =>
  member(entry, 'code') === codeOf(asset) &&
  member(entry, 'issuer') === (isNative(asset) ? undefined : asset.issuer)

/** The asset that an entry of `[[CURRENCIES]]` describes; null: none that is known. */
export function assetListed(entry: unknown): Asset | null {
  const [code, issuer] = [member(entry, 'code'), member(entry, 'issuer')]
  if (code === 'native' && issuer === undefined) return XLM
  return typeof code === 'string' && typeof issuer === 'string' ? { code, issuer } : null
}

/** Whether someone names it so. */
export const isCalled = (asset: Asset, name: string): boolean =>
  [asset.code, codeOf(asset), `${asset.code}:${asset.issuer}`].includes(name)
