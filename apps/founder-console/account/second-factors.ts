import { operatorSecondFactors } from '@windlass/contracts/platform/second-factors.ts'
import { secondFactorApi } from '@windlass/ui/console/second-factor-api.ts'
import { operator } from '../session.ts'

export const secondFactors = secondFactorApi(operator.call, operatorSecondFactors)
