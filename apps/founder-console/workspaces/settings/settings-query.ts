import { getWorkspaceSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import { operator } from '../../session.ts'

export const settingsQuery = (anchorId: string) =>
  operator.query(getWorkspaceSettings, { params: { anchorId } })
