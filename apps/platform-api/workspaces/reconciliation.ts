import type { Client } from '@windlass/client/client.ts'
import { nextCursor } from '@windlass/client/next-page.ts'
import { downloadRecords, downloadWorkspaceRecords } from '@windlass/contracts/platform/exports.ts'
import * as reconciliation from '@windlass/contracts/anchor/reconciliation.ts'
import * as contracts from '@windlass/contracts/platform/workspace-reconciliation.ts'
import { linkCursor } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { On } from '@windlass/service/http/server.ts'
import { requireManager } from '../anchors/access.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { roleIn } from '../operators/organizations.ts'
import { requireConfirmed } from '../sessions/sessions.ts'
import { anchorServerOf, fromAnchor, passFile } from './anchor-server.ts'

/** A long journal takes its time, and a slow reader too. */
const DOWNLOAD_MS = 600_000

/** What an anchor's business server says of its journal: differences from ledger and rails, and files. */
export function reconciliationRoutes(on: On, deps: Deps): void {
  const { db, pool } = deps.database
  const runs = createRate(pool, 'reconciliations', 10 * deps.config.rateFactor, 600)
  const managed = async (userId: string, anchorId: string) => {
    const { anchor } = await requireManager(db, userId, anchorId)
    const server: Client = await anchorServerOf(deps, userId, anchorId)
    return { anchor, server }
  }
  const audit = (userId: string, anchorId: string, action: string, details: Record<string, unknown>) => {
    const act = { actor: `operator:${userId}`, action, subject: `anchor:${anchorId}`, details }
    return db.transaction().execute(tx => record(tx, act, deps.clock.now()))
  }
  on(contracts.getWorkspaceReconciliation).serve(async ({ params, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, params.anchorId)
    return fromAnchor(server.call(reconciliation.getReconciliation))
  })
  on(downloadWorkspaceRecords).serve(async ({ params: { anchorId, name }, query, principal, reply }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    await requireConfirmed(db, principal.sessionId)
    const signal = AbortSignal.timeout(DOWNLOAD_MS)
    const file = await fromAnchor(server.open(downloadRecords, { params: { name }, query, signal }))
    await audit(principal.userId, anchorId, 'records.downloaded', { name, ...query })
    return passFile(reply, file, name)
  })
  on(contracts.listWorkspaceDifferences).serve(async ({ params, query, principal, request, reply }) => {
    const server = await anchorServerOf(deps, principal.userId, params.anchorId)
    const { body, headers } = await fromAnchor(server.send(reconciliation.listDifferences, { query }))
    const cursor = nextCursor(headers)
    if (cursor) linkCursor(request, reply, cursor)
    return body
  })
  on(contracts.reconcileWorkspace).serve(async ({ params: { anchorId }, principal: { userId } }) => {
    const { server } = await managed(userId, anchorId)
    await runs.demand(anchorId)
    const by = `operator:${userId}`
    const found = await fromAnchor(server.call(reconciliation.reconcileAs, { body: { by } }))
    await audit(userId, anchorId, 'reconciliation.started', { open: found.open })
    return found
  })
  on(contracts.assignWorkspaceDifference).serve(async ({ params: { anchorId, id }, body, principal }) => {
    const { anchor, server } = await managed(principal.userId, anchorId)
    const [, assignee] = /^operator:(.+)$/.exec(body.to ?? '') ?? []
    if (body.to !== null && !(assignee && (await roleIn(db, assignee, anchor.organization_id))))
      throw new Problem('member-not-found', 'Nobody with this id works in the organization.')
    const assigned = await fromAnchor(
      server.call(reconciliation.assignDifferenceAs, { params: { id }, body }),
    )
    await audit(principal.userId, anchorId, 'difference.assigned', { id, to: body.to })
    return assigned
  })
  on(contracts.resolveWorkspaceDifference).serve(async ({ params: { anchorId, id }, body, principal }) => {
    const { userId, sessionId } = principal
    const { server } = await managed(userId, anchorId)
    await requireConfirmed(db, sessionId)
    const by = { by: `operator:${userId}` }
    const resolved = await fromAnchor(
      server.call(reconciliation.resolveDifferenceAs, { params: { id }, body: { ...body, ...by } }),
    )
    const { kind, subject, amount, unit } = resolved
    await audit(userId, anchorId, 'difference.resolved', { id, kind, subject, amount, unit, ...body })
    return resolved
  })
}
