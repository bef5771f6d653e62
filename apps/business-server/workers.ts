import { isDatabaseAway } from '@windlass/service/outage.ts'
import type { Bells } from './bells.ts'
import { sealUnderNewestKey } from './customers/seal-details.ts'
import type { Deps } from './deps.ts'
import { startReportingToCentre } from './kyc/deliver-to-centre.ts'
import { listenForPayments, observePayments } from './ledger/observe.ts'
import { payQueued } from './ledger/pay.ts'
import { sendOrders } from './rails/orders.ts'
import { reportSimulatedPayments } from './rails/simulated-books.ts'
import { goOn } from './transfers/begin-programmatic.ts'
import { expireOverdue } from './transfers/expire.ts'
import { forgetOldMessages } from './transfers/forget-old.ts'
import { identifyingTransfers } from './transfers/find.ts'
import { deliverCalls } from './transfers/tell-platform.ts'
import { deliverWebhooks } from './webhooks/deliver.ts'
import { startMockDeliveries } from '@windlass/kyc-providers/mock/mock-provider.ts'

interface Worker {
  ring(): void
  stop(): Promise<void>
}

/** The longest pause of a worker whose rounds fail. */
const MAX_PAUSE_MS = 30_000

/**
 * Runs an act every now and then and whenever it is rung for, never twice at a time; where it fails, after growing
 * pauses.
 */
function work(name: string, everyMs: number, act: () => Promise<void>, { logger, outage }: Deps): Worker {
  let [again, stopped, failures, restUntil] = [false, false, 0, 0]
  let running: Promise<void> | null = null
  const fail = (error: unknown) => {
    failures++
    restUntil = performance.now() + Math.min(MAX_PAUSE_MS, everyMs * 2 ** Math.min(failures, 10))
    if (isDatabaseAway(error)) outage.met(error)
    else logger.warn({ err: error, worker: name, failures }, 'a round failed')
  }
  const rounds = async () => {
    do {
      again = false
      try {
        await act()
        failures = 0
        outage.over()
      } catch (error) {
        fail(error)
        return
      }
    } while (again && !stopped)
  }
  const ring = () => {
    if (stopped) return
    again = true
    if (performance.now() < restUntil) return
    running ??= rounds().finally(() => (running = null))
  }
  const timer = setInterval(ring, everyMs)
  ring()
  return {
    ring,
    stop: async () => {
      stopped = true
      clearInterval(timer)
      await running
    },
  }
}

/** Everything that goes on without a request. Fills `deps.bells`. */
export function startWorkers(deps: Deps): { stop(): Promise<void> } {
  const start = (name: string, everyMs: number, act: (deps: Deps) => Promise<void>) =>
    work(name, everyMs, () => act(deps), deps)
  const calls = start('calls', 1_000, deliverCalls)
  const payments = start('payments', 1_000, payQueued)
  const orders = start('orders', 2_000, sendOrders)
  const observer = start('observer', 5_000, observePayments)
  const identifying = start('identifying', 10_000, goOnWithIdentified)
  const others = [
    start('expiry', 5_000, expireOverdue),
    start('old messages', 3_600_000, forgetOldMessages),
    start('webhooks', 1_000, deliverWebhooks),
    start('simulated rails', 500, reportSimulatedPayments),
    start('sealing', SEALING_MS, unlessJustStarted(sealAgain)),
  ]
  const stream = listenForPayments(deps, observer.ring)
  const centre = startReportingToCentre(deps)
  const mock = startMock(deps)
  const bells: Bells = {
    calls: calls.ring,
    payments: payments.ring,
    orders: orders.ring,
    identified: identifying.ring,
  }
  Object.assign(deps.bells, bells)
  return {
    stop: async () => {
      stream.stop()
      const workers = [calls, payments, orders, observer, identifying, ...others, centre]
      await Promise.all([...workers.map(worker => worker.stop()), mock?.stop()])
    },
  }
}

/** Until then an older server may still serve, or be gone back to: it reads what it wrote. */
const SEALING_MS = 600_000

function unlessJustStarted(act: (deps: Deps) => Promise<void>): (deps: Deps) => Promise<void> {
  let started = false
  return async deps => {
    if (started) return act(deps)
    started = true
  }
}

async function sealAgain(deps: Deps): Promise<void> {
  const sealed = await sealUnderNewestKey(deps)
  if (sealed > 0) deps.logger.info({ sealed }, 'details were sealed under the newest key')
}

async function goOnWithIdentified(deps: Deps): Promise<void> {
  for (const id of await identifyingTransfers(deps.database.db)) await goOn(deps, id)
}

function startMock({ kyc, config, database, clock, logger }: Deps) {
  const secret = kyc?.settings.webhookSecrets[0]
  if (kyc?.provider.name !== 'mock' || !secret) return null
  const webhookUrl = `${config.anchor.businessServerUrl}/api/v1/customer/kyc/webhook`
  return startMockDeliveries({ pool: database.pool, webhookUrl, secret, clock, logger })
}
