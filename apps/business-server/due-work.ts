import type { AnchorWork } from '@windlass/contracts/business-server.ts'
import { millisecondsUntilDue, type DueWork } from '@windlass/service/due-work.ts'
import { matchLines } from './bank-files/match.ts'
import { newLinesDueAt } from './bank-files/store.ts'
import { compareNames, namesDueAt } from './compliance/screening.ts'
import { reportsDueAt } from './customers/report-decisions.ts'
import type { Deps } from './deps.ts'
import { claimableBalancesDueAt, reclaimUnclaimed } from './payments/claimable-balances.ts'
import { ledgerPaymentsDueAt, payQueued } from './payments/pay.ts'
import { railOrdersDueAt, sendOrders } from './payments/rail-orders.ts'
import { receiveReport } from './payments/receive-report.ts'
import { deliverSepCalls, sepCallsDueAt } from './sep-calls/sep-calls.ts'
import { continueIdentified } from './transfers/continue.ts'
import { expireOverdue } from './transfers/expire.ts'
import { expiryDueAt, identifyingDueAt, openTransfers } from './transfers/find.ts'
import { webhooksDueAt } from './webhooks/deliver.ts'

/** The work of this server that waits in rows. */
export function dueWork(
  deps: Deps,
  { sendWebhooks, reportDecisions }: Record<'sendWebhooks' | 'reportDecisions', () => Promise<void>>,
): DueWork[] {
  const work = (name: string, dueAt: DueWork['dueAt'], pauseMs: number, act: DueWork['act']): DueWork => ({
    ...{ name, dueAt, pauseMs, act },
  })
  return [
    work('sepCalls', sepCallsDueAt, 1_000, () => deliverSepCalls(deps)),
    work('ledgerPayments', ledgerPaymentsDueAt, 1_000, () => payQueued(deps)),
    work('railOrders', railOrdersDueAt, 2_000, () => sendOrders(deps)),
    work('bankLines', newLinesDueAt, 1_000, () => matchLines(deps)),
    work('identified', identifyingDueAt, 10_000, () => continueIdentified(deps)),
    work('screening', namesDueAt, 1_000, () => compareNames(deps)),
    work('expiry', expiryDueAt, 5_000, () => expireOverdue(deps)),
    work('webhooks', webhooksDueAt, 1_000, sendWebhooks),
    work('decisions', reportsDueAt, 1_000, reportDecisions),
    work('unclaimed balances', claimableBalancesDueAt, 60_000, () => reclaimUnclaimed(deps)),
    ...reports(deps),
  ]
}

/** What rails report when they are asked, and what simulated ones report to this server. */
function reports(deps: Deps): DueWork[] {
  const { rails, config } = deps
  return [...rails.values()].flatMap(({ name, simulation, work }) => {
    const url = `${config.anchor.businessServerUrl}/api/v1/rails/${encodeURIComponent(name)}/webhook`
    const looked = work ? [work(report => receiveReport(deps, name, report))] : []
    return simulation ? [simulation.reports(url), ...looked] : looked
  })
}

/** What this server and the SEP server have to do. Throws `dependency-unavailable` where the SEP server does not answer. */
export async function workOf(deps: Deps): Promise<AnchorWork> {
  const { db } = deps.database
  const open = await openTransfers(db)
  const nothing = async () => undefined
  const own = await millisecondsUntilDue(
    db,
    dueWork(deps, { sendWebhooks: nothing, reportDecisions: nothing }),
  )
  const sep = await deps.sepServer.dueInMs()
  // A folder of bank statements says nothing of a new file.
  const folder = deps.config.statements ? 0 : null
  const waits = [own, sep, folder].filter(wait => wait !== null)
  return { openTransfers: open.length, dueInMs: waits.length === 0 ? null : Math.min(...waits) }
}
