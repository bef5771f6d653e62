import { Problem } from '@windlass/service/http/problem.ts'
import type { SealedColumn } from '@windlass/service/seals/seal-again.ts'
import { sql } from 'kysely'
import { randomBytes } from 'node:crypto'
import { qrOf } from '../qr.ts'
import type { Deps } from '../deps.ts'
import type { PlatformDb } from '../tables.ts'
import type { SecondFactor } from './emails.ts'
import { hasSecondFactor, lockPerson, secondFactorAdded, type Person } from './factors.ts'
import { base32, stepOf } from './totp.ts'

const SECRET_BYTES = 20
const FAILURES_A_DAY = 20
const DAY = sql`interval '24 hours'`

const contextOf = ({ realm, subject }: { realm?: string; subject?: string }) =>
  `authenticator-app:${realm}:${subject}`

export const sealedAppSecrets: SealedColumn = {
  table: 'authenticator_apps',
  column: 'secret',
  key: ['realm', 'subject'],
  contextOf,
}

/** A new secret, which counts once a code of it is confirmed. Throws `second-factor-limit`. */
export async function startApp(deps: Deps, person: Person) {
  const secret = randomBytes(SECRET_BYTES)
  const { realm, subject } = person
  const row = {
    secret: deps.sealer.seal(secret.toString('base64'), contextOf(person)),
    created_at: deps.clock.now(),
    last_step: '0',
    failures: 0,
  }
  const written = await deps.database.db
    .insertInto('authenticator_apps')
    .values({ realm, subject, ...row, confirmed_at: null, last_used_at: null })
    .onConflict(conflict =>
      conflict
        .columns(['realm', 'subject'])
        .doUpdateSet(row)
        .where('authenticator_apps.confirmed_at', 'is', null),
    )
    .executeTakeFirstOrThrow()
  if (written.numInsertedOrUpdatedRows !== 1n) {
    throw new Problem('second-factor-limit', 'You have an authenticator app. Remove it to add another one.')
  }
  const text = base32(secret)
  const uri = `otpauth://totp/${encodeURIComponent(`Windlass:${person.email ?? subject}`)}?secret=${text}&issuer=Windlass`
  return { secret: text, uri, qr: qrOf(uri) }
}

/** Adds the app by its first code. Throws `second-factor-not-found`, `second-factor-refused`. */
export async function confirmApp(
  deps: Deps,
  person: Person,
  sessionId: string,
  code: string,
): Promise<{ recoveryCodes?: string[] }> {
  if (!(await isAppCode(deps, person, code, { state: 'unconfirmed' }))) {
    const detail =
      'The code is wrong or was used. Enter the code that the app shows now, and check its clock.'
    throw new Problem('second-factor-refused', detail)
  }
  return deps.database.db.transaction().execute(async tx => {
    await lockPerson(tx, person)
    const isFirst = !(await hasSecondFactor(tx, person))
    const confirmed = await tx
      .updateTable('authenticator_apps')
      .set({ confirmed_at: deps.clock.now() })
      .where('realm', '=', person.realm)
      .where('subject', '=', person.subject)
      .where('confirmed_at', 'is', null)
      .executeTakeFirstOrThrow()
    if (confirmed.numUpdatedRows !== 1n) {
      throw new Problem('second-factor-not-found', 'Ask for a new secret first.')
    }
    return secondFactorAdded(deps, tx, person, sessionId, { factor: 'authenticator-app', isFirst })
  })
}

/** Whether the code is right. It counts once; after 20 wrong ones in a day none does. */
export async function isAppCode(
  deps: Deps,
  person: Person,
  typed: string,
  {
    state = 'confirmed',
    isCounted = true,
  }: { state?: 'confirmed' | 'unconfirmed'; isCounted?: boolean } = {},
): Promise<boolean> {
  const { db } = deps.database
  const mine = sql<boolean>`(realm = ${person.realm} and subject = ${person.subject}
    and (confirmed_at is not null) = ${state === 'confirmed'})`
  const failed = isCounted ? 1 : 0
  // Counted as a failure until it proves right, so that parallel guesses count too.
  const row = await db
    .updateTable('authenticator_apps')
    .set({
      failures: sql<number>`case when failures_since < now() - ${DAY} then ${failed} else failures + ${failed} end`,
      failures_since: sql<Date>`case when failures_since < now() - ${DAY} then now() else failures_since end`,
    })
    .where(mine)
    .where(
      sql<boolean>`(not ${isCounted} or failures < ${FAILURES_A_DAY} or failures_since < now() - ${DAY})`,
    )
    .returning('secret')
    .executeTakeFirst()
  if (!row) return false
  const secret = Buffer.from(deps.sealer.open(row.secret, contextOf(person)), 'base64')
  const step = stepOf(secret, typed.replace(/[\s-]/g, ''), deps.clock.now())
  if (step === null) return false
  const used = await db
    .updateTable('authenticator_apps')
    .set({
      last_step: String(step),
      failures: sql<number>`greatest(failures - ${failed}, 0)`,
      last_used_at: deps.clock.now(),
    })
    .where(mine)
    .where('secret', '=', row.secret)
    .where('last_step', '<', String(step))
    .executeTakeFirstOrThrow()
  return used.numUpdatedRows === 1n
}

/** What was removed; null where the person has no app. */
export async function deleteApp(tx: PlatformDb, { realm, subject }: Person): Promise<SecondFactor | null> {
  const { numDeletedRows } = await tx
    .deleteFrom('authenticator_apps')
    .where('realm', '=', realm)
    .where('subject', '=', subject)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n ? 'authenticator-app' : null
}
