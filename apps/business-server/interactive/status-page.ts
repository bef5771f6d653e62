import type { Deps } from '../deps.ts'
import { stepsOf } from '../transfers/find.ts'
import type { TransferState } from '../transfers/status.ts'
import type { Transfer } from '../transfers/transfer.ts'
import { amountsTable } from './amounts-table.ts'
import { html, type Html } from './html.ts'

const headlines: Readonly<Record<TransferState, readonly [deposit: string, withdrawal: string]>> = {
  new: ['Deposit', 'Withdrawal'],
  identifying: ['We are finding out who you are', 'We are finding out who you are'],
  awaiting_funds: ['We wait for your payment', 'We wait for your payment'],
  funded: ['Your money is here', 'Your payment is here'],
  awaiting_trust: ['Open a trustline in your wallet', ''],
  paying_out: ['', 'Your bank is being paid'],
  completed: ['Done', 'Done'],
  returning: ['Your money goes back to you', 'Your payment goes back to you'],
  returned: ['Your money is back with you', 'Your payment is back with you'],
  expired: ['The time to pay is over', 'The time to pay is over'],
  failed: ['This did not work', 'This did not work'],
}

/** What the customer reads of each state that was passed; the reasons of the table of steps are the operator's. */
const passed: Readonly<Partial<Record<TransferState, string>>> = {
  identifying: 'You are asked who you are',
  awaiting_funds: 'You agreed to the amounts',
  funded: 'Your payment arrived',
  awaiting_trust: 'Your account could not hold the asset yet',
  paying_out: 'Your bank is being paid',
  completed: 'You were paid',
  returning: 'Your payment could not be taken',
  returned: 'Your payment went back to you',
  expired: 'No payment came in time',
  failed: 'It could not go on',
}

/** How a transfer stands, and its receipt in the end. */
export async function statusPage(deps: Deps, transfer: Transfer): Promise<Html> {
  const trail = await stepsOf(deps.database.db, transfer.id)
  const headline = headlines[transfer.state][transfer.direction === 'deposit' ? 0 : 1]
  const { code } = deps.config.anchor.plan.asset
  return html`<h1 role="status">${headline}</h1>
    ${transfer.message ? html`<p>${transfer.message}</p>` : null}
    ${
      transfer.state === 'awaiting_trust'
        ? html`<p>
            Your account cannot hold ${code} yet. Add the asset in your wallet; the payment follows by itself.
          </p>`
        : null
    }
    ${amountsTable(deps.config, transfer)}
    <ol class="trail">
      ${trail.map(({ to_state }) => html`<li class="done">${passed[to_state] ?? to_state}</li>`)}
    </ol>
    <dl class="facts">
      <div>
        <dt>Transaction</dt>
        <dd>${transfer.id}</dd>
      </div>
      ${
        transfer.reference
          ? html`<div>
              <dt>Reference</dt>
              <dd>${transfer.reference}</dd>
            </div>`
          : null
      }
      ${
        transfer.rail_payment_id
          ? html`<div>
              <dt>Payment over the rail</dt>
              <dd>${transfer.rail_payment_id}</dd>
            </div>`
          : null
      }
      ${transfer.ledger_hash ? ledgerLine(deps, transfer.ledger_hash) : null}
    </dl>`
}

const ledgerLine = ({ config }: Deps, hash: string) =>
  html`<div>
    <dt>On the ledger</dt>
    <dd><a href="${config.anchor.network.horizonUrl}/transactions/${hash}" rel="noreferrer">${hash}</a></dd>
  </div>`
