import { normalizedEmail } from '../mail/email.ts'
import { Problem } from '@windlass/service/problem.ts'
import { createRate } from '@windlass/service/rates.ts'
import { sql } from 'kysely'
import { timingSafeEqual } from 'node:crypto'
import type { Deps } from '../deps.ts'
import type { CodeRealm, PlatformDb } from '../tables.ts'
import { codeHash, readCode } from './code.ts'

const TRIES = 5
const FAILURES_A_DAY = 100
const DAY = sql`interval '24 hours'`

/** Uses a code and returns the address it proves. Throws `code-not-accepted`, the same for every reason. */
export type VerifyCode = (email: string, code: string, clientAddress: string) => Promise<string>

export function codeVerification(deps: Deps, realm: CodeRealm): VerifyCode {
  const verifications = createRate(deps.database.pool, `${realm}-verify`, 30 * deps.config.rateFactor, 300)
  return async (typedEmail, typedCode, clientAddress) => {
    await verifications.demand(clientAddress)
    const email = normalizedEmail(typedEmail)
    const given = codeHash(deps.config.otpKey, realm, email, readCode(typedCode))
    const expected = await countTry(deps.database.db, realm, email)
    const right = expected !== null && timingSafeEqual(given, expected)
    if (!right || !(await useUp(deps.database.db, realm, email, given))) {
      throw new Problem('code-not-accepted', 'The code is wrong, used or expired. Ask for a new one.')
    }
    return email
  }
}

/** Counts a try, as a failure until it proves right, and returns the hash to compare; null where no try is left. */
async function countTry(db: PlatformDb, realm: CodeRealm, email: string): Promise<Buffer | null> {
  const row = await db
    .updateTable('login_codes')
    .set({
      tries: sql<number>`tries + 1`,
      failures: sql<number>`case when failures_since < now() - ${DAY} then 1 else failures + 1 end`,
      failures_since: sql<Date>`case when failures_since < now() - ${DAY} then now() else failures_since end`,
    })
    .where('realm', '=', realm)
    .where('email', '=', email)
    .where('used_at', 'is', null)
    .where('tries', '<', TRIES)
    .where('expires_at', '>', sql<Date>`now()`)
    .where(sql<boolean>`(failures < ${FAILURES_A_DAY} or failures_since < now() - ${DAY})`)
    .returning('code_hash')
    .executeTakeFirst()
  return row?.code_hash ?? null
}

/** Of many at once, one succeeds. */
async function useUp(db: PlatformDb, realm: CodeRealm, email: string, hash: Buffer): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('login_codes')
    .set({ used_at: sql<Date>`now()`, failures: sql<number>`greatest(failures - 1, 0)` })
    .where('realm', '=', realm)
    .where('email', '=', email)
    .where('code_hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}
