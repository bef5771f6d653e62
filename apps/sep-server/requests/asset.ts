import type { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import {
  assetName,
  idOf,
  isNative,
  NATIVE,
  servedAssets,
  type ServedAsset,
} from '@windlass/contracts/internal/served-assets.ts'
import { railKind, type RailKind } from '@windlass/contracts/platform/anchor-rails.ts'
import { badRequest } from '../errors.ts'

/** The anchor's assets on the ledger, in SEP-38's form. */
export const ledgerAssets = (anchor: AnchorConfig): string[] => servedAssets(anchor).map(assetName)

/** The asset that code and issuer name. Throws 400 where it is none of the anchor's, or where several have that code. */
export function assetIn(anchor: AnchorConfig, code: string | undefined, issuer?: string): ServedAsset {
  const [asset, ...others] = assetsNamed(anchor, code, issuer)
  if (others.length === 0) return asset
  const ids = [asset, ...others].map(idOf).join(' or ')
  throw badRequest(`several assets have the code ${asset.code}; name one with its issuer: ${ids}`)
}

/** The assets that `CODE`, `CODE:ISSUER` or SEP-38's form names. Throws 400 where there is none. */
export function assetsNamed(
  anchor: AnchorConfig,
  code: string | undefined,
  issuer?: string,
): [ServedAsset, ...ServedAsset[]] {
  if (!code) throw badRequest('asset_code is required')
  const [name, ...issuers] = code.replace(/^stellar:/, '').split(':')
  if (issuer) issuers.push(issuer)
  const served = servedAssets(anchor)
  const [asset, ...others] = served.filter(
    each => [each.code, codeOf(each)].includes(name ?? '') && issuers.every(given => each.issuer === given),
  )
  if (asset) return [asset, ...others]
  const codes = [...new Set(served.map(codeOf))].join(' or ')
  throw badRequest(`the asset is not supported; it must be ${codes}`)
}

/** As the SEPs name it where they name no issuer. */
const codeOf = (asset: Pick<ServedAsset, 'code' | 'issuer'>): string =>
  isNative(asset) ? NATIVE : asset.code

/** Something about each asset, by its code. Of assets that share a code, those after the first are named with their issuer. */
export function byCode<Asset extends Pick<ServedAsset, 'code' | 'issuer'>, Of>(
  assets: readonly Asset[],
  describe: (asset: Asset) => Of,
): Record<string, Of> {
  const all: Record<string, Of> = {}
  // A code may be a name that every object has, such as `toString`.
  for (const asset of assets)
    all[Object.hasOwn(all, codeOf(asset)) ? idOf(asset) : codeOf(asset)] = describe(asset)
  return all
}

/**
 * The rail with the method that a wallet asked for; by default the first. With `currency` (`iso4217:…`) only rails of
 * that currency. Throws 400.
 */
export function chooseRail(
  open: readonly RailKind[],
  wanted: string | undefined,
  currency?: string,
): RailKind {
  const rails = open.filter(rail => currency === undefined || currency === `iso4217:${rail.currency}`)
  const [first] = rails
  if (!first) throw badRequest('no payment method is available at the moment')
  if (!wanted) return first
  const found = rails.find(({ method }) => method === wanted.toLowerCase())
  if (!found) throw badRequest(`type must be one of ${rails.map(({ method }) => method).join(', ')}`)
  return found
}

/** The currencies of the anchor's rails, as `iso4217:…`. */
export function fiatAssets(anchor: AnchorConfig): string[] {
  const currencies = anchor.plan.rails.map(name => railKind(name, anchor.plan.asset.anchoredTo).currency)
  return [...new Set(currencies)].map(currency => `iso4217:${currency}`)
}

/** `0.005` as `0.5`, what the SEPs call fee_percent. */
export const feePercent = (fraction: string): number => Number((Number(fraction) * 100).toPrecision(12))
