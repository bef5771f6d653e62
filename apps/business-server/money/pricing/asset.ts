import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import { idOf, servedAssets, type AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { invalid } from '@windlass/service/http/problem.ts'

/** Whether the anchor issues its first asset, and with this account: the issuer of an existing asset is anyone. */
export const isOwnIssuer = ({ plan, accounts }: AnchorConfig, account: string): boolean =>
  plan.asset.issuer === undefined && account === accounts.issuer

/** The key of a further asset that is named `CODE:ISSUER`, or of the first one. Throws `validation-failed`. */
export function servedKey(anchor: AnchorConfig, name: string | undefined): AssetKey {
  const served = servedAssets(anchor).find(each => name === undefined || idOf(each) === name)
  if (!served) throw invalid('asset', 'must be an asset that the anchor serves (CODE:ISSUER)')
  return served.key
}
