import { servedAsset, type AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { parseAmount, type Amount } from '@windlass/money/amount.ts'
import { divide, multiply, parseRate } from '@windlass/money/rate.ts'
import type { Deps } from '../../deps.ts'

/**
 * A threshold of the first asset in units of another one, which may be pegged to another currency. Where there is no rate
 * every amount reaches it.
 */
export function thresholdIn(
  { anchor, fx }: Pick<Deps['config'], 'anchor' | 'fx'>,
  threshold: string,
  asset: AssetKey,
): Amount {
  return thresholdInCurrency({ anchor, fx }, threshold, servedAsset(anchor, asset).anchoredTo)
}

/** As {@link thresholdIn}, in units of a currency. */
export function thresholdInCurrency(
  { anchor, fx }: Pick<Deps['config'], 'anchor' | 'fx'>,
  threshold: string,
  to: string,
): Amount {
  const from = servedAsset(anchor, null).anchoredTo
  return worthIn({ fx }, parseAmount(threshold), from, to) ?? parseAmount('0')
}

/** An amount of one currency in another one, at present rates; null: there is none. */
export function worthIn(
  { fx }: Pick<Deps['config'], 'fx'>,
  amount: Amount,
  from: string | undefined,
  to: string,
): Amount | null {
  if (from === to) return amount
  const dollars = (currency = '') => (/^USDC?$/.test(currency) ? '1' : fx[currency])
  const [had, wanted] = [dollars(from), dollars(to)]
  if (had === undefined || wanted === undefined) return null
  return divide(multiply(amount, parseRate(wanted)), parseRate(had))
}
