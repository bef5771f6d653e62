import * as owners from '../anchor/beneficial-owners.ts'
import { relayed } from '../relayed.ts'

/* Who owns or controls an anchor's customers, for its team in the console. */

const area = 'compliance'

export const listWorkspaceBeneficialOwners = relayed(
  'GET /api/v1/anchors/:anchorId/beneficial-owners',
  owners.listBeneficialOwners,
  { area },
)

export const addWorkspaceBeneficialOwner = relayed(
  'POST /api/v1/anchors/:anchorId/customers/:id/beneficial-owners',
  owners.addBeneficialOwnerAs,
  { area, who: 'admin' },
)

export const endWorkspaceBeneficialOwner = relayed(
  'POST /api/v1/anchors/:anchorId/beneficial-owners/:id/end',
  owners.endBeneficialOwnerAs,
  { area, who: 'admin' },
)
