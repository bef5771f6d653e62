import { normalizedEmail } from '../mail/email.ts'
import { clientNetwork } from '@windlass/service/client-address.ts'
import { Problem } from '@windlass/service/problem.ts'
import { createRate } from '@windlass/service/rates.ts'
import { sql } from 'kysely'
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
    if (!(await useCode(deps.database.db, realm, email, given, clientNetwork(clientAddress)))) {
      throw new Problem('code-not-accepted', 'The code is wrong, used or expired. Request a new one.')
    }
    return email
  }
}

// A day's failures, by whomever: from then on only the client that asked for a code may enter it, once.
const WORN = sql<boolean>`(failures >= ${FAILURES_A_DAY} and failures_since >= now() - ${DAY})`

/**
 * Uses the code where it is right, else counts the try as a failure; nothing happens where no try is left. One statement:
 * of many at once, five are tried and one succeeds. The client that asked for the code has tries of its own, which
 * guesses from elsewhere cannot use up. Comparing keyed hashes in the database says nothing of the code by its timing.
 */
async function useCode(
  db: PlatformDb,
  realm: CodeRealm,
  email: string,
  hash: Buffer,
  network: string,
): Promise<boolean> {
  const own = sql<boolean>`(client = ${network})`
  const right = sql<boolean>`(code_hash = ${hash})`
  const wrong = sql<number>`(code_hash <> ${hash})::int`
  const row = await db
    .updateTable('login_codes')
    .set({
      tries: sql<number>`tries + ${own}::int`,
      tries_elsewhere: sql<number>`tries_elsewhere + (not ${own})::int`,
      failures: sql<number>`case when failures_since < now() - ${DAY} then 0 else failures end + ${wrong}`,
      failures_since: sql<Date>`case when failures_since < now() - ${DAY} then now() else failures_since end`,
      used_at: sql<Date | null>`case when ${right} then now() end`,
    })
    .where('realm', '=', realm)
    .where('email', '=', email)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .where(
      sql<boolean>`case when ${own} then tries < case when ${WORN} then 1 else ${TRIES}::int end
        else tries_elsewhere < ${TRIES}::int and not ${WORN} end`,
    )
    .returning('used_at')
    .executeTakeFirst()
  return row !== undefined && row.used_at !== null
}
