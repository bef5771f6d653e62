import { servedAsset } from '@windlass/contracts/internal/served-assets.ts'
import type { Deps } from '../deps.ts'
import { amountsTable } from './amounts-table.ts'
import { type Html, html } from './html.ts'
import { shown, shownCents } from './numbers.ts'
import { type Drawing, fact, facts, moment, sign } from './pieces.ts'
import { type Texts, side } from './texts.ts'
import { trustlineNotice } from './trustline.ts'
import { claimableUntil } from '../payments/claimable-balances.ts'
import { listPaymentsOf, refundHashes } from '../payments/ledger-payments.ts'
import { ordersOf } from '../payments/rail-orders.ts'
import type { Transfer, TransferState } from '../tables.ts'
import { stepsOf } from '../transfers/find.ts'

const signs: Readonly<Record<TransferState, Drawing>> = {
  new: 'wait',
  identifying: 'wait',
  awaiting_funds: 'wait',
  funded: 'wait',
  awaiting_trust: 'wait',
  paying_out: 'wait',
  completed: 'done',
  sent_back: 'wait',
  returning: 'back',
  returned: 'back',
  expired: 'stop',
  failed: 'stop',
}

/** The agreed amounts no longer apply. */
const calledOff: readonly TransferState[] = ['returning', 'returned', 'expired', 'failed']

/** The transfer's status, history and receipt. */
export async function statusPage(deps: Deps, t: Texts, transfer: Transfer): Promise<Html> {
  const { state, direction } = transfer
  const trail = await stepsOf(deps.database.db, transfer.id)
  const balance = transfer.claimable_balance_id
  const until = balance && (await claimableUntil(deps.database.db, balance))
  const explained = balance
    ? t.claimable(until ? until.toISOString().slice(0, 10) : null)
    : side(t.explanations[state], direction)
  const refunds = state === 'returned' ? await refundHashes(deps.database.db, transfer.id) : []
  const lastHash = refunds.at(-1) ?? transfer.ledger_hash
  return html`${sign(signs[state])}
    <div role="status">
      <h1>${side(t.headlines[state], direction)}</h1>
      <p>${explained}</p>
    </div>
    ${state === 'awaiting_trust' ? await trustlineNotice(deps, t, transfer, true) : null}
    ${transfer.message ? html`<p class="quiet" lang="en">${transfer.message}</p>` : null}
    ${calledOff.includes(state) ? await refund(deps, t, transfer) : amountsTable(deps.config, t, transfer)}
    ${lastHash ? ledgerLink(deps, t, lastHash) : null}
    <h2>${t.history}</h2>
    <ol class="trail">
      ${trail.map(
        ({ to_state, at }) =>
          html`<li class="${signs[to_state]}">
            <span>${side(t.passed[to_state], direction)}</span>
            ${moment(at)}
          </li>`,
      )}
    </ol>
    <h2>${t.receipt}</h2>
    ${facts([
      fact(t, t.transaction, transfer.id),
      transfer.reference ? fact(t, t.reference, transfer.reference) : null,
      transfer.rail_payment_id ? fact(t, t.railPayment, transfer.rail_payment_id) : null,
      transfer.ledger_hash ? fact(t, t.onLedger, transfer.ledger_hash) : null,
      refunds.map(hash => fact(t, t.refundOnLedger, hash)),
    ])}
    <p class="stack"><button type="button" class="second" hidden data-print>${t.print}</button></p>`
}

/** What goes back, or went: what came, which may be another amount than was agreed. */
async function refund(
  { config, database: { db } }: Deps,
  t: Texts,
  transfer: Transfer,
): Promise<Html | null> {
  if (transfer.state !== 'returning' && transfer.state !== 'returned') return null
  const { code } = servedAsset(config.anchor, transfer.asset)
  const returns = (await ordersOf(db, transfer.id)).filter(({ kind }) => kind === 'return')
  const onLedger = (await listPaymentsOf(db, transfer.id)).filter(
    ({ purpose, status }) => purpose === 'refund' && status !== 'canceled',
  )
  const amounts = [
    // One that is paid again is one refund.
    ...returns.slice(-1).map(({ amount, currency }) => `${shownCents(t.lang, amount)} ${currency}`),
    ...onLedger.map(({ amount, asset }) => `${shown(t.lang, amount)} ${asset ?? code}`),
  ]
  return amounts.length === 0
    ? null
    : html`<dl class="amounts">
        <div class="main total">
          <dt>${t.refund}</dt>
          <dd>${amounts.join(', ')}</dd>
        </div>
      </dl>`
}

function ledgerLink({ config }: Deps, t: Texts, hash: string): Html {
  const { explorer, horizonUrl } = config.anchor.network
  const address = explorer
    ? // The local network's own pages, or stellar.expert's form.
      `${explorer}/${explorer.includes('#') ? 'transaction' : 'tx'}/${hash}`
    : `${horizonUrl}/transactions/${hash}`
  return html`<p class="stack">
    <a class="button second" href="${address}" target="_blank" rel="noopener noreferrer">${t.seeOnLedger}</a>
  </p>`
}
