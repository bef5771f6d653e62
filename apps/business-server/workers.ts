import { startDueWork } from '@windlass/service/work/due-work.ts'
import { loop, type Loop } from '@windlass/service/work/loop.ts'
import { soonThenEvery } from '@windlass/service/work/soon.ts'
import { pruneRates } from '@windlass/service/http/rates.ts'
import { createFolderReader } from './bank-files/folder.ts'
import { startReportingDecisions } from './people/customers/report-decisions.ts'
import { deleteWaitingFiles } from './people/customers/files.ts'
import { pruneAnswers } from './people/outside-checks/ask.ts'
import type { Deps, Wake } from './deps.ts'
import { dueWork, repeatedWork } from './due-work.ts'
import { pruneLinks } from './interactive/page-session.ts'
import { createReporter } from './workspace/notifications/report.ts'
import { pruneReservations } from './money/treasury/treasury.ts'
import { matchReservations } from './payments/ledger-payments.ts'
import { listenForPayments, observePayments } from './payments/observe.ts'
import { sweepExcess } from './payments/sweep.ts'
import { pruneFirmRates } from './transfers/quotes/firm-rates.ts'
import { pruneSepCalls } from './outgoing/sep-calls/sep-calls.ts'
import { createDeveloperSender, pruneWebhookDeliveries } from './outgoing/webhooks/deliver.ts'
import { pruneApiRequests, storeApiRequests } from './workspace/api-requests/log.ts'
import { removeDue } from './workspace/retention/remove-due.ts'

/** How often conditions are looked at when nothing asks for it. */
const REPORT_MS = 60_000
/** A file that is still being written differs from one round to the next. */
const FOLDER_MS = 15_000
const SWEEP_MS = 300_000
const REQUESTS_MS = 2_000
const HOUR_MS = 3_600_000

/**
 * How often the ledger is read where nothing was streamed: while the stream is connected, and while it is not. Ledgers half
 * a minute apart would have to be proven to be of one chain.
 */
const OBSERVE_MS = { live: 24_000, otherwise: 5_000 }

/** Every background loop of this server. */
export function startWorkers(deps: Deps): { stop(): Promise<void> } {
  const { db } = deps.database
  const every = (everyMs: number | (() => number), name: string, act: () => Promise<unknown>): Loop =>
    loop({ name, everyMs, act, logger: deps.logger, outage: deps.outage })
  const hourly = (name: string, act: () => Promise<unknown>): Loop => {
    const { logger, outage } = deps
    return loop({ name, everyMs: soonThenEvery(HOUR_MS), startNow: false, act, logger, outage })
  }
  const observer = every(
    () => (stream.live ? OBSERVE_MS.live : OBSERVE_MS.otherwise),
    'observer',
    () => observePayments(deps),
  )
  const stream = listenForPayments(deps, observer.wake)
  const conditions = every(REPORT_MS, 'notifications', createReporter(deps))
  const webhooks = createDeveloperSender(deps)
  const { database, logger, outage } = deps
  const reports = startReportingDecisions(deps)
  const readPayments = async (): Promise<void> => {
    observer.wake()
    await observer.idle()
  }
  const queues = dueWork(deps, { sendWebhooks: webhooks.round, reportDecisions: reports.drain, readPayments })
  const work = [...queues, ...repeatedWork(deps, readPayments)]
  const due = startDueWork({ database, logger, outage, work })
  const names = [
    'sepCalls',
    'ledgerPayments',
    'railOrders',
    'bankLines',
    'identified',
    'screening',
    'keyActs',
    'travelMessages',
  ] as const
  const woken = new Map<keyof Wake, () => void>([
    ...names.map(name => [name, () => due.wake(name)] as const),
    ['conditions', conditions.wake],
    ['ledger', observer.wake],
  ])
  for (const [name, wake] of woken) deps.wake.on(name, wake)
  const workers = [
    observer,
    conditions,
    due,
    every(SWEEP_MS, 'sweeps', () => sweepExcess(deps)),
    hourly('reservations', () => matchReservations(db)),
    hourly('old reservations', () => pruneReservations(db)),
    hourly('old SEP server calls', () => pruneSepCalls(db)),
    hourly('opened links', () => pruneLinks(db)),
    hourly('old rates', () => pruneRates(deps.database.pool, deps.clock.now())),
    every(REQUESTS_MS, 'API requests', () => storeApiRequests(deps)),
    hourly('old API requests', () => pruneApiRequests(deps)),
    hourly('retention', () => removeDue(deps)),
    hourly('waiting files', () => deleteWaitingFiles(db)),
    hourly('old quotes', () => pruneFirmRates(db)),
    hourly('old outside checks', () => pruneAnswers(deps)),
    hourly('old webhook deliveries', () => pruneWebhookDeliveries(db)),
    ...(deps.config.statements
      ? [every(FOLDER_MS, 'statements', createFolderReader(deps, deps.config.statements))]
      : []),
  ]
  return {
    stop: async () => {
      stream.stop()
      for (const [name, wake] of woken) deps.wake.off(name, wake)
      await Promise.all(workers.map(worker => worker.stop()))
      await storeApiRequests(deps).catch(() => undefined)
      await webhooks.stop()
      await reports.stop()
    },
  }
}
