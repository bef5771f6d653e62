import { FeeBumpTransaction, hash, xdr } from '@stellar/stellar-sdk/base'
import { EvidenceStatement } from '@windlass/contracts/anchor/evidence.ts'
import { CloseStatement } from '@windlass/contracts/anchor/journal.ts'
import { RESERVES_TYPE, ReservesStatement } from '@windlass/contracts/anchor/reserves.ts'
import {
  ChallengeError,
  isPlainChallenge,
  readUnsignedChallenge,
  CHALLENGE_SECONDS,
} from '@windlass/stellar/sep10-challenge.ts'
import { expiryOf, readCall } from '@windlass/stellar/sep45-challenge.ts'
import { createHash } from 'node:crypto'
import Value from 'typebox/value'
import { Refusal } from './refusal.ts'
import { decode, requireTimeBoundsAlone, type Rules } from './transactions.ts'

/** Judges a SEP-10 challenge: the SEP server may have nothing else signed by transaction. Throws {@link Refusal}. */
export function judgeChallenge(envelope: string, rules: Rules): Buffer {
  const { accounts, terms, now } = rules
  const { networkPassphrase, homeDomain, webAuthDomain } = terms
  const expected = { server: accounts.signing, networkPassphrase, homeDomain, webAuthDomain }
  if (!isPlainChallenge(envelope)) {
    const transaction = decode(envelope, rules)
    if (transaction instanceof FeeBumpTransaction)
      throw new Refusal('not-a-challenge', 'What was to be signed is a fee bump.')
    requireTimeBoundsAlone(transaction)
  }
  try {
    // Sequence number 0 is checked by this: the ledger can never apply it.
    const challenge = readUnsignedChallenge(envelope, expected, now)
    if (challenge.expiresAt.getTime() > now.getTime() + (CHALLENGE_SECONDS + 60) * 1_000) {
      throw new ChallengeError('the challenge is valid for too long')
    }
    return challenge.hash
  } catch (error) {
    if (!(error instanceof ChallengeError)) throw error
    throw new Refusal('not-a-challenge', `What was to be signed is not a challenge: ${error.message}.`)
  }
}

/**
 * Judges what the SEP server has signed of a SEP-45 challenge: an authorization of `web_auth_verify` for this anchor,
 * which calls nothing else and is good no longer than a challenge. Whichever contract it names, the signing key owns
 * nothing on the ledger. Throws {@link Refusal}.
 */
export function judgeContractChallenge(preimage: string, { accounts, terms, now }: Rules): Buffer {
  const { networkPassphrase, homeDomain, webAuthDomain } = terms
  try {
    const decoded = xdr.HashIdPreimage.fromXdr(preimage, 'base64')
    if (decoded.type !== 'envelopeTypeSorobanAuthorization')
      throw new ChallengeError('it is no authorization of a call')
    const { networkId, invocation } = decoded.sorobanAuthorization
    if (!Buffer.from(networkId.toBytes()).equals(Buffer.from(hash(networkPassphrase))))
      throw new ChallengeError('it is for another network')
    const { nonce } = readCall(invocation, { server: accounts.signing, homeDomain, webAuthDomain })
    if (expiryOf(nonce).getTime() > now.getTime() + (CHALLENGE_SECONDS + 60) * 1_000)
      throw new ChallengeError('the challenge is valid for too long')
    return Buffer.from(hash(decoded.toXdr()))
  } catch (error) {
    const reason = error instanceof ChallengeError ? error.message : 'it cannot be decoded'
    throw new Refusal('not-a-challenge', `What was to be signed is not a challenge: ${reason}.`)
  }
}

/** Seconds by which the clocks of the signer and a SEP server may differ. */
const CALLBACK_SKEW_SECONDS = 300

/** What is signed of a transaction or an authorization. */
const HASH_BYTES = 32

/**
 * The bytes of a wallet callback's signature. The signer puts them together, and they are never as long as a hash.
 * Throws {@link Refusal}.
 */
export function judgeCallback(
  { time, host, body }: { time: number; host: string; body: string },
  now: Date,
): Buffer {
  if (Math.abs(time - now.getTime() / 1_000) > CALLBACK_SKEW_SECONDS) {
    throw new Refusal('time-bounds', `The callback’s time ${time} is not the present time.`)
  }
  const text = Buffer.from(`${time}.${host}.${body}`)
  if (text.length === HASH_BYTES)
    throw new Refusal('not-a-callback', 'A callback of this length could be the hash of a transaction.')
  return text
}

const RESERVES_SKEW_MS = 300_000

/**
 * The bytes of the signature of a statement of reserves, of a closed period of the journal, or of the evidence of a
 * transaction: those of a message by SEP-53,
 * which are no transaction's hash and no challenge. Only a present statement of this anchor is signed.
 */
export function judgeReserves(message: string, rules: Rules): Buffer {
  const { accounts, terms, now } = rules
  const given = parsed(message)
  if (Value.Check(CloseStatement, given) || Value.Check(EvidenceStatement, given)) {
    if (
      given.distributionAccount !== accounts.distribution ||
      given.networkPassphrase !== terms.networkPassphrase
    )
      throw new Refusal('wrong-account', 'The close or the evidence is of another anchor or network.')
    return bytesAt(message, given.at, now)
  }
  const { type, at, asset, further = [], distributionAccount, networkPassphrase } = statementIn(message)
  if (type !== RESERVES_TYPE) throw new Refusal('not-reserves', 'What was to be signed states no reserves.')
  const isServed = (each: { code: string; issuer: string }) =>
    (terms.furtherAssets ?? []).some(({ code, issuer }) => code === each.code && issuer === each.issuer)
  const own =
    distributionAccount === accounts.distribution &&
    asset.issuer === accounts.issuer &&
    further.every(part => isServed(part.asset))
  if (!own || networkPassphrase !== terms.networkPassphrase)
    throw new Refusal('wrong-account', 'The statement of reserves is of another anchor or network.')
  return bytesAt(message, at, now)
}

function bytesAt(message: string, at: string, now: Date): Buffer {
  if (!(Math.abs(Date.parse(at) - now.getTime()) <= RESERVES_SKEW_MS))
    throw new Refusal('time-bounds', `The statement’s time ${at} is not the present time.`)
  return createHash('sha256').update('Stellar Signed Message:\n').update(message).digest()
}

function statementIn(message: string): ReservesStatement {
  const statement = parsed(message)
  if (Value.Check(ReservesStatement, statement)) return statement
  throw new Refusal('not-reserves', 'What was to be signed states no reserves.')
}

/** Null: it is no JSON. */
function parsed(message: string): unknown {
  try {
    return JSON.parse(message)
  } catch {
    return null
  }
}
