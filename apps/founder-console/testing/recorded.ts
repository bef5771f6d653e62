import { getJobStatus } from '@windlass/contracts/platform/provisioning.ts'
import type { FakePlatform } from '@windlass/ui/testing/fake-platform.ts'
import { answerBankFiles } from './bank.ts'
import { answerScreening } from './compliance.ts'
import { answerDirectory } from './directory.ts'
import { jobAt } from './jobs.ts'
import { operatorsState } from './operators-state.ts'
import { answerOperators } from './operators.ts'
import { answerClosing } from './closing.ts'
import { answerReconciliation } from './reconciliation.ts'

/** What the founder console shows under `npm run dev` where no stack runs: an owner with one anchor. */
export const session = 'operator'

export function answer(platform: FakePlatform): void {
  answerOperators(platform, operatorsState())
  answerBankFiles(platform)
  answerScreening(platform)
  answerReconciliation(platform)
  answerClosing(platform)
  answerDirectory(platform)
  platform.answer(getJobStatus, () => jobAt(2, 'running'))
}
