import { normalizedEmail } from '../mail/email.ts'
import { clientNetwork } from '@windlass/service/http/client-address.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createRate } from '@windlass/service/http/rates.ts'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { PlatformDb } from '../tables.ts'
import type { CodePurpose, CodeRealm } from '../sign-in-tables.ts'
import { codeHash, type CodeUse, placeOf, readCode } from './code.ts'

const TRIES = 5
const FAILURES_A_DAY = 100
const DAY = sql`interval '24 hours'`

/**
 * Uses a code and returns the address it proves. Throws `code-not-accepted`, the same for every reason: also where the
 * code is for something else or was asked for elsewhere.
 */
type VerifyCode = (email: string, code: string, clientAddress: string) => Promise<string>

/** Verifies codes that our own pages asked for. */
export function codeVerification(deps: Deps, realm: CodeRealm, purpose: CodePurpose): VerifyCode {
  const verify = anyCodeVerification(deps, realm)
  return (...typed) => verify({ realm, purpose, anchorId: null }, ...typed)
}

/** Verifies sign-in codes that an anchor's page asked for. */
export function anchorCodeVerification(
  deps: Deps,
): (anchorId: string, ...typed: Parameters<VerifyCode>) => Promise<string> {
  const verify = anyCodeVerification(deps, 'customer')
  return (anchorId, ...typed) => verify({ realm: 'customer', purpose: 'sign-in', anchorId }, ...typed)
}

function anyCodeVerification(deps: Deps, realm: CodeRealm) {
  const verifications = createRate(deps.database.pool, `${realm}-verify`, 30 * deps.config.rateFactor, 300)
  return async (use: CodeUse, ...[typedEmail, typedCode, clientAddress]: Parameters<VerifyCode>) => {
    await verifications.demand(clientAddress)
    const email = normalizedEmail(typedEmail)
    const given = codeHash(deps.config.otpKey, use, email, readCode(typedCode))
    if (!(await useCode(deps.database.db, use, email, given, clientNetwork(clientAddress)))) {
      throw new Problem('code-not-accepted', 'The code is wrong, used or expired. Request a new one.')
    }
    return email
  }
}

/**
 * Uses the code where it is right and for this use, else counts the try as a failure; nothing happens where no try is
 * left. One statement: of many at once, five are tried and one succeeds. The client that asked for the code has tries of
 * its own, which guesses from elsewhere cannot use up, and neither can tries at another place. After a day's failures, by
 * whomever, only that client may enter the code, once. Comparing keyed hashes in the database says nothing of the code by
 * its timing.
 */
async function useCode(
  db: PlatformDb,
  use: CodeUse,
  email: string,
  hash: Buffer,
  network: string,
): Promise<boolean> {
  const { realm, purpose } = use
  const here = sql<boolean>`(purpose = ${purpose} and place = ${placeOf(use)})`
  const own = sql<boolean>`(client = ${network})`
  const right = sql<boolean>`(${here} and code_hash = ${hash})`
  const { rows } = await sql<{ used: boolean }>`
    with worn as (
      select 1 from code_failures
      where realm = ${realm} and email = ${email} and failures >= ${FAILURES_A_DAY} and since >= now() - ${DAY}
    ), tried as (
      update emailed_codes set
        tries = tries + (${here} and ${own})::int,
        tries_elsewhere = tries_elsewhere + (${here} and not ${own})::int,
        tries_misplaced = tries_misplaced + (not ${here})::int,
        used_at = case when ${right} then now() end
      where realm = ${realm} and email = ${email} and used_at is null and expires_at > now()
        and case when not ${here} then tries_misplaced < ${TRIES}
          when ${own} then tries < case when exists (select from worn) then 1 else ${TRIES}::int end
          else tries_elsewhere < ${TRIES}::int and not exists (select from worn) end
      returning used_at is not null as used
    ), failed as (
      insert into code_failures as f (realm, email, failures, since)
      select ${realm}, ${email}, 1, now()
      where exists (select from tried) and not exists (select from tried where used)
      on conflict (realm, email) do update set
        failures = case when f.since < now() - ${DAY} then 1 else f.failures + 1 end,
        since = case when f.since < now() - ${DAY} then now() else f.since end
    )
    select used from tried where used`.execute(db)
  return rows.length > 0
}
