import { deciderOf } from '@windlass/contracts/access.ts'
import { Problem } from '@windlass/service/http/problem.ts'

/** Who decides about money beside the person who asked. */
export const FINANCE_DECIDER = deciderOf({ area: 'finance' })

/**
 * The refusal of someone who would approve what is their own.
 *
 * @param done what they did, as a sentence to them
 */
export const needsSecondPerson = (done: string): Problem =>
  new Problem('second-person-needed', `${done} Another ${FINANCE_DECIDER} approves it.`)
