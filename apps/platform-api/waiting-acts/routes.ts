import {
  approveWaitingAct,
  listWaitingActs,
  rejectWaitingAct,
} from '@windlass/contracts/platform/waiting-acts.ts'
import { deciderOf, mayCall } from '@windlass/contracts/access.ts'
import type { Endpoint } from '@windlass/contracts/endpoint.ts'
import { memberRoles } from '@windlass/contracts/realm.ts'
import type { Call } from '@windlass/service/http/endpoint-route.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import { requireMay, requireMember } from '../anchors/access.ts'
import type { Deps } from '../deps.ts'
import { hasOther } from '../operators/organizations.ts'
import { lastChangeOfTeam } from '../operators/members.ts'
import { bodyOf, doWaiting, dropWaiting, getWaiting, listWaiting, type WaitingRow } from './waiting.ts'

/** An act that may wait: a row of the table of founders' acts. */
interface Act {
  endpoint: Endpoint
  /** @param wanted who asked for it. */
  perform(deps: Deps, call: Call<Endpoint>, wanted: string): Promise<unknown>
}

/** How a second person does what lets more money out, or takes it away. */
export function waitingActRoutes(on: On, deps: Deps, acts: readonly Act[]): void {
  const { db } = deps.database
  const findAct = ({ endpoint }: Pick<WaitingRow, 'endpoint'>) =>
    acts.find(({ endpoint: { method, path } }) => `${method} ${path}` === endpoint)
  const actOf = (row: WaitingRow): Act => {
    const act = findAct(row)
    if (!act) throw new Problem('not-found', 'This act is no longer there. Ask for it again.')
    return act
  }

  on(listWaitingActs).serve(async ({ params, principal }) => {
    const { role } = await requireMember(db, principal.userId, params.anchorId)
    const rows = await listWaiting(db, params.anchorId, deps.clock.now())
    return rows.flatMap(({ endpoint, ...waiting }) => {
      const act = findAct({ endpoint })
      return act && !mayCall(role, act.endpoint) ? [] : waiting
    })
  })
  on(approveWaitingAct).serve(async call => {
    const { params, principal, request, reply } = call
    const row = await getWaiting(db, params.anchorId, params.id, deps.clock.now())
    const act = actOf(row)
    const { role } = await requireMember(db, principal.userId, params.anchorId)
    requireMay(role, act.endpoint)
    if (row.requested_by === `operator:${principal.userId}`)
      await requireAlone(deps, row, act, principal.userId)
    const sent = { params: row.params, query: row.query, body: bodyOf(deps.sealer, row) ?? undefined }
    const asked = { ...sent, ...{ principal, request, reply, raw: Buffer.alloc(0) } }
    await doWaiting(deps, row, () => act.perform(deps, asked as unknown as Call<Endpoint>, row.requested_by))
    return { ok: true }
  })
  on(rejectWaitingAct).serve(async ({ params: { anchorId, id }, principal }) => {
    const act = findAct(await getWaiting(db, anchorId, id, deps.clock.now()))
    const { role } = await requireMember(db, principal.userId, anchorId)
    if (act) requireMay(role, act.endpoint)
    await dropWaiting(deps, { anchorId, id, by: `operator:${principal.userId}` })
    return { ok: true }
  })
}

const DAY_MS = 86_400_000
const ALONE_DAYS = 7

/**
 * Who has nobody to ask confirms it a day after it was mailed to them. Nobody may have left the team or its managers lately:
 * an owner's session that is stolen could otherwise take the others out first. Throws `second-person-needed`.
 */
async function requireAlone(
  { database: { db }, clock }: Deps,
  row: WaitingRow,
  { endpoint }: Act,
  userId: string,
) {
  const { anchor } = await requireMember(db, userId, row.anchor_id)
  if (
    await hasOther(
      db,
      userId,
      anchor.organization_id,
      memberRoles.filter(role => mayCall(role, endpoint)),
    )
  )
    throw new Problem(
      'second-person-needed',
      `You asked for this. Another ${deciderOf(endpoint)} approves it.`,
    )
  const left = await lastChangeOfTeam(db, anchor.organization_id)
  const alone = left ? left.getTime() + ALONE_DAYS * DAY_MS : 0
  const from = new Date(Math.max(row.requested_at.getTime() + DAY_MS, alone))
  if (clock.now() < from)
    throw new Problem(
      'second-person-needed',
      `You asked for this and are the only ${deciderOf(endpoint)}. You can approve it from ${from.toISOString()} on.`,
    )
}
