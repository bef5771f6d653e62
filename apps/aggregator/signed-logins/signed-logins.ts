import { Problem, invalid } from '@windlass/service/http/problem.ts'
import type { Rate } from '@windlass/service/http/rates.ts'
import type { Database } from '@windlass/service/postgres/database.ts'
import type { Clock } from '@windlass/service/work/clock.ts'
import { ChallengeError, envelopeBytes, readSignedChallenge } from '@windlass/stellar/sep10-challenge.ts'
import { createHash, randomBytes } from 'node:crypto'
import { demandDatabase } from '../database/demand.ts'
import type { Tables } from '../tables.ts'
import { isPoint, sealForPage } from './seal-for-page.ts'

export interface SignedLoginDeps {
  config: { publicUrl: string }
  database: Database<Tables>
  databaseUp(): boolean
  clock: Clock
  /** Places that one client opens. */
  signedLoginRate: Rate
  /** What one client delivers. */
  signedLoginCallbackRate: Rate
}

const OPEN_MS = 5 * 60_000
/** Places at one time. With the size of what each holds, this bounds what strangers make us keep. */
const MOST_OPEN = 5_000
const LATER_SECONDS = 60

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

interface Announced {
  challengeHash: string
  networkPassphrase: string
  publicKey: string
}

/** Opens a place for the announced challenge. Throws `validation-failed`, `too-many-requests`. */
export async function openLogin(
  deps: SignedLoginDeps,
  { challengeHash, networkPassphrase, publicKey }: Announced,
  client: string,
  most = MOST_OPEN,
): Promise<{ id: string; secret: string; callback: string; expiresAt: string }> {
  demandDatabase(deps)
  await deps.signedLoginRate.demand(client)
  const key = Buffer.from(publicKey, 'base64url')
  if (!isPoint(key)) throw invalid('publicKey', 'must be a point of P-256')
  await requireRoom(deps, most)
  const id = randomBytes(16).toString('base64url')
  const secret = randomBytes(32).toString('base64url')
  const expiresAt = new Date(deps.clock.now().getTime() + OPEN_MS)
  await deps.database.db
    .insertInto('signed_logins')
    .values({
      id,
      secret_hash: digest(secret),
      challenge_hash: Buffer.from(challengeHash, 'hex'),
      network_passphrase: networkPassphrase,
      public_key: key,
      expires_at: expiresAt,
    })
    .execute()
  const callback = `${deps.config.publicUrl}/signed-logins/${id}`
  return { id, secret, callback, expiresAt: expiresAt.toISOString() }
}

async function requireRoom({ database, clock }: SignedLoginDeps, most: number): Promise<void> {
  const open = await database.db
    .selectFrom('signed_logins')
    .select('id')
    .where('expires_at', '>', clock.now())
    .limit(most)
    .execute()
  if (open.length < most) return
  throw new Problem('too-many-requests', 'Too many people are signing in now. Try again in a minute.', {
    headers: { 'retry-after': String(LATER_SECONDS) },
  })
}

/**
 * Takes the announced challenge from a wallet, once, and encrypts it for the page. Throws `not-found` where no page waits,
 * `proof-not-accepted` for anything but that challenge, `too-many-requests`.
 */
export async function deliverLogin(
  deps: SignedLoginDeps,
  id: string,
  xdr: string,
  client: string,
): Promise<void> {
  demandDatabase(deps)
  await deps.signedLoginCallbackRate.demand(client)
  const { db } = deps.database
  const place = await db
    .selectFrom('signed_logins')
    .select(['challenge_hash', 'network_passphrase', 'public_key'])
    .where('id', '=', id)
    .where('expires_at', '>', deps.clock.now())
    .executeTakeFirst()
  if (!place) throw nobodyWaits()
  requireAnnounced(xdr, place.challenge_hash, place.network_passphrase)
  const sealed = sealForPage(place.public_key, id, envelopeBytes(xdr).toString('base64'))
  const { numUpdatedRows } = await db
    .updateTable('signed_logins')
    .set({ sealed })
    .where('id', '=', id)
    .where('sealed', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw refused('this login was delivered before')
}

function requireAnnounced(xdr: string, announced: Buffer, networkPassphrase: string): void {
  const { hash, signatures } = readOrRefuse(xdr, networkPassphrase)
  if (!hash.equals(announced)) throw refused('it is another transaction than the page showed')
  // One is the anchor's own.
  if (signatures.length < 2) throw refused('nobody has signed it but the anchor')
}

function readOrRefuse(xdr: string, networkPassphrase: string) {
  try {
    return readSignedChallenge(xdr, networkPassphrase)
  } catch (error) {
    if (error instanceof ChallengeError) throw refused(error.message)
    throw error
  }
}

const refused = (what: string) => new Problem('proof-not-accepted', `Not accepted: ${what}.`)
const nobodyWaits = () =>
  new Problem('not-found', 'No page waits for this login. It may have ended: ask the page for a new code.')

/** What the wallet delivered, encrypted for the page, which gets it once; null: it has not come. Throws `not-found`. */
export async function collectLogin(
  deps: SignedLoginDeps,
  id: string,
  secret: string,
): Promise<Buffer | null> {
  demandDatabase(deps)
  const { db } = deps.database
  const place = await db
    .selectFrom('signed_logins')
    .select('sealed')
    .where('id', '=', id)
    .where('secret_hash', '=', digest(secret))
    .where('expires_at', '>', deps.clock.now())
    .executeTakeFirst()
  if (!place) throw nobodyWaits()
  if (place.sealed === null) return null
  const taken = await db.deleteFrom('signed_logins').where('id', '=', id).executeTakeFirstOrThrow()
  if (taken.numDeletedRows === 0n) throw nobodyWaits()
  return place.sealed
}

/** Removes places whose time is over. */
export async function pruneLogins({
  database,
  clock,
}: Pick<SignedLoginDeps, 'database' | 'clock'>): Promise<void> {
  await database.db.deleteFrom('signed_logins').where('expires_at', '<=', clock.now()).execute()
}
