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
 * The sign-in that a callback answers, used up by this. The realm says which: an organization's callback ends none of
 * administrators. Throws `single-sign-on-refused`, also for the state of another browser.
 */
export async function claim(
  { database: { db } }: Deps,
  realm: 'operator' | 'admin',
  { key, query }: { key: string; query: string },
): Promise<Expected & { provider: string; issuer: string; clientId: string }> {
  const state = new URLSearchParams(query).get('state') ?? ''
  const row = await db
    .deleteFrom('single_sign_on_attempts')
    .where('state_hash', '=', tokenHash(state))
    .where('key_hash', '=', tokenHash(key))
    .where('provider', realm === 'admin' ? '=' : '<>', ADMINISTRATORS)
    .where('expires_at', '>', sql<Date>`now()`)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw signOnRefused('attempt-over', 'This sign-in is over. Begin again.')
  const { provider, issuer, client_id: clientId, nonce, code_verifier: codeVerifier } = row
  return { state, nonce, codeVerifier, provider, issuer, clientId }
}

/** Removes sign-ins that nobody came back from. */
export async function pruneAttempts(db: PlatformDb): Promise<void> {
  await db
    .deleteFrom('single_sign_on_attempts')
    .where('expires_at', '<', sql<Date>`now()`)
    .execute()
}
