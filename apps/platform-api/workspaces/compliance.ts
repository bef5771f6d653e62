import * as compliance from '@windlass/contracts/anchor/compliance.ts'
import * as travelRule from '@windlass/contracts/anchor/travel-rule.ts'
import * as contracts from '@windlass/contracts/platform/workspace-compliance.ts'
import { answer } from '@windlass/service/http/answer.ts'
import type { On } from '@windlass/service/http/server.ts'
import { requireManager } from '../anchors/access.ts'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { requireConfirmed } from '../sessions/sessions.ts'
import { anchorServerOf, fromAnchor, page } from './anchor-server.ts'

/** A list has tens of thousands of names. */
const READING_MS = 120_000

interface Acting {
  userId: string
}

/** An anchor's sanctions screening, which its business server does. What changes it is recorded, without names. */
export function complianceRoutes(on: On, deps: Deps): void {
  const { db } = deps.database
  const audit = async (
    { userId }: Acting,
    anchorId: string,
    action: string,
    details: Record<string, unknown>,
  ) => {
    const act = { actor: `operator:${userId}`, action, subject: `anchor:${anchorId}`, details }
    await db.transaction().execute(tx => record(tx, act, deps.clock.now()))
  }
  const by = ({ userId }: Acting) => ({ by: `operator:${userId}` })

  on(contracts.getWorkspaceScreening).serve(async ({ params: { anchorId }, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    return fromAnchor(server.call(compliance.getScreening))
  })
  on(contracts.listWorkspaceScreeningHits).serve(async ({ params, query, principal, request, reply }) => {
    const server = await anchorServerOf(deps, principal.userId, params.anchorId)
    return page(server.send(compliance.listScreeningHits, { query }), request, reply)
  })
  on(contracts.getWorkspaceScreeningCase).serve(async ({ params: { anchorId, id }, principal }) => {
    await requireManager(db, principal.userId, anchorId)
    await requireConfirmed(db, principal.sessionId)
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const found = await fromAnchor(server.call(compliance.getScreeningCase, { params: { id } }))
    await audit(principal, anchorId, 'screening-case.exported', { id })
    return found
  })
  on(contracts.setWorkspaceScreeningThreshold).serve(async ({ params: { anchorId }, body, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const set = await fromAnchor(
      server.call(compliance.setScreeningThresholdAs, { body: { ...body, ...by(principal) } }),
    )
    await audit(principal, anchorId, 'screening-threshold.changed', body)
    return set
  })
  on(contracts.getWorkspaceVelocityRules).serve(async ({ params: { anchorId }, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    return fromAnchor(server.call(compliance.getVelocityRules))
  })
  on(contracts.setWorkspaceVelocityRules).serve(async ({ params: { anchorId }, body, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const set = await fromAnchor(
      server.call(compliance.setVelocityRulesAs, { body: { ...body, ...by(principal) } }),
    )
    await audit(principal, anchorId, 'velocity-rules.changed', { rules: body.rules })
    return set
  })
  on(contracts.getWorkspaceTravelRule).serve(async ({ params: { anchorId }, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    return fromAnchor(server.call(travelRule.getTravelRule))
  })
  on(contracts.setWorkspaceTravelRule).serve(async ({ params: { anchorId }, body, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const set = await fromAnchor(
      server.call(travelRule.setTravelRuleAs, { body: { ...body, ...by(principal) } }),
    )
    await audit(principal, anchorId, 'travel-rule.changed', body.settings)
    return set
  })
  on(contracts.getWorkspaceTravelRuleRecord).serve(async ({ params: { anchorId, id }, principal }) => {
    await requireManager(db, principal.userId, anchorId)
    await requireConfirmed(db, principal.sessionId)
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const found = await fromAnchor(server.call(travelRule.getTravelRuleRecord, { params: { id } }))
    await audit(principal, anchorId, 'travel-rule.exported', { id })
    return found
  })
  on(contracts.loadWorkspaceSanctionsList).serve(async ({ params: { anchorId }, query, raw, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const list = await fromAnchor(
      server.call(compliance.loadSanctionsListAs, {
        query: { ...query, ...by(principal) },
        body: raw,
        signal: AbortSignal.timeout(READING_MS),
      }),
    )
    const { version, source, fileName, sha256, publishedOn, entries } = list
    await audit(principal, anchorId, 'sanctions-list.loaded', {
      ...{ version, source, fileName, sha256, publishedOn, entries },
    })
    return answer(201, list)
  })
  on(contracts.decideWorkspaceScreeningHit).serve(async ({ params: { anchorId, id }, body, principal }) => {
    const server = await anchorServerOf(deps, principal.userId, anchorId)
    const hit = await fromAnchor(
      server.call(compliance.decideScreeningHitAs, { params: { id }, body: { ...body, ...by(principal) } }),
    )
    const { decision, reason } = body
    const { match, velocity } = hit
    await audit(principal, anchorId, 'screening-hit.decided', {
      ...{ id, decision, reason },
      ...(match ? { source: match.source, entryId: match.entryId } : { rule: velocity?.rule.kind }),
    })
    return hit
  })
}
