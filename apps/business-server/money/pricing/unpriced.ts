import type { PublicTerms } from '@windlass/contracts/anchor/anchor-settings.ts'
import { idOf, servedAssets } from '@windlass/contracts/internal/served-assets.ts'
import type { Deps } from '../../deps.ts'
import { exchangeRate } from './exchange-rate.ts'

/** For which currencies of the anchor's rails its assets have no rate. */
export function unpriced({
  config: { anchor, fx },
  rails,
}: Pick<Deps, 'config' | 'rails'>): NonNullable<PublicTerms['unpriced']> {
  const currencies = [...new Set([...rails.values()].map(({ currency }) => currency))]
  return servedAssets(anchor).flatMap(asset =>
    currencies
      .filter(currency => exchangeRate(fx, asset.anchoredTo, currency) === null)
      .map(currency => ({ asset: idOf(asset), currency })),
  )
}
