import * as reconciliation from '../anchor/reconciliation.ts'
import { relayed } from '../relayed.ts'

/* Differences between an anchor's journal, its accounts on the ledger and its rails, for its organization. */

export const getWorkspaceReconciliation = relayed(
  'GET /api/v1/anchors/:anchorId/reconciliation',
  reconciliation.getReconciliation,
  {},
)

/** At most ten in ten minutes for each anchor. */
export const reconcileWorkspace = relayed(
  'POST /api/v1/anchors/:anchorId/reconciliation',
  reconciliation.reconcileAs,
  { area: 'finance', who: 'admin', problems: ['too-many-requests'] },
)

export const listWorkspaceDifferences = relayed(
  'GET /api/v1/anchors/:anchorId/reconciliation/differences',
  reconciliation.listDifferences,
  {},
)

export const assignWorkspaceDifference = relayed(
  'POST /api/v1/anchors/:anchorId/reconciliation/differences/:id/assign',
  reconciliation.assignDifferenceAs,
  {
    area: 'finance',
    who: 'admin',
    summary: 'Assigns a difference to a member of the organization, or to nobody',
    problems: ['member-not-found'],
  },
)

export const resolveWorkspaceDifference = relayed(
  'POST /api/v1/anchors/:anchorId/reconciliation/differences/:id/resolve',
  reconciliation.resolveDifferenceAs,
  { area: 'finance', who: 'admin', confirm: true },
)

export const approveWorkspaceDifference = relayed(
  'POST /api/v1/anchors/:anchorId/reconciliation/differences/:id/approval',
  reconciliation.approveDifferenceAs,
  { area: 'finance', who: 'admin', confirm: true, secondPerson: 'to-approve' },
)
