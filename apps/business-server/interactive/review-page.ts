import { parseAmount } from '@windlass/money/amount.ts'
import type { Deps } from '../deps.ts'
import { amountsTable } from './amounts-table.ts'
import { type Html, html } from './html.ts'
import { alert, fact, facts, sign } from './pieces.ts'
import { type Texts, word } from './texts.ts'
import type { Situation } from './step.ts'
import type { Transfer } from '../tables.ts'
import { trustlineNotice } from './trustline.ts'
import { isPricedAtArrival, pricedAt } from '../transfers/amounts.ts'

/** All amounts before the customer agrees. */
export async function reviewPage(
  deps: Deps,
  t: Texts,
  { transfer, destination, rail }: Situation,
  { base, problem }: { base: string; problem?: string },
): Promise<Html> {
  const paidTo = (rail?.destinationFields ?? []).flatMap(({ name, label }) => {
    const value = destination[name]
    return value ? [fact(t, label, value, null)] : []
  })
  const priced = pricedNow(deps, transfer)
  return html`<h1>${t.reviewTitle}</h1>
    ${alert(problem)} ${await trustlineNotice(deps, t, transfer)} ${amountsTable(deps.config, t, priced)}
    ${
      transfer.direction === 'withdrawal'
        ? html`<h2>${t.paidTo}</h2>
            ${facts(paidTo)}`
        : null
    }
    <p class="quiet">
      ${t.over(word(t, rail?.label ?? transfer.rail))}
      ${isPricedAtArrival(deps.config, transfer) ? t.pricedAtArrival : t.fixedOnce}
    </p>
    <form method="post" action="${base}/confirm">
      ${priced.fiat_amount ? html`<input type="hidden" name="money" value="${priced.fiat_amount}" />` : null}
      <button>${t.confirm}</button>
    </form>
    <p class="stack"><a class="button second" href="${base}?edit=1">${t.change}</a></p>`
}

/** For an expired quote: there is nothing left to confirm. */
export const lapsedPage = (t: Texts): Html =>
  html`${sign('stop')}
    <div role="status">
      <h1>${t.lapsedTitle}</h1>
      <p>${t.lapsedWhy}</p>
    </div>`

function pricedNow({ config, clock }: Pick<Deps, 'config' | 'clock'>, transfer: Transfer): Transfer {
  if (transfer.quote_id || transfer.amount === null) return transfer
  return { ...transfer, ...pricedAt(config, transfer, parseAmount(transfer.amount), clock.now()) }
}
