import { listApiRequests } from '../anchor/api-requests.ts'
import { relayed } from '../relayed.ts'

export const listWorkspaceApiRequests = relayed(
  'GET /api/v1/anchors/:anchorId/api-requests',
  listApiRequests,
  { summary: 'What keys of the anchor asked of its API, newest first' },
)
