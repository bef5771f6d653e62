import { loop, type Loop } from '@windlass/service/loop.ts'
import { pruneRates } from '@windlass/service/rates.ts'
import { startReportingDecisions } from './customers/report-decisions.ts'
import { sealUnderNewestKey } from './customers/seal-details.ts'
import type { Deps, Wake } from './deps.ts'
import { pruneLinks } from './interactive/page-session.ts'
import { createReporter } from './notifications/report.ts'
import { reclaimUnclaimed } from './payments/claimable-balances.ts'
import { matchReservations } from './payments/ledger-payments.ts'
import { listenForPayments, observePayments } from './payments/observe.ts'
import { payQueued } from './payments/pay.ts'
import { sendOrders } from './payments/rail-orders.ts'
import { sweepExcess } from './payments/sweep.ts'
import { deliverSepCalls, pruneSepCalls } from './sep-calls/sep-calls.ts'
import { continueIdentified } from './transfers/continue.ts'
import { expireOverdue } from './transfers/expire.ts'
import { sealSecretsAgain } from './webhooks/endpoints.ts'
import { createWebhookSender, pruneWebhookDeliveries } from './webhooks/deliver.ts'

/** Until then an older server may still run, or run again: it can decrypt what it encrypted. */
const SEALING_MS = 600_000
/** How often conditions are looked at when nothing asks for it. */
const REPORT_MS = 30_000
const SWEEP_MS = 300_000
const HOUR_MS = 3_600_000

async function sealAgain(deps: Deps): Promise<void> {
  await sealUnderNewestKey(deps)
  await sealSecretsAgain(deps)
}

/** Every background loop of this server. */
export function startWorkers(deps: Deps): { stop(): Promise<void> } {
  const { db } = deps.database
  const every = (everyMs: number, name: string, act: () => Promise<unknown>, startNow = true): Loop =>
    loop({ name, everyMs, act, startNow, logger: deps.logger, outage: deps.outage })
  const observer = every(5_000, 'observer', () => observePayments(deps))
  const woken: Record<keyof Wake, Loop> = {
    sepCalls: every(1_000, 'SEP server calls', () => deliverSepCalls(deps)),
    ledgerPayments: every(1_000, 'ledger payments', () => payQueued(deps)),
    railOrders: every(2_000, 'rail orders', () => sendOrders(deps)),
    conditions: every(REPORT_MS, 'notifications', createReporter(deps)),
    identified: every(10_000, 'identified customers', () => continueIdentified(deps)),
  }
  for (const [name, { wake }] of Object.entries(woken)) deps.wake.on(name as keyof Wake, wake)
  const webhooks = createWebhookSender(deps)
  const workers = [
    observer,
    ...Object.values(woken),
    every(5_000, 'expiry', () => expireOverdue(deps)),
    every(1_000, 'webhooks', webhooks.round),
    every(SWEEP_MS, 'sweeps', () => sweepExcess(deps)),
    every(HOUR_MS, 'unclaimed balances', () => reclaimUnclaimed(deps)),
    every(HOUR_MS, 'reservations', () => matchReservations(db)),
    every(HOUR_MS, 'old SEP server calls', () => pruneSepCalls(db)),
    every(HOUR_MS, 'opened links', () => pruneLinks(db)),
    every(HOUR_MS, 'old rates', () => pruneRates(deps.database.pool, deps.clock.now())),
    every(HOUR_MS, 'old webhook deliveries', () => pruneWebhookDeliveries(db)),
    every(SEALING_MS, 'sealing', () => sealAgain(deps), false),
    ...startSimulations(deps),
    startReportingDecisions(deps),
  ]
  const stream = listenForPayments(deps, observer.wake)
  return {
    stop: async () => {
      stream.stop()
      for (const [name, { wake }] of Object.entries(woken)) deps.wake.off(name as keyof Wake, wake)
      await Promise.all(workers.map(worker => worker.stop()))
      await webhooks.idle()
    },
  }
}

function startSimulations({ rails, config, logger, outage }: Deps): Loop[] {
  return [...rails.values()].flatMap(({ name, simulation }) => {
    const url = `${config.anchor.businessServerUrl}/api/v1/rails/${encodeURIComponent(name)}/webhook`
    return simulation ? [simulation.startReports(url, { logger, outage })] : []
  })
}
