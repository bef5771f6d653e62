import * as registers from '../anchor/registers.ts'
import { relayed } from '../relayed.ts'

/* Complaints and incidents of an anchor, for its team in the console. */

const area = 'compliance'

export const listWorkspaceRegister = relayed(
  'GET /api/v1/anchors/:anchorId/registers/:register',
  registers.listRegister,
  { area },
)

export const addToWorkspaceRegister = relayed(
  'POST /api/v1/anchors/:anchorId/registers/:register',
  registers.addToRegisterAs,
  { area, who: 'admin' },
)

export const addWorkspaceRegisterStep = relayed(
  'POST /api/v1/anchors/:anchorId/registers/:register/:id/steps',
  registers.addRegisterStepAs,
  { area, who: 'admin' },
)
