import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import QRCode from 'qrcode'
import type { Deps } from '../deps.ts'
import type { Rail } from '../rails/rail.ts'
import { cents } from '../rails/cents.ts'
import { exchangeRate } from '../rates/exchange-rate.ts'
import { priceColumns, priceOf } from '../transfers/amounts.ts'
import type { Transfer } from '../transfers/transfer.ts'
import { amountsTable } from './amounts-table.ts'
import { html, Html } from './html.ts'

/** Amount, rail and, for a withdrawal, where the money goes. */
export function detailsPage(
  { config, rails }: Deps,
  transfer: Transfer,
  base: string,
  given: Readonly<Record<string, string>>,
  problem: Html | null,
): Html {
  const { plan } = config.anchor
  const deposit = transfer.direction === 'deposit'
  const usable = [...rails.values()].filter(({ currency }) =>
    exchangeRate(config.fx, plan.asset.anchoredTo, currency),
  )
  const rail = rails.get(transfer.rail)
  const amount = given.amount ?? (transfer.amount === null ? '' : formatAmount(parseAmount(transfer.amount)))
  const choices = usable.map(
    ({ name, label, currency }) =>
      html`<label class="choice"
        ><input type="radio" name="rail" value="${name}" ${name === transfer.rail ? html` checked` : null} />
        ${label} (${currency})</label
      >`,
  )
  return html`<h1>${deposit ? 'Deposit' : 'Withdraw'} ${plan.asset.code}</h1>
    ${problem}
    <form method="post" action="${base}/details">
      <label
        >How much ${plan.asset.code} do you want to ${deposit ? 'get' : 'send'}?
        <span class="hint">From ${plan.limits.min} to ${plan.limits.max} ${plan.asset.code}</span>
        <input
          name="amount"
          required
          inputmode="decimal"
          pattern="[0-9]+(\\.[0-9]{1,7})?"
          value="${amount}"
          ${transfer.quote_id ? html` readonly` : null}
        />
      </label>
      ${
        usable.length > 1 && !transfer.quote_id
          ? html`<fieldset>
              <legend>${deposit ? 'How do you pay?' : 'How do you want to be paid?'}</legend>
              ${choices}
            </fieldset>`
          : null
      }
      ${deposit ? null : destinationInputs(rail, transfer, given)}
      <button>Go on</button>
    </form>`
}

function destinationInputs(
  rail: Rail | undefined,
  transfer: Transfer,
  given: Readonly<Record<string, string>>,
) {
  return (rail?.destinationFields ?? []).map(
    ({ name, label, pattern, hint }) =>
      html`<label
        >${label} <span class="hint">${hint}</span>
        <input
          name="${name}"
          required
          pattern="${pattern}"
          value="${given[name] ?? transfer.destination[name] ?? ''}"
      /></label>`,
  )
}

/** All amounts before the customer agrees. */
export function reviewPage(
  { config }: Deps,
  transfer: Transfer,
  rail: Rail | null,
  base: string,
  problem: Html | null,
): Html {
  const priced =
    transfer.quote_id || transfer.amount === null
      ? transfer
      : {
          ...transfer,
          ...priceColumns(config, priceOf(config, transfer, parseAmount(transfer.amount)), transfer.currency),
        }
  const to = (rail?.destinationFields ?? []).map(
    ({ name, label }) =>
      html`<div>
        <dt>${label}</dt>
        <dd>${transfer.destination[name] ?? ''}</dd>
      </div>`,
  )
  return html`<h1>Is this right?</h1>
    ${problem} ${amountsTable(config, priced)}
    ${
      transfer.direction === 'withdrawal'
        ? html`<h2>Paid to</h2>
            <dl class="facts">${to}</dl>`
        : null
    }
    <p class="quiet">Over ${rail?.label ?? transfer.rail}. The amounts hold once you confirm.</p>
    <form method="post" action="${base}/confirm"><button>Confirm</button></form>
    <p class="stack"><a class="button second" href="${base}?edit=1">Change</a></p>`
}

/** How to pay a deposit. */
export async function payPage(
  { config }: Deps,
  transfer: Transfer,
  rail: Rail | null,
  base: string,
  paid: boolean,
): Promise<Html> {
  const expected = {
    reference: transfer.reference ?? '',
    amount: transfer.fiat_amount,
  }
  const code = rail?.paymentCode(expected) ?? null
  const link = code?.link
  const lines = (rail?.instructions(expected) ?? []).map(
    ({ label, value }) =>
      html`<div>
        <dt>${label}</dt>
        <dd>${value}</dd>
      </div>`,
  )
  return html`<h1>
      Pay ${transfer.fiat_amount ? `${cents(transfer.fiat_amount)} ${transfer.currency}` : ''}
    </h1>
    <p>Pay over ${rail?.label ?? transfer.rail} with exactly this reference. This page goes on by itself.</p>
    ${code ? await qrCode(code.text, `Pay with ${rail?.label ?? 'your bank'}`) : null}
    <dl class="facts">${lines}</dl>
    ${link ? html`<p class="stack"><a class="button" href="${new Html(attribute(link))}">Open the payment app</a></p>` : null}
    ${
      rail?.simulated
        ? html`<form method="post" action="${base}/paid">
          <p class="quiet">${paid ? 'The simulated bank is sending the money.' : 'This rail is simulated: the button stands for your payment.'}</p>
          <label>Amount to pay <input name="amount" inputmode="decimal" value="${transfer.fiat_amount ? cents(transfer.fiat_amount) : ''}"></label>
          <button${paid ? html` disabled` : null}>Simulate my payment</button></form>`
        : null
    }
    ${amountsTable(config, transfer)} ${deadline(transfer)}`
}

/** Where a withdrawal's payment on the ledger goes. */
export async function sendToAnchorPage({ config }: Deps, transfer: Transfer): Promise<Html> {
  const { accounts, plan } = config.anchor
  const amount = transfer.amount === null ? '' : formatAmount(parseAmount(transfer.amount))
  const memo = transfer.ledger_memo ?? ''
  const query = new URLSearchParams({
    destination: accounts.distribution,
    ...(amount ? { amount } : {}),
    asset_code: plan.asset.code,
    asset_issuer: accounts.issuer,
    memo,
    memo_type: 'MEMO_ID',
  })
  return html`<h1>Send ${amount} ${plan.asset.code}</h1>
    <p>Your wallet usually does this by itself now. The memo is what tells us that the payment is yours.</p>
    ${await qrCode(`web+stellar:pay?${query}`, 'Pay with a Stellar wallet')}
    <dl class="facts">
      <div>
        <dt>To</dt>
        <dd>${accounts.distribution}</dd>
      </div>
      <div>
        <dt>Memo (id)</dt>
        <dd>${memo}</dd>
      </div>
      <div>
        <dt>Amount</dt>
        <dd>${amount || 'any within the limits'} ${plan.asset.code}</dd>
      </div>
    </dl>
    ${amountsTable(config, transfer)} ${deadline(transfer)}`
}

const deadline = ({ expires_at }: Transfer) =>
  expires_at
    ? html`<p class="quiet">Until ${expires_at.toISOString().slice(0, 16).replace('T', ' ')} UTC.</p>`
    : null

async function qrCode(text: string, label: string): Promise<Html> {
  const source = await QRCode.toDataURL(text, { margin: 1, width: 416, errorCorrectionLevel: 'M' })
  return html`<img class="qr" src="${new Html(source)}" alt="${label}" width="208" height="208" />`
}

/** A link for an attribute: `&` as it must stand there. */
const attribute = (link: string) => link.replaceAll('&', '&amp;').replaceAll('"', '%22')
