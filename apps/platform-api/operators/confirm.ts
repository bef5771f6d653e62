import type { Principals } from '@windlass/contracts/realm.ts'
import { invalid, Problem } from '@windlass/service/problem.ts'
import { createRate } from '@windlass/service/rates.ts'
import { sql } from 'kysely'
import type { PlatformDb } from '../database.ts'
import type { Deps } from '../deps.ts'
import { codeVerification } from '../otp/verify.ts'
import { isPassword } from './passwords.ts'

/** A session that was opened or confirmed longer ago than this may not do what is dangerous. */
const FRESH = sql`interval '15 minutes'`

interface Proof {
  code?: string
  password?: string
}

/**
 * Takes a fresh code, or the password, as proof that the operator themselves sits before the screen. Throws
 * `confirmation-refused`, `validation-failed`, `too-many-requests`.
 */
export function confirmations(deps: Deps) {
  const { db, pool } = deps.database
  const passwords = createRate(pool, 'operator-confirm', 10 * deps.config.rateFactor, 300)
  const verifyCode = codeVerification(deps, 'operator')

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
    const user = await db
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', userId)
      .executeTakeFirstOrThrow()
    return user.password_hash !== null && isPassword(proof.password, user.password_hash)
  }

  return async (operator: Principals['operator'], proof: Proof, address: string): Promise<void> => {
    if (!(await isRight(operator, proof, address))) {
      throw new Problem('confirmation-refused', 'The code or password is not right.')
    }
    await db
      .updateTable('sessions')
      .set({ confirmed_at: sql<Date>`now()` })
      .where('id', '=', operator.sessionId)
      .execute()
  }
}

/** Throws `confirmation-needed` where the session was neither opened nor confirmed in the last 15 minutes. */
export async function demandConfirmed(db: PlatformDb, sessionId: string): Promise<void> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where('confirmed_at', '>', sql<Date>`now() - ${FRESH}`)
    .executeTakeFirst()
  if (!row) {
    throw new Problem(
      'confirmation-needed',
      'Confirm that it is you, with a fresh code or your password, and try again.',
    )
  }
}
