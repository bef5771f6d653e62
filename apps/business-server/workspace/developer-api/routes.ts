import { listPaymentsOf } from '../../payments/ledger-payments.ts'
import { waitOfPayout } from '../../payments/rail-orders.ts'
import { incidentForm, incidentPlaces, listIncidents } from '../../payments/incidents.ts'
import { resolveByOperator } from '../../payments/unproven.ts'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getDeveloperCustomer,
  getDeveloperCustomerFile,
  getDeveloperTransaction,
  getFigures,
  getWorkspace,
  listDeveloperCustomers,
  listDeveloperQuotes,
  listDeveloperTransactions,
  listJournalBalances,
  listJournalEntries,
  listLedgerIncidents,
  listWebhookDeliveries,
  listWebhookEndpoints,
  replayWebhookDelivery,
  resolveLedgerIncident,
} from '@windlass/contracts/anchor/developer-api.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { servedKey } from '../../money/pricing/asset.ts'
import { linkNext } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import { deliveryForm } from '@windlass/service/outbound/webhook-endpoints.ts'
import type { On } from '@windlass/service/http/server.ts'
import { customerForm, listCustomers } from '../../people/customers/customers.ts'
import { customersOf, type NamedCustomer } from '../../people/customers/search.ts'
import type { Deps } from '../../deps.ts'
import { listActions } from '../operator-actions/actions.ts'
import { possibleActions } from '../operator-actions/effects.ts'
import { figures } from './figures.ts'
import { entriesWithEvidence } from './entry-evidence.ts'
import { reviewCustomer, reviewFile } from './review-customer.ts'
import { workspace } from './workspace.ts'
import { requireDay } from '../../paging.ts'
import { listBalances, listEntries } from '../../money/journal/journal.ts'
import { listQuotes, quoteForm } from '../../transfers/quotes/firm-rates.ts'
import { developerForm } from '../../transfers/developer-form.ts'
import { hasRecord } from '../../transfers/travel-rule/records.ts'
import { findTransfer, stepsOf } from '../../transfers/find.ts'
import { listTransfers } from '../../transfers/list.ts'
import { listNotes } from '../../transfers/notes.ts'
import {
  addEndpoint,
  endpointForm,
  listDeliveries,
  listEndpoints,
  removeEndpoint,
  replay,
} from '../../outgoing/webhooks/endpoints.ts'
import { Readable } from 'node:stream'

const REPLAYS_AN_HOUR = 1_000

export function serveDeveloperApi(on: On, deps: Deps): void {
  const { db } = deps.database
  on(getWorkspace).serve(({ principal }) => workspace(deps, principal))
  on(getFigures).serve(({ query }) => figures(db, servedKey(deps.config.anchor, query.asset), query))
  on(listDeveloperTransactions).serve(async ({ query, principal, request, reply }) => {
    const isPerson = principal.keyId === 'platform'
    const rows = await listTransfers(deps, query, isPerson)
    linkNext(request, reply, query, rows)
    const people = isPerson
      ? await customersOf(
          deps,
          rows.map(({ account }) => account),
        )
      : []
    return rows.map(row => ({ ...developerForm(row), ...customerIn(people, row.account, row.account_memo) }))
  })
  on(getDeveloperTransaction).serve(async ({ params, principal }) => {
    const row = await findTransfer(db, params.id)
    if (!row) throw new Problem('transaction-not-found', 'There is no transaction with this id.')
    const history = (await stepsOf(db, row.id)).map(({ to_state, why, at }) => ({
      status: to_state,
      reason: why,
      at: at.toISOString(),
    }))
    const [payments, notes, actions] = await Promise.all([
      listPaymentsOf(db, row.id),
      listNotes(db, row.id),
      listActions(deps, row.id, principal.keyId === 'platform'),
    ])
    const possible = await possibleActions(deps, db, row, true)
    const travelRule = await hasRecord(db, row.id)
    const payoutWaits = await waitOfPayout(db, row.id)
    const people = principal.keyId === 'platform' ? await customersOf(deps, [row.account]) : []
    const customer = customerIn(people, row.account, row.account_memo)
    return {
      ...developerForm(row),
      ...customer,
      history,
      payments,
      notes,
      actions,
      possibleActions: possible,
      travelRule,
      payoutWaits,
    }
  })
  on(listDeveloperCustomers).serve(async ({ query, principal, request, reply }) => {
    const isPerson = principal.keyId === 'platform'
    const rows = await listCustomers(deps, query, isPerson)
    linkNext(request, reply, query, rows)
    const people = isPerson
      ? await customersOf(
          deps,
          rows.map(({ account }) => account),
        )
      : []
    const nameOf = (id: string) => people.find(each => each.id === id)?.name
    return rows.map(row => ({ ...customerForm(row), ...(isPerson ? { name: nameOf(row.id) ?? null } : {}) }))
  })
  on(getDeveloperCustomer).serve(({ principal, params }) => reviewCustomer(deps, params.id, principal.keyId))
  on(getDeveloperCustomerFile).serve(async ({ principal, params }) => {
    const { pieces, mediaType, name } = await reviewFile(deps, params.id, params.name, principal.keyId)
    const headers = {
      'content-type': mediaType,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    }
    return answer(200, Readable.from(pieces, { objectMode: false }), { headers })
  })
  on(listDeveloperQuotes).serve(async ({ query, request, reply }) => {
    const rows = await listQuotes(db, query)
    linkNext(request, reply, query, rows)
    return rows.map(quoteForm)
  })
  on(listLedgerIncidents).serve(async ({ query, request, reply }) => {
    const rows = await listIncidents(db, query)
    linkNext(request, reply, query, incidentPlaces(rows))
    return rows.map(incidentForm)
  })
  on(resolveLedgerIncident).serve(async ({ principal, params, body }) =>
    incidentForm(await resolveByOperator(deps, params.id, principal.keyId, body)),
  )
  on(listJournalBalances).serve(({ query }) => listBalances(db, query.at && requireDay('at', query.at)))
  on(listJournalEntries).serve(async ({ query, principal, request, reply }) => {
    if (query.from) requireDay('from', query.from)
    if (query.to) requireDay('to', query.to)
    const rows = await listEntries(db, query)
    linkNext(request, reply, query, rows)
    return entriesWithEvidence(deps, rows, principal.scopes.includes('payers'))
  })
  serveWebhookEndpoints(on, deps)
}

/** Finds names for people alone: keys read them with the scope that lets them. */
function customerIn(people: readonly NamedCustomer[], account: string, memo: string | null) {
  const found = people.find(each => each.account === account && each.memo === memo)
  return found ? { customer: { id: found.id, name: found.name } } : {}
}

function serveWebhookEndpoints(on: On, deps: Deps): void {
  const { config } = deps
  const { db } = deps.database
  on(createWebhookEndpoint).serve(async ({ body }) => {
    const { endpoint, secret } = await addEndpoint(deps, body.url, body.events ?? ['*'], config.local)
    return answer(201, { ...endpointForm(endpoint), secret })
  })
  on(listWebhookEndpoints).serve(async ({ query, request, reply }) => {
    const rows = await listEndpoints(db, query)
    linkNext(request, reply, query, rows)
    return rows.map(endpointForm)
  })
  on(deleteWebhookEndpoint).serve(async ({ params }) => {
    await removeEndpoint(db, params.id)
    return answer(204, undefined)
  })
  on(listWebhookDeliveries).serve(async ({ query, request, reply }) => {
    const rows = await listDeliveries(db, query)
    linkNext(request, reply, query, rows)
    return rows.map(deliveryForm)
  })
  // An endpoint may be anyone's host.
  const replays = createRate(deps.database.pool, 'webhook-replays', REPLAYS_AN_HOUR, 3600)
  on(replayWebhookDelivery).serve(async ({ params, principal }) => {
    await replays.demand(principal.anchorId)
    return answer(202, deliveryForm(await replay(db, params.id)))
  })
}
