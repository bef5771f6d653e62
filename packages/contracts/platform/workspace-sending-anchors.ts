import { relayed } from '../relayed.ts'
import * as agreements from '../anchor/sending-anchors.ts'

/* Agreements of an anchor with others that send direct payments (SEP-31), for its organization in the console. */

export const listWorkspaceSendingAnchors = relayed(
  'GET /api/v1/anchors/:anchorId/sending-anchors',
  agreements.listSendingAnchors,
  {},
)

/** An agreement lets someone else's identity checks count. */
export const putWorkspaceSendingAnchor = relayed(
  'PUT /api/v1/anchors/:anchorId/sending-anchors/:account',
  agreements.putSendingAnchorAs,
  { area: 'compliance', who: 'admin', confirm: true, secondPerson: true },
)

/** Payments under way continue. */
export const deleteWorkspaceSendingAnchor = relayed(
  'DELETE /api/v1/anchors/:anchorId/sending-anchors/:account',
  agreements.deleteSendingAnchorAs,
  { area: 'compliance', who: 'admin', confirm: true },
)
