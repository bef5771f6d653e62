import { adminSecondFactors } from '@windlass/contracts/platform/second-factors.ts'
import { secondFactorApi } from '@windlass/ui/console/second-factor-api.ts'
import { call } from '../api.ts'

export const secondFactors = secondFactorApi(call, adminSecondFactors)
