import { getWorkspaceTreasurySettings } from '@windlass/contracts/platform/workspace-records.ts'
import { operator } from '../../session.ts'

/** `asset`: `CODE:ISSUER` of a further asset; undefined: the first one. */
export const treasurySettingsQuery = (anchorId: string, asset: string | undefined) =>
  operator.query(getWorkspaceTreasurySettings, { params: { anchorId }, query: { asset } })
