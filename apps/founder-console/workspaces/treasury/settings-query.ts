import { queryOptions } from '@tanstack/react-query'
import { getWorkspaceTreasurySettings } from '@windlass/contracts/platform/workspace-records.ts'
import { operator } from '../../session.ts'

/** `asset`: `CODE:ISSUER` of a further asset; undefined: the first one. */
export const treasurySettingsQuery = (anchorId: string, asset: string | undefined) =>
  queryOptions({
    queryKey: ['operator', 'treasury-settings', anchorId, asset],
    queryFn: ({ signal }) =>
      operator.call(getWorkspaceTreasurySettings, { params: { anchorId }, query: { asset }, signal }),
  })
