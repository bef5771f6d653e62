import { assetOfId, idOf } from '@windlass/contracts/internal/served-assets.ts'
import type { Workspace } from '@windlass/contracts/platform/workspaces.ts'

type Assets = Pick<Workspace, 'asset' | 'furtherAssets' | 'issuer'>

/** An asset that the anchor serves, as the screens name it. */
export interface ShownAsset {
  /** `CODE:ISSUER` of a further asset; undefined: the first one. */
  id: string | undefined
  /** Its code, with the end of its issuer where another asset has the same code. */
  name: string
  /** Null: not known yet. */
  issuer: string | null
  isOwn: boolean
}

/** Every asset of the anchor, the first one first. */
export function assetsOf({ asset, furtherAssets = [], issuer }: Assets): [ShownAsset, ...ShownAsset[]] {
  const codes = [asset, ...furtherAssets].map(({ code }) => code)
  const nameOf = (code: string, by: string | null) =>
    codes.filter(each => each === code).length > 1 && by ? `${code} (…${by.slice(-4)})` : code
  const first = { id: undefined, name: nameOf(asset.code, issuer), issuer, isOwn: asset.issuer === undefined }
  const further = furtherAssets.map(each => ({
    ...{ id: idOf(each), name: nameOf(each.code, each.issuer), issuer: each.issuer, isOwn: false },
  }))
  return [first, ...further]
}

/** The unit of a number that counts for each asset by itself, such as a limit. */
export const unitOfEach = (workspace: Assets): string =>
  assetsOf(workspace)
    .map(({ name }) => name)
    .join(' / ')

/** The name of the asset that a transaction is of; absent: the first one. */
export const assetNameOf = (workspace: Assets, asset?: { code: string; issuer: string }): string =>
  unitName(workspace, asset ? idOf(asset) : 'asset')

/** A unit of the journal as people read it: `asset`, `CODE:ISSUER` or a currency. */
export function unitName(workspace: Assets, unit: string): string {
  const [first, ...further] = assetsOf(workspace)
  if (unit === 'asset') return first.name
  return further.find(({ id }) => id === unit)?.name ?? assetOfId(unit).code
}
