import { servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { AmountError, formatAmount, parsePositiveAmount } from '@windlass/money/amount.ts'
import { LEDGER_DECIMALS } from '@windlass/money/number-text.ts'
import { readTyped } from '@windlass/money/typed-amount.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Deps } from '../deps.ts'
import { shown, shownCents } from './numbers.ts'
import { textsFor } from './texts.ts'
import type { Transfer } from '../tables.ts'
import { priceOf } from '../transfers/amounts.ts'

/** What a typed amount costs or brings now, as the page says it; empty where it is none that can be exchanged. */
export function priceText(
  { config, rails }: Pick<Deps, 'config' | 'rails'>,
  transfer: Transfer,
  { amount = '', rail: chosen = transfer.rail }: Readonly<Record<string, string>>,
): string {
  const t = textsFor(transfer.lang)
  const rail = rails.get(chosen)
  const read = readTyped(amount, t.lang, LEDGER_DECIMALS)
  if (!rail || 'fault' in read) return ''
  try {
    const priced = { ...transfer, rail: rail.name, currency: rail.currency }
    const { fiat, fee } = priceOf(config, priced, parsePositiveAmount(read.number))
    const money = `${shownCents(t.lang, formatAmount(fiat))} ${rail.currency}`
    const { code } = servedAsset(config.anchor, transfer.asset)
    const label = transfer.direction === 'deposit' ? t.youPay[0] : t.youGet
    return `${label}: ${money} (${t.feeOf(`${shown(t.lang, formatAmount(fee))} ${code}`)})`
  } catch (error) {
    if (error instanceof Problem || error instanceof AmountError) return ''
    throw error
  }
}
