import type { AnchorWork } from '@windlass/contracts/anchor/business-server.ts'
import { millisecondsUntilDue, type DueWork } from '@windlass/service/work/due-work.ts'
import { sql } from 'kysely'
import { failWith } from './bind-listed.ts'
import { matchLines } from './bank-files/match.ts'
import { newLinesDueAt } from './bank-files/lines.ts'
import { fetchDueAt, fetchLists } from './people/compliance/fetch-lists.ts'
import { elsewhereDueAt, lookElsewhere } from './people/compliance/look-elsewhere.ts'
import { compareNames, namesDueAt } from './people/compliance/compare-names.ts'
import { indexingDueAt, indexOlder } from './people/customers/search.ts'
import { reportsDueAt } from './people/customers/report-decisions.ts'
import type { Deps } from './deps.ts'
import { keyActsDueAt, reportKeyActs } from './workspace/key-acts/report.ts'
import { withSamePersons } from './people/customers/same-person.ts'
import { findMovement, releaseScreened } from './payments/hold-payments.ts'
import { readPosition } from './payments/position.ts'
import { bindEarlierPayments, listedPaymentsDueAt } from './payments/bound-payments.ts'
import { claimableBalancesDueAt, reclaimUnclaimed } from './payments/claimable-balances.ts'
import { bindHeldOfUpgrade } from './payments/held-before.ts'
import { setAsideDueAt } from './payments/incidents.ts'
import { ledgerPaymentsDueAt, payQueued } from './payments/pay.ts'
import { proofsDueAt, proveWithdrawals } from './payments/proofs.ts'
import { railOrdersDueAt, sendOrders } from './payments/rail-orders.ts'
import { gatheredRefundsDueAt, sendGathered } from './payments/refunds.ts'
import { receiveReport } from './payments/receive-report.ts'
import { reconcileHourly } from './workspace/reconciliation/reconcile.ts'
import { reconciliationDueAt } from './workspace/reconciliation/store.ts'
import { sealingDueAt, sealWhenKeysChange } from './sealed-columns.ts'
import { deliverSepCalls, sepCallsDueAt } from './outgoing/sep-calls/sep-calls.ts'
import {
  bindListedTerms,
  bindTermsOfUpgrade,
  listedTermsDueAt,
  termsOfUpgradeDueAt,
} from './transfers/bound-terms.ts'
import { factKinds } from './fact-kinds.ts'
import { bindListedFacts, listedFactsDueAt } from './money/bound-facts/bound-facts.ts'
import { continueIdentified } from './transfers/continue.ts'
import { expireOverdue } from './transfers/expire.ts'
import { countOpen, expiryDueAt, identifyingDueAt } from './transfers/find.ts'
import { sendTravelMessages, travelMessagesDueAt } from './transfers/travel-messages/send.ts'
import { webhooksDueAt } from './outgoing/webhooks/deliver.ts'

/** What other loops do. */
type Rounds = Record<'sendWebhooks' | 'reportDecisions' | 'readPayments', () => Promise<void>>

/** The work of this server that waits in rows. */
export function dueWork(deps: Deps, { sendWebhooks, reportDecisions, readPayments }: Rounds): DueWork[] {
  const work = (name: string, dueAt: DueWork['dueAt'], pauseMs: number, act: DueWork['act']): DueWork => ({
    ...{ name, dueAt, pauseMs, act },
  })
  return [
    work('sepCalls', sepCallsDueAt, 1_000, () => deliverSepCalls(deps)),
    work('ledgerPayments', ledgerPaymentsDueAt, 1_000, () => payQueued(deps)),
    work('gathered refunds', gatheredRefundsDueAt, 1_000, () => sendGathered(deps)),
    work('railOrders', railOrdersDueAt, 2_000, () => sendOrders(deps)),
    work('proofs', proofsDueAt, 1_000, () => proveWithdrawals(deps)),
    work('bankLines', newLinesDueAt, 1_000, () => matchLines(deps)),
    work('identified', identifyingDueAt, 10_000, () => continueIdentified(deps)),
    work('screening', namesDueAt, 1_000, () => compareNames(deps)),
    work('customer search', indexingDueAt, 1_000, () => indexOlder(deps)),
    work('facts of earlier releases', listedFactsDueAt, 1_000, () => bindListedFacts(deps, factKinds)),
    work('terms of earlier releases', listedTermsDueAt, 1_000, () => bindListedTerms(deps)),
    work('payments of earlier releases', listedPaymentsDueAt, 1_000, async () =>
      failWith(await bindEarlierPayments(deps)),
    ),
    work('terms of an upgrade', termsOfUpgradeDueAt, 60_000, async () => {
      await bindTermsOfUpgrade(deps)
      await bindHeldOfUpgrade(deps)
    }),
    work('expiry', expiryDueAt, 5_000, () => expireOverdue(deps)),
    work('travelMessages', travelMessagesDueAt, 1_000, () => sendTravelMessages(deps)),
    work('keyActs', keyActsDueAt, 5_000, () => reportKeyActs(deps)),
    work('webhooks', webhooksDueAt, 1_000, sendWebhooks),
    work('decisions', reportsDueAt, 1_000, reportDecisions),
    // The observer tries them again, once it has proven the chain.
    work('set-aside payments', setAsideDueAt, 5_000, readPayments),
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

/** A server that was just woken answers those who wait for it first. */
const AFTER_START_MS = 10_000
const REPEATED_PAUSE_MS = 60_000
/** Repeated work that failed when it was last tried: it is tried again, and keeps no anchor awake. */
const failed = new WeakMap<Deps, Set<string>>()

/**
 * Work that repeats. It wakes no anchor: one that is awake does what is overdue shortly after its start, and falls asleep
 * after that.
 */
export function repeatedWork(deps: Deps, readPayments: () => Promise<void>): DueWork[] {
  const from = new Date(deps.clock.now().getTime() + AFTER_START_MS)
  const failures = new Set<string>()
  failed.set(deps, failures)
  return repeated(deps, readPayments).map(({ name, dueAt, act }) => ({
    name,
    dueAt: sql`greatest((${dueAt}), ${from}::timestamptz)`,
    pauseMs: REPEATED_PAUSE_MS,
    act: async () => {
      try {
        await act()
        failures.delete(name)
      } catch (error) {
        failures.add(name)
        throw error
      }
    },
  }))
}

const repeated = (deps: Deps, readPayments: () => Promise<void>): Omit<DueWork, 'pauseMs'>[] => [
  {
    name: 'reconciliation',
    dueAt: reconciliationDueAt,
    act: async () => {
      // A payment that is not read yet would be a difference.
      await readPayments()
      await reconcileHourly(deps)
    },
  },
  ...(deps.config.lists.urls.size > 0
    ? [{ name: 'sanctions lists', dueAt: fetchDueAt(deps), act: () => fetchLists(deps, releaseScreened) }]
    : []),
  {
    name: 'round trips',
    dueAt: elsewhereDueAt,
    act: () =>
      lookElsewhere(
        deps,
        id => findMovement(deps, deps.database.db, id),
        ids => withSamePersons(deps.database.db, ids),
      ),
  },
  { name: 'sealing', dueAt: sealingDueAt(deps), act: () => sealWhenKeysChange(deps) },
]

async function isOverdue(deps: Deps): Promise<boolean> {
  const work = repeated(deps, nothing).filter(({ name }) => !failed.get(deps)?.has(name))
  const wait = await millisecondsUntilDue(deps.database.db, work)
  return wait !== null && wait <= 0
}

const nothing = async () => undefined

/**
 * What this server and the SEP server have to do. Where no transfer is open the ledger is read again, because the control
 * plane may let both sleep: it waits for that. Throws `dependency-unavailable` where the SEP server does not answer.
 */
export async function workOf(deps: Deps): Promise<AnchorWork> {
  const { db } = deps.database
  const open = await countOpen(db)
  if (open === 0) deps.wake.emit('ledger')
  const own = await millisecondsUntilDue(
    db,
    dueWork(deps, { sendWebhooks: nothing, reportDecisions: nothing, readPayments: nothing }),
  )
  const sep = await deps.sepServer.dueInMs()
  // A folder of bank statements says nothing of a new file.
  const folder = deps.config.statements ? 0 : null
  const overdue = (await isOverdue(deps)) ? 0 : null
  const waits = [own, sep, folder, overdue].filter(wait => wait !== null)
  const { ledger: lastLedger } = await readPosition(deps)
  return { openTransfers: open, dueInMs: waits.length === 0 ? null : Math.min(...waits), lastLedger }
}
