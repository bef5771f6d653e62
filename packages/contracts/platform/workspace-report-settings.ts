import * as settings from '../anchor/report-settings.ts'
import { relayed } from '../relayed.ts'

/* What an anchor's financial intelligence unit gave for reports, for its team in the console. */

const area = 'compliance'

export const getWorkspaceReportSettings = relayed(
  'GET /api/v1/anchors/:anchorId/report-settings',
  settings.getReportSettings,
  { area },
)

export const setWorkspaceReportSettings = relayed(
  'PUT /api/v1/anchors/:anchorId/report-settings',
  settings.setReportSettingsAs,
  { area, who: 'admin' },
)
