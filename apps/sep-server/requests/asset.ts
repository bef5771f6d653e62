import type { AnchorConfig } from '@windlass/contracts/anchor-config.ts'
import { railKind, type RailKind } from '@windlass/contracts/anchor-rails.ts'
import { badRequest } from '../errors.ts'

/** The anchor's asset in SEP-38's form. */
export const assetName = ({ plan, accounts }: AnchorConfig): string =>
  `stellar:${plan.asset.code}:${accounts.issuer}`

/** Throws 400 unless code and issuer name the anchor's asset, as `CODE`, `CODE:ISSUER` or in SEP-38's form. */
export function checkAsset(anchor: AnchorConfig, code: string | undefined, issuer?: string): void {
  if (!code) throw badRequest('asset_code is required')
  const [name, inCode] = code.replace(/^stellar:/, '').split(':')
  const given = issuer || inCode
  if (name !== anchor.plan.asset.code || (given && given !== anchor.accounts.issuer)) {
    throw badRequest(`the asset is not supported; it must be ${anchor.plan.asset.code}`)
  }
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
  if (!wanted) {
    const [first] = rails
    if (!first) throw badRequest('no payment method is available at the moment')
    return first
  }
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
