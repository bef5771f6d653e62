import type { Principals } from '@windlass/contracts/realm.ts'
import { Problem, invalid } from '@windlass/service/http/problem.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import type { Deps } from '../deps.ts'
import { isPassword } from '../infrastructure/passwords.ts'
import { codeVerification } from '../otp/verify.ts'
import { hasSecondFactor, personOf } from '../second-factors/factors.ts'
import { confirmSession } from '../sessions/sessions.ts'
import { passwordHashOf } from './users.ts'

interface Proof {
  code?: string
  password?: string
}

/**
 * Accepts a fresh code, or the password, as confirmation that the operator is present; operators with a second factor
 * confirm with that. Throws `confirmation-refused`, `validation-failed`, `too-many-requests`.
 */
export function confirmations(deps: Deps) {
  const { db, pool } = deps.database
  const passwords = createRate(pool, 'operator-confirm', 10 * deps.config.rateFactor, 300)
  const verifyCode = codeVerification(deps, 'operator', 'confirmation')

  const isRight = async ({ userId, email }: Principals['operator'], proof: Proof, address: string) => {
    if (proof.code !== undefined) {
      return verifyCode(email, proof.code, address).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Problem && error.code === 'code-not-accepted') return false
          throw error
        },
      )
    }
    if (proof.password === undefined) throw invalid('code', 'or password is required')
    await passwords.demand(userId)
    const hash = await passwordHashOf(db, userId)
    return hash !== null && isPassword(proof.password, hash)
  }

  return async (operator: Principals['operator'], proof: Proof, address: string): Promise<void> => {
    // Otherwise a stolen session and mailbox would be enough.
    if (await hasSecondFactor(db, personOf(operator))) {
      throw new Problem(
        'confirmation-refused',
        'Confirm with your second factor: a passkey, a code of your app or a recovery code.',
      )
    }
    if (!(await isRight(operator, proof, address))) {
      throw new Problem('confirmation-refused', 'The code or password is wrong.')
    }
    await confirmSession(db, operator.sessionId)
  }
}
