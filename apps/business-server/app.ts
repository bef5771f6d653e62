import { getAnchorWork } from '@windlass/contracts/anchor/business-server.ts'
import { getReserves } from '@windlass/contracts/anchor/reserves.ts'
import { createIdempotency } from '@windlass/service/http/idempotency.ts'
import { sameSecret } from '@windlass/service/http/client-address.ts'
import { publishPool } from '@windlass/service/observe/pool-metrics.ts'
import { isProvenPlatform, platformKey } from '@windlass/service/http/platform-proof.ts'
import { findCustomerById, organizationsOf } from './people/customers/customers.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Guard } from '@windlass/service/http/realms.ts'
import { createServer, type Server, type ServerOptions } from '@windlass/service/http/server.ts'
import { databaseTakesData } from '@windlass/service/process/writable.ts'
import type { FastifyRequest } from 'fastify'
import { payoutEvidence } from './bank-files/payout-evidence.ts'
import { serveBankFiles } from './bank-files/routes.ts'
import { serveCallbacks } from './workspace/callbacks/routes.ts'
import { publishScreeningMetrics } from './people/compliance/metrics.ts'
import { serveCompliance } from './people/compliance/routes.ts'
import { withSamePersons } from './people/customers/same-person.ts'
import { serveCustomers } from './people/customers/routes.ts'
import type { Deps } from './deps.ts'
import { developerGuard } from './workspace/developer-api/guard.ts'
import { serveDeveloperApi } from './workspace/developer-api/routes.ts'
import { workOf } from './due-work.ts'
import { serveExports } from './workspace/exports/routes.ts'
import { serveInteractive } from './interactive/routes.ts'
import { serveOperatorActions } from './workspace/operator-actions/routes.ts'
import { withKeyActs } from './workspace/key-acts/record.ts'
import { findMovement, releaseScreened } from './payments/hold-payments.ts'
import { publishPaymentMetrics } from './payments/metrics.ts'
import { isOnOtherChain } from './payments/position.ts'
import { hasHistoryGap, observerLag } from './payments/observe.ts'
import { serveRailWebhooks } from './payments/routes.ts'
import { serveCaseReports } from './workspace/case-reports/routes.ts'
import { serveApiRequests } from './workspace/api-requests/routes.ts'
import { serveEvidence } from './workspace/evidence/routes.ts'
import { serveClosing } from './workspace/closing/routes.ts'
import { serveReconciliation } from './workspace/reconciliation/routes.ts'
import { publishSepCallMetrics } from './outgoing/sep-calls/metrics.ts'
import { publishMessages } from './workspace/key-acts/metrics.ts'
import { serveRefusedMessages } from './workspace/key-acts/refused-messages.ts'
import { serveOutsideChecks } from './people/outside-checks/routes.ts'
import { serveTravelProviders } from './people/travel-providers/routes.ts'
import { serveBeneficialOwners } from './people/owners/routes.ts'
import { serveRegisters } from './people/registers/routes.ts'
import { serveRiskRating } from './people/risk-rating/routes.ts'
import { riskFactsOf } from './transfers/risk.ts'
import { serveSendingAnchors } from './people/sending-anchors/routes.ts'
import { serveJournal } from './money/journal/routes.ts'
import { serveSettings } from './money/settings/routes.ts'
import { serveRetention } from './workspace/retention/routes.ts'
import { serveReturnedPayments } from './workspace/returned-payments/routes.ts'
import { publishSafeguardingMetrics } from './money/reserves/metrics.ts'
import { serveSafeguarding } from './money/reserves/routes.ts'
import { createReservesReader } from './money/reserves/reserves.ts'
import { serveSummary } from './workspace/summary/routes.ts'
import { developerForm } from './transfers/developer-form.ts'
import { findTransfer } from './transfers/find.ts'
import { lockByLedgerMemo } from './transfers/incoming-money.ts'
import { publishTransferMetrics } from './transfers/metrics.ts'
import { serveTravelMessages } from './transfers/travel-messages/routes.ts'
import { serveTravelRule } from './transfers/travel-rule/routes.ts'
import { publishTreasuryMetrics } from './money/treasury/metrics.ts'
import { serveWebhookAdmin } from './outgoing/webhooks/routes.ts'

const OBSERVER_LAG_SECONDS = 60

/** The business server's HTTP side. */
export async function buildApp(
  deps: Deps,
  { metrics }: Pick<ServerOptions, 'metrics'> = {},
): Promise<Server> {
  const { config, database } = deps
  const since = deps.clock.now().getTime()
  const isPlatform = platformCheck(deps)
  const server = await createServer({
    name: 'business-server',
    ...(metrics === false ? { metrics } : {}),
    documents: { name: 'developer', alsoAt: '/api/v1/openapi.json' },
    logger: deps.logger,
    idempotency: createIdempotency(database.pool),
    proxySecret: config.proxySecret,
    guards: {
      'anchor-admin': summaryGuard(config.secrets, isPlatform),
      developer: deps.apiRequests.noting(
        developerGuard(
          deps.keys,
          config.anchor.plan.anchorId,
          request => hasSummarySecret(request, config.secrets) && isPlatform(request),
        ),
      ),
    },
    checks: {
      database: databaseTakesData(database),
      ledger: async () => {
        await deps.routineHorizon.head()
      },
      // While the observer is behind, withdrawals are not seen.
      observer: async () => {
        const lag = (await observerLag(deps)) ?? (deps.clock.now().getTime() - since) / 1000
        if (await hasHistoryGap(deps)) throw new Error('payments on the ledger may have been missed')
        if (await isOnOtherChain(database.db)) throw new Error('Horizon answers of another chain')
        if (lag > OBSERVER_LAG_SECONDS) throw new Error('payments on the ledger are not read')
      },
    },
  })
  if (config.anchor.fxRatesWithin !== undefined)
    server.app.addHook('onRequest', async ({ url }) => {
      if (url !== '/health') await deps.refreshRates()
    })
  deps.apiRequests.watch(server.app, deps)
  const on = withKeyActs(server.on, deps)
  serveSummary(on, deps)
  on(getAnchorWork).serve(() => workOf(deps))
  serveDeveloperApi(on, deps)
  serveApiRequests(on, deps)
  serveSendingAnchors(on, deps)
  serveWebhookAdmin(on, deps)
  serveRailWebhooks(on, deps)
  serveBankFiles(on, deps)
  serveReconciliation(on, deps)
  serveJournal(on, deps)
  serveClosing(on, deps)
  serveSafeguarding(on, deps)
  serveExports(on, deps)
  serveCustomers(on, deps)
  serveSettings(on, server.app, deps)
  serveOperatorActions(on, deps)
  serveReturnedPayments(on, deps)
  serveRefusedMessages(on, deps)
  serveCompliance(on, deps, {
    release: releaseScreened,
    transactionOf: async id => {
      const row = await findTransfer(database.db, id)
      return row && developerForm(row)
    },
    payoutOf: id => payoutEvidence(deps, id),
    movementOf: id => findMovement(deps, database.db, id),
    withSame: ids => withSamePersons(database.db, ids),
    isThere: async ({ kind, id }) => {
      const found =
        kind === 'customer' ? await findCustomerById(deps, id) : await findTransfer(database.db, id)
      if (!found) throw new Problem(`${kind}-not-found`, `There is no ${kind} with this id.`)
    },
  })
  serveCaseReports(on, deps)
  serveEvidence(on, deps)
  serveRegisters(on, deps)
  serveBeneficialOwners(on, deps, ids => organizationsOf(deps, ids))
  serveOutsideChecks(on, deps)
  serveRiskRating(on, deps, (tx, customer) => riskFactsOf(deps, tx, customer))
  serveTravelRule(on, deps)
  serveTravelProviders(on, deps)
  serveTravelMessages(on, deps, lockByLedgerMemo)
  serveRetention(on, deps)
  serveCallbacks(server.app, deps)
  const readReserves = createReservesReader(deps)
  on(getReserves).serve(readReserves)
  serveInteractive(server.app, deps, readReserves)
  publishPool(server.app.metrics, database.pool)
  for (const publish of [
    publishPaymentMetrics,
    publishSepCallMetrics,
    publishMessages,
    publishTransferMetrics,
    publishTreasuryMetrics,
    publishSafeguardingMetrics,
    publishScreeningMetrics,
  ])
    publish(server, deps)
  return server
}

type Secrets = Deps['config']['secrets']

/** The summary secret reads; to change something the platform proves itself as well. */
const summaryGuard =
  (secrets: Secrets, isPlatform: (request: FastifyRequest) => boolean): Guard<'anchor-admin'> =>
  request => {
    if (!hasSummarySecret(request, secrets)) {
      throw new Problem('unauthenticated', 'Send the summary secret in x-service-secret.')
    }
    if (request.method !== 'GET' && !isPlatform(request)) {
      throw new Problem(
        'unauthenticated',
        'Only the platform changes something here, and proves each request by a time of less than a minute ago.',
      )
    }
    return { kind: 'summary' }
  }

function hasSummarySecret(
  { headers: { 'x-service-secret': given } }: FastifyRequest,
  { summary }: Secrets,
): boolean {
  return typeof given === 'string' && sameSecret(given, summary)
}

function platformCheck({ config, clock }: Deps): (request: FastifyRequest) => boolean {
  const key = platformKey(config.secrets.service)
  return request => isProvenPlatform(key, request, clock.now())
}
