import {
  getWorkspaceScreening,
  listWorkspaceScreeningHits,
} from '@windlass/contracts/platform/workspace-compliance.ts'
import { refresh } from '../../queries.ts'

export const refreshHits = () => void refresh(listWorkspaceScreeningHits, getWorkspaceScreening)

export const scoreOf = (score: number): string => score.toFixed(2)
