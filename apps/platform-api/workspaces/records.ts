import type { Client } from '@windlass/client/client.ts'
import {
  getAnchorSummary,
  getTreasurySettings,
  resolveAnchorIncident,
  setTreasurySettings,
} from '@windlass/contracts/anchor/business-server.ts'
import * as admin from '@windlass/contracts/anchor/business-server.ts'
import * as developer from '@windlass/contracts/anchor/developer-api.ts'
import * as contracts from '@windlass/contracts/platform/workspace-records.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import { requireManager, requireMember } from '../anchors/access.ts'
import { notifiedAnchor } from '../anchors/anchors.ts'
import { recordNotification } from '../notifications/record.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { requireConfirmed } from '../sessions/sessions.ts'
import { anchorServerOf, fromAnchor, page } from './anchor-server.ts'

/** An anchor's records as its organization reads them, fetched from the anchor's own business server. */
export function recordRoutes(on: On, deps: Deps): void {
  on(contracts.getWorkspaceTreasury).serve(async ({ params, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, params.anchorId)
    return fromAnchor(server.call(getAnchorSummary))
  })
  on(contracts.getWorkspaceTreasurySettings).serve(async ({ params, query, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, params.anchorId)
    return fromAnchor(server.call(getTreasurySettings, { query }))
  })
  on(contracts.setWorkspaceTreasurySettings).serve(async ({ params, query, body, principal }) => {
    const { anchorId } = params
    const { db } = deps.database
    const { anchor } = await requireMember(db, principal.userId, anchorId)
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const by = `operator:${principal.userId}`
    const set = await fromAnchor(server.call(setTreasurySettings, { query, body: { ...body, by } }))
    const { ceiling, coldAccount } = set.settings
    const sweeps = coldAccount
      ? `What exceeds ${ceiling} is sent to ${coldAccount}`
      : 'Nothing is sent to a cold account'
    const of = query.asset ? ` of ${query.asset}` : ''
    const detail = `${principal.email} changed the treasury settings${of}. ${sweeps}.`
    await db.transaction().execute(async tx => {
      const event = { kind: 'treasury-settings-changed', subject: newId('change'), detail } as const
      await recordNotification(deps, tx, notifiedAnchor(anchor), event)
      const act = { actor: by, action: 'treasury.settings-changed', subject: `anchor:${anchorId}` }
      await record(tx, { ...act, details: { ...query, ...set.settings } }, deps.clock.now())
    })
    return set
  })
  on(contracts.getWorkspaceFigures).serve(async ({ params, query, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, params.anchorId)
    return fromAnchor(server.call(developer.getFigures, { query }))
  })
  on(contracts.listWorkspaceTransactions).serve(async ({ params, query, principal, request, reply }) => {
    const server = await anchorServerOf(deps, principal.userId, params.anchorId)
    return page(server.send(developer.listDeveloperTransactions, { query }), request, reply)
  })
  on(contracts.getWorkspaceTransaction).serve(async ({ params, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, params.anchorId)
    return fromAnchor(server.call(developer.getDeveloperTransaction, { params: { id: params.id } }))
  })
  on(contracts.addWorkspaceTransactionNote).serve(async ({ params: { anchorId, id }, body, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const note = { ...body, by: `operator:${principal.userId}` }
    return answer(
      201,
      await fromAnchor(server.call(admin.addTransactionNote, { params: { id }, body: note })),
    )
  })
  on(contracts.listWorkspaceCustomers).serve(async ({ params, query, principal, request, reply }) => {
    const server = await anchorServerOf(deps, principal.userId, params.anchorId)
    return page(server.send(developer.listDeveloperCustomers, { query }), request, reply)
  })
  on(contracts.getWorkspaceCustomer).serve(async ({ params: { anchorId, id }, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    return fromAnchor(server.call(developer.getCustomerOverview, { params: { id } }))
  })
  on(contracts.addWorkspaceCustomerNote).serve(async ({ params: { anchorId, id }, body, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const note = { ...body, by: `operator:${principal.userId}` }
    return answer(201, await fromAnchor(server.call(admin.addCustomerNote, { params: { id }, body: note })))
  })
  on(contracts.listWorkspaceDeliveries).serve(async ({ params, query, principal, request, reply }) => {
    const server = await anchorServerOf(deps, principal.userId, params.anchorId)
    return page(server.send(developer.listWebhookDeliveries, { query }), request, reply)
  })
  on(contracts.listWorkspaceBalances).serve(async ({ params, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, params.anchorId)
    return fromAnchor(server.call(developer.listJournalBalances))
  })
  on(contracts.listWorkspaceEntries).serve(async ({ params, query, principal, request, reply }) => {
    const server = await anchorServerOf(deps, principal.userId, params.anchorId)
    return page(server.send(developer.listJournalEntries, { query }), request, reply)
  })
  incidentRoutes(on, deps)
  webhookRoutes(on, deps)
}

function incidentRoutes(on: On, deps: Deps): void {
  on(contracts.listWorkspaceIncidents).serve(async ({ params, query, principal, request, reply }) => {
    const server = await anchorServerOf(deps, principal.userId, params.anchorId)
    return page(server.send(developer.listLedgerIncidents, { query }), request, reply)
  })
  on(contracts.resolveWorkspaceIncident).serve(async ({ params, body, principal }) => {
    const { db } = deps.database
    const server = await anchorServerOf(deps, principal.userId, params.anchorId)
    const by = `operator:${principal.userId}`
    const resolved = await fromAnchor(
      server.call(resolveAnchorIncident, { params: { id: params.id }, body: { ...body, by } }),
    )
    const act = { actor: by, action: 'ledger-incident.resolved', subject: `anchor:${params.anchorId}` }
    const details = { incidentId: resolved.id, kind: resolved.kind, ...body }
    await db.transaction().execute(tx => record(tx, { ...act, details }, deps.clock.now()))
    return resolved
  })
}

/** Webhook endpoints for the anchor's events. Changes are owners' and admins', and audited. */
function webhookRoutes(on: On, deps: Deps): void {
  const { db, pool } = deps.database
  const tests = createRate(pool, 'webhook-tests', 10 * deps.config.rateFactor, 300)
  const replays = createRate(pool, 'webhook-replays', 1_000 * deps.config.rateFactor, 3600)
  const managed = async (userId: string, anchorId: string): Promise<Client> => {
    await requireManager(db, userId, anchorId)
    return anchorServerOf(deps, userId, anchorId)
  }
  const audit = (userId: string, anchorId: string, action: string, details: Record<string, unknown>) => {
    const act = { actor: `operator:${userId}`, action, subject: `anchor:${anchorId}`, details }
    return db.transaction().execute(tx => record(tx, act, deps.clock.now()))
  }
  on(contracts.listWorkspaceWebhooks).serve(async ({ params, query, principal, request, reply }) => {
    const server = await anchorServerOf(deps, principal.userId, params.anchorId)
    return page(server.send(admin.listAnchorWebhooks, { query }), request, reply)
  })
  on(contracts.createWorkspaceWebhook).serve(async ({ params: { anchorId }, body, principal }) => {
    const server = await managed(principal.userId, anchorId)
    await requireConfirmed(db, principal.sessionId)
    const added = await fromAnchor(server.call(admin.createAnchorWebhook, { body }))
    const details = { host: new URL(added.url).host, events: added.events }
    await audit(principal.userId, anchorId, 'webhook-endpoint.added', details)
    return answer(201, added)
  })
  on(contracts.deleteWorkspaceWebhook).serve(async ({ params: { anchorId, id }, principal }) => {
    const server = await managed(principal.userId, anchorId)
    await requireConfirmed(db, principal.sessionId)
    await fromAnchor(server.call(admin.deleteAnchorWebhook, { params: { id } }))
    await audit(principal.userId, anchorId, 'webhook-endpoint.removed', { id })
    return { ok: true }
  })
  on(contracts.testWorkspaceWebhook).serve(async ({ params: { anchorId, id }, principal }) => {
    const server = await managed(principal.userId, anchorId)
    await tests.demand(anchorId)
    return answer(202, await fromAnchor(server.call(admin.testAnchorWebhook, { params: { id } })))
  })
  on(contracts.replayWorkspaceDelivery).serve(async ({ params: { anchorId, id }, principal }) => {
    const server = await managed(principal.userId, anchorId)
    await replays.demand(anchorId)
    return answer(202, await fromAnchor(server.call(admin.replayAnchorDelivery, { params: { id } })))
  })
}
