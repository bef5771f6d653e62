import { sql } from 'kysely'
import { randomNonce, randomPKCECodeVerifier } from 'openid-client'
import type { Deps } from '../deps.ts'
import { newToken, tokenHash } from '../ids.ts'
import type { PlatformDb } from '../tables.ts'
import { type Expected, type Provider, signInUrl, signOnRefused } from './openid.ts'

/** An organization's id, or this for the platform's administrators. */
export const ADMINISTRATORS = 'administrators'

/** Begins a sign-in: where to go, and what only this browser knows. Throws `single-sign-on-refused`. */
export async function begin(
  deps: Deps,
  of: string,
  provider: Provider,
): Promise<{ url: string; key: string }> {
  const key = newToken()
  const expected: Expected = {
    state: newToken(),
    nonce: randomNonce(),
    codeVerifier: randomPKCECodeVerifier(),
  }
  const url = await signInUrl(deps, provider, expected)
  await deps.database.db
    .insertInto('single_sign_on_attempts')
    .values({
      state_hash: tokenHash(expected.state),
      key_hash: tokenHash(key),
      provider: of,
      issuer: provider.issuer,
      client_id: provider.clientId,
      nonce: expected.nonce,
      code_verifier: expected.codeVerifier,
      expires_at: sql<Date>`now() + interval '10 minutes'`,
    })
    .execute()
  return { url, key }
}

/**
 * The sign-in at the provider `of`, whose address the person came back to, used up by this. Throws
 * `single-sign-on-refused`, also for the state of another browser, and where the sign-in began at another provider: a
 * malicious one sends people on to another's, to be given the code of that one.
 */
export async function claim(
  { database: { db } }: Deps,
  of: string,
  { key, query }: { key: string; query: string },
): Promise<Expected & { issuer: string; clientId: string }> {
  const state = new URLSearchParams(query).get('state') ?? ''
  const row = await db
    .deleteFrom('single_sign_on_attempts')
    .where('state_hash', '=', tokenHash(state))
    .where('key_hash', '=', tokenHash(key))
    .where('provider', '=', of)
    .where('expires_at', '>', sql<Date>`now()`)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw signOnRefused('attempt-over', 'This sign-in is over. Begin again.')
  const { issuer, client_id: clientId, nonce, code_verifier: codeVerifier } = row
  return { state, nonce, codeVerifier, issuer, clientId }
}

/** Removes sign-ins that nobody came back from. */
export async function pruneAttempts(db: PlatformDb): Promise<void> {
  await db
    .deleteFrom('single_sign_on_attempts')
    .where('expires_at', '<', sql<Date>`now()`)
    .execute()
}
