import type { Deps } from '../deps.ts'
import { amountsTable } from './amounts-table.ts'
import { type Html, html } from './html.ts'
import { type Drawing, fact, facts, moment, sign } from './pieces.ts'
import { type Texts, side } from './texts.ts'
import { claimableUntil } from '../payments/claimable-balances.ts'
import { refundHashes } from '../payments/ledger-payments.ts'
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
    ${transfer.message ? html`<p class="quiet" lang="en">${transfer.message}</p>` : null}
    ${calledOff.includes(state) ? null : amountsTable(deps.config, t, transfer)}
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
