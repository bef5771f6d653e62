import { normalizedEmail } from '../mail/email.ts'
import { clientNetwork } from '@windlass/service/client-address.ts'
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
type VerifyCode = (email: string, code: string, clientAddress: string) => Promise<string>

export function codeVerification(deps: Deps, realm: CodeRealm): VerifyCode {
  const verifications = createRate(deps.database.pool, `${realm}-verify`, 30 * deps.config.rateFactor, 300)
  return async (typedEmail, typedCode, clientAddress) => {
    await verifications.demand(clientAddress)
    const email = normalizedEmail(typedEmail)
    const given = codeHash(deps.config.otpKey, realm, email, readCode(typedCode))
    const expected = await countTry(deps.database.db, realm, email, clientNetwork(clientAddress))
    const right = expected !== null && timingSafeEqual(given, expected)
    if (!right || !(await useUp(deps.database.db, realm, email, given))) {
      throw new Problem('code-not-accepted', 'The code is wrong, used or expired. Request a new one.')
    }
    return email
  }
}

// A day's failures, by whomever: from then on only the client that asked for a code may enter it, once.
const WORN = sql<boolean>`(failures >= ${FAILURES_A_DAY} and failures_since >= now() - ${DAY})`

/**
 * Counts a try, as a failure until it proves right, and returns the hash to compare; null where no try is left. The
 * client that asked for the code has tries of its own, which guesses from elsewhere cannot use up.
 */
async function countTry(
  db: PlatformDb,
  realm: CodeRealm,
  email: string,
  network: string,
): Promise<Buffer | null> {
  const own = sql<boolean>`(client = ${network})`
  const row = await db
    .updateTable('login_codes')
    .set({
      tries: sql<number>`tries + ${own}::int`,
      tries_elsewhere: sql<number>`tries_elsewhere + (not ${own})::int`,
      failures: sql<number>`case when failures_since < now() - ${DAY} then 1 else failures + 1 end`,
      failures_since: sql<Date>`case when failures_since < now() - ${DAY} then now() else failures_since end`,
    })
    .where('realm', '=', realm)
    .where('email', '=', email)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .where(
      sql<boolean>`case when ${own} then tries < case when ${WORN} then 1 else ${TRIES}::int end
        else tries_elsewhere < ${TRIES}::int and not ${WORN} end`,
    )
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
