import Type from 'typebox'
import { Id } from '../common.ts'
import { endpoint, NoContent } from '../endpoint.ts'
import * as agreements from '../anchor/sending-anchors.ts'

/*
 * Agreements of an anchor with others that send direct payments (SEP-31), for its organization in the console.
 */

const Params = Type.Object({ anchorId: Id })
const One = Type.Object({ anchorId: Id, account: Type.String({ minLength: 56, maxLength: 56 }) })
const problems = ['anchor-not-found', 'dependency-unavailable'] as const
const managers = [...problems, 'forbidden', 'confirmation-needed'] as const

export const listWorkspaceSendingAnchors = endpoint('GET /api/v1/anchors/:anchorId/sending-anchors', {
  realm: 'operator',
  summary: 'Anchors that may send direct payments (SEP-31), newest first',
  params: Params,
  response: agreements.listSendingAnchors.response,
  problems,
})

/** For owners and admins of a day or more: an agreement lets someone else's identity checks count. */
export const putWorkspaceSendingAnchor = endpoint('PUT /api/v1/anchors/:anchorId/sending-anchors/:account', {
  realm: 'operator',
  summary: 'Lets an anchor send direct payments (SEP-31)',
  params: One,
  body: agreements.Agreement,
  response: { 200: agreements.SendingAnchor },
  problems: [...managers, 'second-person-needed'],
})

/** For owners and admins. Payments under way continue. */
export const deleteWorkspaceSendingAnchor = endpoint(
  'DELETE /api/v1/anchors/:anchorId/sending-anchors/:account',
  {
    realm: 'operator',
    summary: 'Ends the agreement with an anchor that sends direct payments',
    params: One,
    response: { 204: NoContent },
    problems: [...managers, 'not-found'],
  },
)
