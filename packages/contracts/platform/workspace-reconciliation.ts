import Type from 'typebox'
import { Id } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import * as reconciliation from '../anchor/reconciliation.ts'

/* Differences between an anchor's journal, its accounts on the ledger and its rails, for its organization. */

const Params = Type.Object({ anchorId: Id })
const One = Type.Object({ anchorId: Id, id: Id })
const problems = ['anchor-not-found', 'dependency-unavailable'] as const
const managers = [...problems, 'forbidden'] as const

export const getWorkspaceReconciliation = endpoint('GET /api/v1/anchors/:anchorId/reconciliation', {
  realm: 'operator',
  summary: 'The last comparison of journal, ledger and rails',
  params: Params,
  response: reconciliation.getReconciliation.response,
  problems,
})

export const reconcileWorkspace = endpoint('POST /api/v1/anchors/:anchorId/reconciliation', {
  realm: 'operator',
  summary: 'Compares journal, ledger and rails now, as an owner or admin',
  params: Params,
  response: { 200: reconciliation.Reconciliation },
  problems: [...managers, 'too-many-requests'],
})

export const listWorkspaceDifferences = endpoint('GET /api/v1/anchors/:anchorId/reconciliation/differences', {
  realm: 'operator',
  summary: 'Differences between journal, ledger and rails, newest first',
  params: Params,
  query: reconciliation.DifferencesQuery,
  response: reconciliation.listDifferences.response,
  problems,
})

export const assignWorkspaceDifference = endpoint(
  'POST /api/v1/anchors/:anchorId/reconciliation/differences/:id/assign',
  {
    realm: 'operator',
    summary: 'Assigns a difference to a member of the organization, or to nobody, as an owner or admin',
    params: One,
    body: reconciliation.Assignment,
    response: { 200: reconciliation.Difference },
    problems: [...managers, ...reconciliation.differenceProblems, 'member-not-found'],
  },
)

export const resolveWorkspaceDifference = endpoint(
  'POST /api/v1/anchors/:anchorId/reconciliation/differences/:id/resolve',
  {
    realm: 'operator',
    summary: 'Resolves a difference with a reason, as an owner or admin who has just confirmed',
    params: One,
    body: reconciliation.DifferenceResolution,
    response: { 200: reconciliation.Difference },
    problems: [...managers, ...reconciliation.differenceProblems, 'confirmation-needed'],
  },
)
