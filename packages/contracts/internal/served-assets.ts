import type { AnchorConfig } from './anchor-config.ts'

/** What stands for the issuer of XLM, which nobody issues, and as Horizon names the asset. */
export const NATIVE = 'native'

/** Null: the first asset of an anchor, its own or an existing one. `CODE:ISSUER`: a further one. */
export type AssetKey = string | null

export interface ServedAsset {
  key: AssetKey
  code: string
  /** `G…`, or {@link NATIVE} of XLM. */
  issuer: string
  name: string
  /** ISO 4217 code or asset that one unit is pegged to. */
  anchoredTo: string
  /** Whether the anchor issues it itself. */
  isOwn: boolean
}

type Served = Pick<AnchorConfig, 'plan' | 'accounts'>

/** Every asset that an anchor serves, the first one first. */
export function servedAssets({ plan, accounts }: Served): [ServedAsset, ...ServedAsset[]] {
  const { code, name, anchoredTo, issuer } = plan.asset
  const first = { key: null, issuer: accounts.issuer, isOwn: issuer === undefined }
  const further = (plan.furtherAssets ?? []).map(asset => ({ key: idOf(asset), isOwn: false, ...asset }))
  return [{ ...first, code, name, anchoredTo }, ...further]
}

/** Throws where the anchor does not serve it. */
export function servedAsset(anchor: Served, key: AssetKey): ServedAsset {
  const found = servedAssets(anchor).find(asset => asset.key === key)
  if (!found) throw new Error(`the anchor does not serve ${key ?? 'a first asset'}`)
  return found
}

type Named = Pick<ServedAsset, 'code' | 'issuer'>

/** Whether it is XLM: every account holds it, without a trustline, and pays fees and reserves with it. */
export const isNative = ({ issuer }: Pick<Named, 'issuer'>): boolean => issuer === NATIVE

/** Whether the anchor serves XLM, which only its first asset can be. */
export const servesXlm = ({ plan }: Pick<AnchorConfig, 'plan'>): boolean => plan.asset.issuer === NATIVE

/** As Horizon's balances and the keys name it. */
export const idOf = ({ code, issuer }: Named): string => (issuer === NATIVE ? NATIVE : `${code}:${issuer}`)

/** The asset of a key that is not null, or of {@link idOf}. */
export function assetOfId(id: string): { code: string; issuer: string } {
  if (id === NATIVE) return { code: 'XLM', issuer: NATIVE }
  const [code = '', issuer = ''] = id.split(':')
  return { code, issuer }
}

/** The field of a message about an amount that says of which asset it is: absent for the first one; `native`: XLM. */
export const assetField = (asset: AssetKey): { asset?: string } => (asset === null ? {} : { asset })

/** In SEP-38's form. */
export const assetName = (asset: Named): string => `stellar:${idOf(asset)}`
