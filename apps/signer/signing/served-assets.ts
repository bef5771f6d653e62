import type { Asset } from '@stellar/stellar-sdk/base'
import { ledgerAssetOf } from '@windlass/stellar/assets.ts'
import type { Rules } from './transactions.ts'

/** `CODE:ISSUER` of an asset beside the anchor's first one. */
export type FurtherAsset = `${string}:${string}`

/** The assets that the anchor may pay. */
export function servedAssets({
  accounts,
  terms,
}: Pick<Rules, 'accounts' | 'terms'>): { key: 'own' | FurtherAsset; asset: Asset }[] {
  const further = (terms.furtherAssets ?? []).map(({ code, issuer }) => ({
    key: `${code}:${issuer}` as const,
    asset: ledgerAssetOf({ code, issuer }),
  }))
  const first = ledgerAssetOf({ code: terms.assetCode, issuer: accounts.issuer })
  return [{ key: 'own', asset: first }, ...further]
}
