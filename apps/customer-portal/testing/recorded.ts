import type { FakePlatform } from '@windlass/ui/testing/fake-platform.ts'
import { answerCustomer, customerState } from './platform.ts'

/** What the customer portal shows under `npm run dev` where no stack runs. */
export const session = 'customer'

export const answer = (platform: FakePlatform): void => answerCustomer(platform, customerState())
