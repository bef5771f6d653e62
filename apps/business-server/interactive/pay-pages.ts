import { isNative, servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { formatTyped } from '@windlass/money/typed-amount.ts'
import type { Deps } from '../deps.ts'
import { amountsTable } from './amounts-table.ts'
import { Html, html } from './html.ts'
import { shown, shownCents } from './numbers.ts'
import { alert, fact, facts, moment, qrCode } from './pieces.ts'
import { type Texts, word } from './texts.ts'
import { cents } from '../rails/payment-instructions.ts'
import { trustlineNotice } from './trustline.ts'
import type { Rail } from '../rails/rail.ts'
import type { Transfer } from '../tables.ts'

interface Shown {
  base: string
  /** The simulated bank has the payment already. */
  paying: boolean
  readOnly: boolean
  problem?: string
}

/** How to pay a deposit. */
export async function payPage(
  deps: Deps,
  t: Texts,
  transfer: Transfer,
  rail: Rail | null,
  shown: Shown,
): Promise<Html> {
  const label = word(t, rail?.label ?? transfer.rail)
  const expected = { reference: transfer.reference ?? '', amount: transfer.fiat_amount }
  const code = rail?.paymentCode(expected) ?? null
  const lines = (rail?.instructions(expected) ?? []).map(line =>
    // An amount is typed without its currency, an account number without its spaces.
    fact(t, line.label, valueOf(t, line.field, line.value), copyOf(line.field, line.value)),
  )
  return html`<h1>
      ${t.pay(transfer.fiat_amount ? `${shownCents(t.lang, transfer.fiat_amount)} ${transfer.currency}` : '')}
    </h1>
    ${await trustlineNotice(deps, t, transfer)}
    <p>${t.payHow(label)}</p>
    ${alert(transfer.notice === 'paid-already' ? t.paidAlready : rail?.accountFault ? t.noAccount : shown.problem)}
    ${waiting(t, transfer)} ${code ? await qrCode(code.text, t.scan(label)) : null}
    ${code?.link ? html`<p class="stack"><a class="button" href="${new Html(attribute(code.link))}">${t.openApp}</a></p>` : null}
    ${facts(lines)} ${rail?.simulation && !shown.readOnly ? simulation(t, transfer, label, shown) : null}
    ${amountsTable(deps.config, t, transfer)}`
}

/** An amount is shown with the language's separators. */
const valueOf = (t: Texts, field: string, value: string): string =>
  field === 'amount' ? value.replace(/^[\d.]+(?= )/, amount => shownCents(t.lang, amount)) : value

function copyOf(field: string, value: string): string {
  if (field === 'amount') return value.split(' ')[0] ?? value
  return field.startsWith('bank_') ? value.replaceAll(' ', '') : value
}

function waiting(t: Texts, transfer: Transfer): Html {
  const { expires_at, quote_id } = transfer
  return html`<div class="waiting" role="status">
    <span class="pulse" aria-hidden="true"></span>
    <div>
      <strong>${t.waiting}</strong>
      <span
        >${t.waitingHint} ${expires_at ? html`${t.until} ${moment(expires_at)}.` : null}
        ${transfer.priced_at_arrival ? t.pricedAtArrival : null}
        ${expires_at ? (quote_id ? t.lateReturned : t.lateRepriced) : null}</span
      >
    </div>
  </div>`
}

/** The form that replaces the bank of a simulated rail. */
function simulation(t: Texts, transfer: Transfer, label: string, { base, paying }: Shown): Html {
  const amount = transfer.fiat_amount ? formatTyped(cents(transfer.fiat_amount), t.lang) : ''
  const choices = Object.entries(t.simulatedChoices).map(
    ([value, text]) => html`<option value="${value}">${text}</option>`,
  )
  return html`<form class="simulation" method="post" action="${base}/paid">
    <h2>${t.simulatedTitle(label)}</h2>
    <p>${paying ? t.simulatedSending : t.simulated}</p>
    <label
      >${t.simulatedAmount}
      <span class="with-unit"
        ><input name="amount" inputmode="decimal" autocomplete="off" value="${amount}" /><span
          aria-hidden="true"
          >${transfer.currency}</span
        ></span
      ></label
    >
    <label
      >${t.simulatedHow} <select name="how">${choices}</select></label
    >
    <button${paying ? html` disabled` : null}>${t.simulate}</button>
  </form>`
}

/** Where a withdrawal's payment on the ledger goes. */
export async function sendToAnchorPage({ config }: Deps, t: Texts, transfer: Transfer): Promise<Html> {
  const { accounts } = config.anchor
  const asset = servedAsset(config.anchor, transfer.asset)
  const { code, issuer } = asset
  const amount = transfer.amount === null ? '' : formatAmount(parseAmount(transfer.amount))
  const memo = transfer.ledger_memo ?? ''
  const query = new URLSearchParams({
    destination: accounts.distribution,
    ...(amount ? { amount } : {}),
    // Without an asset it is XLM (SEP-7).
    ...(isNative(asset) ? {} : { asset_code: code, asset_issuer: issuer }),
    memo,
    memo_type: 'MEMO_ID',
  })
  return html`<h1>${t.send(`${amount && shown(t.lang, amount)} ${code}`.trim())}</h1>
    <p>${t.sendHow}</p>
    ${waiting(t, transfer)} ${await qrCode(`web+stellar:pay?${query}`, t.scanWallet)}
    ${facts([
      fact(t, t.to, accounts.distribution),
      fact(t, t.memo, memo),
      fact(t, t.amount, `${amount ? shown(t.lang, amount) : t.anyAmount} ${code}`, amount || null),
    ])}
    ${amountsTable(config, t, transfer)}`
}

/** A link as an attribute's value, with `&` escaped. */
const attribute = (link: string) => link.replaceAll('&', '&amp;').replaceAll('"', '%22')
