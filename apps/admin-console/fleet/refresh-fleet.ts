import { listFleet } from '@windlass/contracts/platform/administrators.ts'
import { listFleetEvents } from '@windlass/contracts/platform/anchor-life.ts'
import { refresh } from '../api.ts'

export const refreshFleet = () => refresh(listFleet, listFleetEvents)
