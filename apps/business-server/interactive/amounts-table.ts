import { servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { formatRate, parseRate } from '@windlass/money/rate.ts'
import { shortest } from '@windlass/money/trim-zeros.ts'
import type { Config } from '../config.ts'
import { type Html, html } from './html.ts'
import { shown, shownCents } from './numbers.ts'
import { type Texts, side } from './texts.ts'
import { exchangeRate } from '../money/pricing/exchange-rate.ts'
import { feeOf } from '../money/settings/terms.ts'
import type { Transfer } from '../tables.ts'
import type { Priced } from '../transfers/amounts.ts'

type Shown = Priced & Pick<Transfer, 'state' | 'amount' | 'fee' | 'fiat_amount' | 'rate'>

/** The customer's part has come. */
const PAID: readonly Transfer['state'][] = ['funded', 'awaiting_trust', 'paying_out', 'sent_back']

/** Every amount of the transfer, line by line, before and after the customer confirms. */
export function amountsTable({ anchor, fx }: Config, t: Texts, priced: Shown): Html | null {
  if (priced.amount === null || priced.fee === null || priced.fiat_amount === null) return null
  const { code, anchoredTo } = servedAsset(anchor, priced.asset)
  const fee = parseAmount(priced.fee)
  const { fixed: fixedPart, percentage } = feeOf(anchor.plan, priced)
  const fixed = parseAmount(fixedPart)
  // What was agreed stays, whatever the rate is today.
  const rate = priced.rate ? parseRate(priced.rate) : exchangeRate(fx, anchoredTo, priced.currency)
  const money = `${shownCents(t.lang, priced.fiat_amount)} ${priced.currency}`
  const units = `${shown(t.lang, formatAmount(parseAmount(priced.amount)))} ${code}`
  const [pays, gets] = priced.direction === 'deposit' ? [money, units] : [units, money]
  const done = priced.state === 'completed'
  const paid = done || PAID.includes(priced.state)
  const line = (kind: string, label: string, value: string) =>
    html`<div class="${kind}">
      <dt>${label}</dt>
      <dd>${value}</dd>
    </div>`
  return html`<dl class="amounts">
    ${line('main', side(paid ? t.youPaid : t.youPay, priced.direction), pays)}
    ${line('minor', t.fixedFee, `${shown(t.lang, formatAmount(fixed))} ${code}`)}
    ${line('minor', t.serviceFee(`${shown(t.lang, percentOf(percentage))} %`), `${shown(t.lang, formatAmount(amountOf(fee - fixed)))} ${code}`)}
    ${
      rate && priced.currency !== anchoredTo
        ? line('minor', t.rate, `1 ${code} = ${shown(t.lang, formatRate(rate))} ${priced.currency}`)
        : null
    }
    ${line('main total', done ? t.youGot : t.youGet, gets)}
  </dl>`
}

/** `0.005` as `0.5`. */
function percentOf(fraction: string): string {
  const [whole = '0', rest = ''] = fraction.split('.')
  const digits = `${whole}${rest.padEnd(2, '0')}`
  const at = whole.length + 2
  return shortest(`${digits.slice(0, at).replace(/^0+(?=\d)/, '')}.${digits.slice(at)}`)
}
