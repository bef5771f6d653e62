import type { FakePlatform } from '@windlass/ui/testing/fake-platform.ts'
import { answerAdministrators } from './platform.ts'
import { queue } from './records.ts'

/** What the admin console shows under `npm run dev` where no stack runs. */
export const session = 'administrator'

export const answer = (platform: FakePlatform): void =>
  answerAdministrators(platform, { signedIn: true, records: queue() })
