import * as cases from '../anchor/cases.ts'
import { relayed } from '../relayed.ts'

/* Cases of compliance at an anchor, for its officers in the console. */

const area = 'compliance'
const toDecide = { area, who: 'admin', confirm: true } as const

export const listWorkspaceCases = relayed('GET /api/v1/anchors/:anchorId/cases', cases.listCases, { area })

export const getWorkspaceCase = relayed('GET /api/v1/anchors/:anchorId/cases/:id', cases.getCase, { area })

/** Each export is recorded. */
export const getWorkspaceCaseReport = relayed(
  'GET /api/v1/anchors/:anchorId/cases/:id/report',
  cases.getCaseReport,
  toDecide,
)

export const openWorkspaceCase = relayed('POST /api/v1/anchors/:anchorId/cases', cases.openCaseAs, toDecide)

export const noteWorkspaceCase = relayed('POST /api/v1/anchors/:anchorId/cases/:id/notes', cases.noteCaseAs, {
  area,
  who: 'admin',
})

export const planWorkspaceCase = relayed('PUT /api/v1/anchors/:anchorId/cases/:id/plan', cases.planCaseAs, {
  ...{ area, who: 'admin' },
  problems: ['member-not-found'],
})

export const closeWorkspaceCase = relayed(
  'POST /api/v1/anchors/:anchorId/cases/:id/close',
  cases.closeCaseAs,
  toDecide,
)
