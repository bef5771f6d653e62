import Type, { type Static } from 'typebox'
import { Id, Ok, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'

/*
 * Acts of founders that let more money out of their anchor than before, such as a higher signing limit, or find less. One
 * person asks for it at the act's own endpoint, which answers `second-person-waits`; it is done when another one who may do
 * it approves it within a week.
 */

export const WaitingAct = Type.Object({
  id: Id,
  /** What will be done, as the audit log names it: `anchor.signing-limits-set`. */
  action: Type.String(),
  /** What was asked for, as the audit log has it. */
  details: Type.Record(Type.String(), Type.Unknown()),
  /** `operator:<id>` */
  requestedBy: Type.String(),
  requestedAt: Time,
  /** After that it is gone. */
  endsAt: Time,
})
export type WaitingAct = Static<typeof WaitingAct>

const Params = Type.Object({ anchorId: Id })
const ActParams = Type.Object({ anchorId: Id, id: Id })

export const listWaitingActs = endpoint('GET /api/v1/anchors/:anchorId/waiting-acts', {
  realm: 'operator',
  ...{ who: 'admin', area: 'any' },
  summary: 'Acts that wait for a second person, the oldest first; at most 100',
  params: Params,
  response: { 200: Type.Array(WaitingAct, { maxItems: 100 }) },
})

/** By another person than who asked for it, who may do the act itself. */
export const approveWaitingAct = endpoint('POST /api/v1/anchors/:anchorId/waiting-acts/:id/approve', {
  ...{ realm: 'operator', who: 'admin', area: 'any', confirm: true, secondPerson: true },
  summary: 'Does what someone else asked for',
  params: ActParams,
  response: { 200: Ok },
  problems: ['not-found', 'dependency-unavailable'],
})

/** Any of those who may do the act may, who asked for it too. */
export const rejectWaitingAct = endpoint('POST /api/v1/anchors/:anchorId/waiting-acts/:id/reject', {
  ...{ realm: 'operator', who: 'admin', area: 'any' },
  summary: 'Takes away what waits for a second person',
  params: ActParams,
  response: { 200: Ok },
  problems: ['not-found'],
})
