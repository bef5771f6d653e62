import type { PasskeyCredential } from '@windlass/contracts/platform/second-factors.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type AuthenticatorTransportFuture,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { createHash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import type { PlatformDb } from '../tables.ts'
import type { SecondFactor } from './emails.ts'
import { hasSecondFactor, lockPerson, secondFactorAdded, type Person } from './factors.ts'

const MOST_PASSKEYS = 10
const CHALLENGE_MINUTES = 5

/** Passkeys belong to the console's host: the one that the browser says it is on, if it is ours. */
function relyingParty({ config }: Deps, { realm }: Person, request: FastifyRequest) {
  const { adminConsole, founderConsole } = config.urls
  const own = new URL(realm === 'admin' ? adminConsole : founderConsole).origin
  const given = request.headers.origin
  const origin = given !== undefined && config.web.origins[realm].includes(given) ? given : own
  return { origin, rpId: new URL(origin).hostname }
}

type Options = Record<string, unknown>

/** What the browser needs to create a passkey. Throws `second-factor-limit`. */
export async function passkeyOptions(
  deps: Deps,
  person: Person,
  sessionId: string,
  request: FastifyRequest,
): Promise<Options> {
  const { db } = deps.database
  const { rpId } = relyingParty(deps, person, request)
  const known = await passkeysOf(db, person)
  refuseMore(known.length)
  const options = await generateRegistrationOptions({
    rpName: 'Windlass',
    rpID: rpId,
    userName: person.email ?? person.subject,
    // Names the person to the authenticator and says nothing about them.
    userID: createHash('sha256').update(`${person.realm}:${person.subject}`).digest(),
    attestationType: 'none',
    excludeCredentials: known.map(describeKey),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    timeout: CHALLENGE_MINUTES * 60_000,
  })
  await keepChallenge(db, sessionId, 'add', options.challenge)
  return { ...options }
}

/** Adds a passkey that the browser created. Throws `second-factor-refused`, `second-factor-limit`. */
export async function addPasskey(
  deps: Deps,
  person: Person,
  sessionId: string,
  { name, passkey }: { name: string; passkey: PasskeyCredential },
  request: FastifyRequest,
): Promise<{ recoveryCodes?: string[] }> {
  const { origin, rpId } = relyingParty(deps, person, request)
  const challenge = await useChallenge(deps.database.db, sessionId, 'add')
  const found = await verifyRegistrationResponse({
    response: { ...passkey, clientExtensionResults: {} } as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: false,
  }).catch(() => null)
  if (!found?.verified) throw refused()
  const { credential } = found.registrationInfo
  return deps.database.db.transaction().execute(async tx => {
    await lockPerson(tx, person)
    refuseMore((await passkeysOf(tx, person)).length)
    const isFirst = !(await hasSecondFactor(tx, person))
    const inserted = await tx
      .insertInto('passkeys')
      .values({
        id: newId('pky'),
        realm: person.realm,
        subject: person.subject,
        name,
        credential_id: credential.id,
        rp_id: rpId,
        public_key: Buffer.from(credential.publicKey),
        counter: String(credential.counter),
        transports: passkey.response.transports ?? [],
        created_at: deps.clock.now(),
        last_used_at: null,
      })
      .onConflict(conflict => conflict.column('credential_id').doNothing())
      .executeTakeFirstOrThrow()
    if (inserted.numInsertedOrUpdatedRows !== 1n) throw refused()
    return secondFactorAdded(deps, tx, person, sessionId, { factor: { passkey: name }, isFirst })
  })
}

/** What the browser needs to use one of the person's passkeys of this console; null where there is none. */
export async function passkeyChallenge(
  deps: Deps,
  person: Person,
  sessionId: string,
  request: FastifyRequest,
): Promise<Options | null> {
  const { db } = deps.database
  const { rpId } = relyingParty(deps, person, request)
  const usable = (await passkeysOf(db, person)).filter(row => row.rp_id === rpId)
  if (usable.length === 0) return null
  const options = await generateAuthenticationOptions({
    rpID: rpId,
    allowCredentials: usable.map(describeKey),
    userVerification: 'preferred',
    timeout: CHALLENGE_MINUTES * 60_000,
  })
  await keepChallenge(db, sessionId, 'use', options.challenge)
  return { ...options }
}

/** Whether the browser signed this session's challenge with a passkey of the person. The challenge is used up. */
export async function isPasskey(
  deps: Deps,
  person: Person,
  sessionId: string,
  passkey: PasskeyCredential,
  request: FastifyRequest,
): Promise<boolean> {
  const { db } = deps.database
  const { origin, rpId } = relyingParty(deps, person, request)
  const challenge = await useChallenge(db, sessionId, 'use')
  const row = (await passkeysOf(db, person)).find(({ credential_id }) => credential_id === passkey.id)
  if (!row) return false
  const found = await verifyAuthenticationResponse({
    response: { ...passkey, clientExtensionResults: {} } as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    credential: {
      ...describeKey(row),
      publicKey: new Uint8Array(row.public_key),
      counter: Number(row.counter),
    },
    requireUserVerification: false,
  }).catch(() => null)
  if (!found?.verified) return false
  const { newCounter } = found.authenticationInfo
  // Again in the row: two signatures checked at once may not both count. 0 means that the key does not count.
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({ counter: String(newCounter), last_used_at: deps.clock.now() })
    .where('id', '=', row.id)
    .where(sql<boolean>`(counter < ${newCounter} or (counter = 0 and ${newCounter} = 0))`)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** The name of the passkey that was removed; null where the person has none with this id. */
export async function deletePasskey(
  tx: PlatformDb,
  { realm, subject }: Person,
  id: string,
): Promise<SecondFactor | null> {
  const row = await tx
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('realm', '=', realm)
    .where('subject', '=', subject)
    .returning('name')
    .executeTakeFirst()
  return row ? { passkey: row.name } : null
}

const passkeysOf = (db: PlatformDb, { realm, subject }: Person) =>
  db.selectFrom('passkeys').selectAll().where('realm', '=', realm).where('subject', '=', subject).execute()

const describeKey = (row: { credential_id: string; transports: string[] }) => ({
  id: row.credential_id,
  transports: row.transports as AuthenticatorTransportFuture[],
})

function refuseMore(count: number): void {
  if (count < MOST_PASSKEYS) return
  const detail = `You have ${MOST_PASSKEYS} passkeys. Remove one that you no longer use, then try again.`
  throw new Problem('second-factor-limit', detail)
}

const refused = () =>
  new Problem('second-factor-refused', 'The passkey could not be verified. Try again with a new request.')

async function keepChallenge(
  db: PlatformDb,
  sessionId: string,
  purpose: 'add' | 'use',
  challenge: string,
): Promise<void> {
  const row = { challenge, expires_at: sql<Date>`now() + ${CHALLENGE_MINUTES} * interval '1 minute'` }
  await db
    .insertInto('passkey_challenges')
    .values({ session_id: sessionId, purpose, ...row })
    .onConflict(conflict => conflict.columns(['session_id', 'purpose']).doUpdateSet(row))
    .execute()
}

/** Each challenge counts once, whether what it was used for succeeds or not. */
async function useChallenge(db: PlatformDb, sessionId: string, purpose: 'add' | 'use'): Promise<string> {
  const row = await db
    .deleteFrom('passkey_challenges')
    .where('session_id', '=', sessionId)
    .where('purpose', '=', purpose)
    .returning(['challenge', sql<boolean>`expires_at > now()`.as('alive')])
    .executeTakeFirst()
  if (!row?.alive) throw refused()
  return row.challenge
}
