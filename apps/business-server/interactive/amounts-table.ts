import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { formatRate } from '@windlass/money/rate.ts'
import type { Config } from '../config.ts'
import { cents } from '../rails/cents.ts'
import { exchangeRate, feeSchedule } from '../rates/exchange-rate.ts'
import type { Transfer } from '../transfers/transfer.ts'
import { html, type Html } from './html.ts'

type Priced = Pick<Transfer, 'direction' | 'currency' | 'amount' | 'fee' | 'fiat_amount'>

/** Everything that is paid and got, line by line, before the customer agrees. */
export function amountsTable({ anchor, fx }: Config, priced: Priced): Html | null {
  if (priced.amount === null || priced.fee === null || priced.fiat_amount === null) return null
  const { code, anchoredTo } = anchor.plan.asset
  const fee = parseAmount(priced.fee)
  const { fixed } = feeSchedule(anchor.plan)
  const rate = exchangeRate(fx, anchoredTo, priced.currency)
  const money = `${cents(priced.fiat_amount)} ${priced.currency}`
  const units = `${formatAmount(parseAmount(priced.amount))} ${code}`
  const deposit = priced.direction === 'deposit'
  const percent = `${Number(anchor.plan.fees.percentage) * 100} %`
  return html`<dl class="amounts">
    <div>
      <dt>You ${deposit ? 'pay' : 'send'}</dt>
      <dd>${deposit ? money : units}</dd>
    </div>
    <div class="minor">
      <dt>Fixed fee</dt>
      <dd>${formatAmount(fixed)} ${code}</dd>
    </div>
    <div class="minor">
      <dt>Service fee (${percent})</dt>
      <dd>${formatAmount(amountOf(fee - fixed))} ${code}</dd>
    </div>
    ${
      rate && priced.currency !== anchoredTo
        ? html`<div class="minor">
            <dt>Rate</dt>
            <dd>1 ${code} = ${formatRate(rate)} ${priced.currency}</dd>
          </div>`
        : null
    }
    <div class="total">
      <dt>You get</dt>
      <dd>${deposit ? units : money}</dd>
    </div>
  </dl>`
}
