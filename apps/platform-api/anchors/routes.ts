import { resumeAnchor, suspendAnchor } from '@windlass/contracts/platform/administrators.ts'
import * as life from '@windlass/contracts/platform/anchor-life.ts'
import { reportAnchorEvent, reportRemoval } from '@windlass/contracts/internal/control-plane.ts'
import { queryAnchorAccount } from '@windlass/contracts/internal/internal.ts'
import {
  type NotificationKind,
  type NotificationReport,
  platformConditions,
  reportedByAnchors,
  reportNotifications,
} from '@windlass/contracts/platform/notifications.ts'
import type { Principals } from '@windlass/contracts/realm.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { linkNext, pageSize, pageStart } from '@windlass/service/http/pages.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { Deps } from '../deps.ts'
import { requireConfirmedAdmin } from '../second-factors/factors.ts'
import type { NotifiedAnchor } from '../notifications/changes.ts'
import { recordReport } from '../notifications/record.ts'
import { requireMember } from './access.ts'
import { setExportKey } from './export-key.ts'
import { findEvents, recordEvent } from './events.ts'
import { findAnchor, isAnchorAccount, notifiedAnchor } from './anchors.ts'
import { openExport, removeAnchor, recordRemovalReport, getRemoval } from './remove.ts'
import { setSuspended } from './suspend.ts'
import type { PlatformDb } from '../tables.ts'
import { listUpgrades, upgradeAnchor } from './upgrade.ts'
import { decideWindDown, getWindDown, requestWindDown } from './wind-down.ts'

export function anchorRoutes(on: On, deps: Deps): void {
  const { db } = deps.database
  on(suspendAnchor).serve(async ({ params, body, principal }) => {
    await requireConfirmedAdmin(deps, principal)
    return setSuspended(deps, params.id, 'suspend', principal, body.reason)
  })
  on(resumeAnchor).serve(({ params, principal }) => setSuspended(deps, params.id, 'resume', principal))
  on(queryAnchorAccount).serve(async ({ params }) => ({
    isAnchors: await isAnchorAccount(db, params.account),
  }))
  on(life.listAnchorEvents).serve(async ({ params, query, principal, request, reply }) => {
    await requireMember(db, principal.userId, params.anchorId)
    const found = await findEvents(db, params.anchorId, pageStart(query), pageSize(query))
    linkNext(request, reply, query, found)
    return found.map(({ event }) => event)
  })
  on(life.listFleetEvents).serve(async ({ params, query, request, reply }) => {
    if (!(await findAnchor(db, params.id)))
      throw new Problem('anchor-not-found', 'There is no anchor with this id.')
    const found = await findEvents(db, params.id, pageStart(query), pageSize(query))
    linkNext(request, reply, query, found)
    return found.map(({ event }) => event)
  })
  on(life.upgradeAnchor).serve(async ({ params, body, principal, request }) => {
    await requireConfirmedAdmin(deps, principal)
    return upgradeAnchor(deps, params.id, principal, body, request)
  })
  on(life.listUpgrades).serve(({ params }) => listUpgrades(deps, params.id))
  on(life.removeAnchor).serve(async ({ params, body, principal }) => {
    await requireConfirmedAdmin(deps, principal)
    return removeAnchor(deps, params.id, principal, body)
  })
  on(life.getWindDown).serve(({ params }) => getWindDown(db, params.id))
  on(life.requestWindDown).serve(async ({ params, body, principal }) => {
    await requireConfirmedAdmin(deps, principal)
    return answer(201, await requestWindDown(deps, params.id, principal, body))
  })
  on(life.decideWindDown).serve(async ({ params, body, principal }) => {
    await requireConfirmedAdmin(deps, principal)
    return decideWindDown(deps, params.id, principal, body.approve)
  })
  on(life.getRemoval).serve(({ params }) => getRemoval(db, params.id))
  on(life.downloadExport).serve(async ({ params, principal, reply }) => {
    await requireConfirmedAdmin(deps, principal)
    return openExport(deps, params.id, principal, reply)
  })
  on(life.getExportKey).serve(async ({ params, principal }) => {
    const { anchor } = await requireMember(db, principal.userId, params.anchorId)
    return { publicKey: anchor.export_key }
  })
  on(life.setExportKey).serve(({ params: { anchorId }, body, principal }) =>
    setExportKey(deps, anchorId, body.publicKey, `operator:${principal.userId}`),
  )
  on(reportAnchorEvent).serve(async ({ params, body }) => {
    await recordEvent(deps, params.anchorId, body)
    return { ok: true }
  })
  on(reportNotifications).serve(async ({ principal, body }) => {
    requireOwnKinds(principal.kind, body)
    await recordReport(deps, principal.kind === 'anchor' ? await reportingAnchor(db, principal) : null, body)
    return { ok: true }
  })
  on(reportRemoval).serve(async ({ params, body }) => {
    await recordRemovalReport(deps, params.anchorId, body)
    return { ok: true }
  })
}

/** Throws `anchor-not-found`: what an anchor reports never counts as the platform's. */
async function reportingAnchor(db: PlatformDb, { anchorId }: { anchorId: string }): Promise<NotifiedAnchor> {
  const anchor = await findAnchor(db, anchorId)
  if (!anchor) throw new Problem('anchor-not-found', 'There is no anchor with this id.')
  return notifiedAnchor(anchor)
}

/** An anchor's secret can neither write to administrators nor say what only the platform knows. */
function requireOwnKinds(
  reporter: Principals['internal']['kind'],
  { evaluated, conditions, events }: NotificationReport,
): void {
  const allowed: readonly NotificationKind[] = reporter === 'anchor' ? reportedByAnchors : platformConditions
  const kinds = [...evaluated, ...[...conditions, ...events].map(({ kind }) => kind)]
  if (kinds.every(kind => allowed.includes(kind))) return
  throw new Problem('forbidden', 'Anchors report their own kinds of notifications, the platform its own.')
}
