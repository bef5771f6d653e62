import { Transaction, TransactionBuilder, xdr, type FeeBumpTransaction } from '@stellar/stellar-sdk/base'
import { randomBytes } from 'node:crypto'
import { isAccount, muxedParts } from './addresses.ts'
import {
  type ChallengeBytes,
  type ChallengeParts,
  type DataEntry,
  type DecoratedSignature,
  envelopeOf,
  readChallengeBytes,
  writeChallenge,
} from './challenge-bytes.ts'
import { verifierFromAddress, type Signer, type Verifier } from './ed25519.ts'

/** How long a challenge may be signed and brought back, in seconds (SEP-10 recommends 15 minutes). */
export const CHALLENGE_SECONDS = 900

/** The challenge or an answer to it is not right; the message is for its sender. */
export class ChallengeError extends Error {}

/** Its time is over, or still to come, by the reader’s clock: a new challenge may be in time. */
export class ChallengeTimeError extends ChallengeError {}

/** Whether an anchor says that its challenge was not answered in time. SEP-10 has a text for it and no code. */
export const saysExpired = (text: string): boolean =>
  // oxlint-disable-next-line compared-sentences/by-codes -- anchors give no code for this.
  /\b(expired|timebounds|not yet valid|valid yet)\b/i.test(text)

/** What both ends of a challenge agree on. */
export interface ChallengeTerms {
  server: string
  networkPassphrase: string
  homeDomain: string
  webAuthDomain: string
}

export interface ChallengeRequest {
  /** `G…` or `M…` */
  account: string
  /** An id memo (a 64-bit number as text); never beside a muxed account. */
  memo?: string
  client?: { domain: string; signingKey: string }
  /** What the signer should read before signing: names to values, which are cut to 64 bytes. */
  statements?: Readonly<Record<string, string>>
}

/** A challenge that came back: well-formed, ours, in time. Whose signatures it bears is another question. */
export interface ReadChallenge {
  account: string
  memo: string | null
  clientDomain: string | null
  clientSigningKey: string | null
  /** The transaction's hash: what is signed, and what a challenge is remembered by. */
  hash: Buffer
  expiresAt: Date
  signatures: readonly DecoratedSignature[]
  /** The one of this server, where it was checked. */
  own?: DecoratedSignature
}

/** Throws {@link ChallengeError} unless the account is `G…` or `M…` and the memo an id beside `G…` only. */
function checkChallengeRequest({ account, memo }: ChallengeRequest): void {
  const isPlain = account.startsWith('G') && isAccount(account)
  const muxed = !isPlain && muxedParts(account) !== null
  if (!isPlain && !muxed) throw new ChallengeError('account must be a Stellar account (G… or M…)')
  if (memo === undefined) return
  if (muxed) throw new ChallengeError('memo must not be given beside a muxed account')
  if (!/^\d{1,20}$/.test(memo) || BigInt(memo) >= 2n ** 64n) {
    throw new ChallengeError('memo must be of type id: a whole number of 64 bits')
  }
}

/** The signed challenge (SEP-10): sequence 0, good for 15 minutes from `now`. Base64 XDR. */
export function buildChallenge(
  signer: Signer,
  terms: ChallengeTerms,
  request: ChallengeRequest,
  now: Date,
): string {
  const challenge = prepareChallenge(signer.address, terms, request, now)
  return signedEnvelope(challenge, signer.hint, signer.sign(challenge.hash))
}

/** As {@link buildChallenge}, for the signature of the account `server` that is still to come. */
export function prepareChallenge(
  server: string,
  terms: ChallengeTerms,
  request: ChallengeRequest,
  now: Date,
): ChallengeBytes {
  checkChallengeRequest(request)
  const seconds = Math.floor(now.getTime() / 1000)
  const { account, memo = null, client, statements = {} } = request
  const nonce = randomBytes(48).toString('base64')
  const entries: DataEntry[] = [
    { source: account, name: `${terms.homeDomain} auth`, value: nonce },
    { source: server, name: 'web_auth_domain', value: terms.webAuthDomain },
    ...(client ? [{ source: client.signingKey, name: 'client_domain', value: client.domain }] : []),
    ...Object.entries(statements).map(([name, value]) => ({ source: server, name, value: cut(value) })),
  ]
  const parts = { source: server, sequence: '0', minTime: seconds, maxTime: seconds + CHALLENGE_SECONDS }
  return writeChallenge({ ...parts, memo, entries }, terms.networkPassphrase)
}

/** Base64 XDR of a challenge that nobody has signed. */
export const unsignedEnvelope = (challenge: ChallengeBytes): string => envelopeOf(challenge, [])

/** Base64 XDR of a challenge with the server's signature. */
export const signedEnvelope = (challenge: ChallengeBytes, hint: Buffer, signature: Buffer): string =>
  envelopeOf(challenge, [{ hint, signature }])

/** At most 64 bytes, which is what a data entry has, without half a character at the end. */
function cut(text: string): string {
  let short = text
  while (Buffer.byteLength(short) > 64) short = short.slice(0, -1)
  return short.isWellFormed() ? short : short.slice(0, -1)
}

/** The same envelope with one more signature: what a wallet does. Throws {@link ChallengeError} for what is no challenge. */
export function signChallenge(envelope: string, networkPassphrase: string, signer: Signer): string {
  return withSignature(parse(envelopeBytes(envelope), networkPassphrase), signer)
}

function withSignature(transaction: Transaction, signer: Signer): string {
  transaction.addDecoratedSignature(
    new xdr.DecoratedSignature({
      hint: new xdr.SignatureHint(signer.hint),
      signature: new xdr.Signature(signer.sign(transaction.hash())),
    }),
  )
  return transaction.toEnvelope().toXdr('base64').toString()
}

/** The home domain that a challenge says it is for; null for what is no challenge. Nothing else of it is checked. */
export function homeDomainOf(envelope: string): string | null {
  try {
    // The network is of no interest: nothing is hashed.
    const [first] = partsOf(envelope, '').entries
    return /^(.+) auth$/.exec(first?.name ?? '')?.[1] ?? null
  } catch (error) {
    if (error instanceof ChallengeError) return null
    throw error
  }
}

/**
 * Reads a challenge back and holds it against every demand of SEP-10 but the client's signatures. With `grace` it may
 * have ended that many seconds ago: where it proves that someone logged in, and does not log anybody in.
 */
export function readChallenge(envelope: string, terms: ChallengeTerms, now: Date, grace = 0): ReadChallenge {
  const challenge = readUnsignedChallenge(envelope, terms, now, grace)
  const verifier = verifierOf(terms.server)
  const own = challenge.signatures.find(each => matches(verifier, challenge.hash, each))
  if (!own) throw new ChallengeError('the challenge is not signed by this server')
  return { ...challenge, own }
}

const verifiers = new Map<string, Verifier>()
const MOST_VERIFIERS = 50

/** A server's verifier, which is kept: it checks many. */
function verifierOf(server: string): Verifier {
  const known = verifiers.get(server)
  if (known) return known
  const verifier = verifierFromAddress(server)
  if (verifiers.size >= MOST_VERIFIERS) verifiers.clear()
  verifiers.set(server, verifier)
  return verifier
}

/** As {@link readChallenge}, whether the server has signed it or not. */
export function readUnsignedChallenge(
  envelope: string,
  terms: ChallengeTerms,
  now: Date,
  grace = 0,
): ReadChallenge {
  const parts = partsOf(envelope, terms.networkPassphrase)
  if (parts.source !== terms.server) throw new ChallengeError('the challenge is not one of this server')
  if (parts.sequence !== '0') throw new ChallengeError('the sequence number must be 0')
  const expiresAt = checkTime(parts, now, grace)
  const [first, ...others] = parts.entries
  if (!first) throw new ChallengeError('the challenge has no operation')
  if (!first.source) throw new ChallengeError('the first operation must have a source account')
  if (first.name !== `${terms.homeDomain} auth`) {
    throw new ChallengeError(`the challenge is not for the home domain ${terms.homeDomain}`)
  }
  if (Buffer.from(first.value, 'base64').length !== 48 || first.value.length !== 64) {
    throw new ChallengeError('the challenge must carry 48 random bytes, base64-coded')
  }
  const client = readOthers(others, terms)
  const { hash, signatures } = parts
  const memo = parts.memoOf(first.source)
  return { account: first.source, memo, ...client, hash, expiresAt, signatures }
}

/**
 * The hash of any anchor's challenge, and who claims to have signed it. It is one in that it cannot be submitted: its sequence
 * number is 0, and it only manages data. Throws {@link ChallengeError} for every other transaction.
 */
export function readSignedChallenge(
  envelope: string,
  networkPassphrase: string,
): Pick<ReadChallenge, 'hash' | 'signatures'> {
  const { sequence, hash, signatures } = partsOf(envelope, networkPassphrase)
  if (sequence !== '0') throw new ChallengeError('the sequence number must be 0')
  return { hash, signatures }
}

/** Whether an envelope has the shape of a challenge, with time bounds as its only precondition. */
export const isPlainChallenge = (envelope: string): boolean => {
  try {
    return readChallengeBytes(envelopeBytes(envelope), '') !== null
  } catch {
    return false
  }
}

interface Entry extends Omit<DataEntry, 'source'> {
  source: string | undefined
}

interface Parts extends Pick<ChallengeParts, 'source' | 'sequence' | 'minTime' | 'maxTime'> {
  entries: readonly Entry[]
  hash: Buffer
  signatures: readonly DecoratedSignature[]
  /** Throws {@link ChallengeError} for a memo that is no id, or stands beside a muxed account. */
  memoOf(account: string): string | null
}

function partsOf(envelope: string, passphrase: string): Parts {
  const bytes = envelopeBytes(envelope)
  const read = readChallengeBytes(bytes, passphrase)
  if (read) {
    const { memo } = read
    return { ...read, memoOf: account => (memo === null ? null : idOf('id', memo, account)) }
  }
  const transaction = parse(bytes, passphrase)
  const { source, sequence, timeBounds, memo } = transaction
  return {
    ...{ source, sequence },
    minTime: Number(timeBounds?.minTime ?? 0),
    maxTime: Number(timeBounds?.maxTime ?? 0),
    entries: transaction.operations.map(asManageData),
    hash: Buffer.from(transaction.hash()),
    signatures: transaction.signatures.map(({ hint, signature }) => ({
      hint: Buffer.from(hint.toBytes()),
      signature: Buffer.from(signature.toBytes()),
    })),
    memoOf: account => (memo.type === 'none' ? null : idOf(memo.type, String(memo.value), account)),
  }
}

export interface AccountSigner {
  /** `G…`; signers of other types cannot sign a challenge. */
  key: string
  weight: number
}

/**
 * Throws {@link ChallengeError} unless the signatures of `signers` reach `threshold`, at least one is there, the
 * client domain's key signed where one is named, and no signature is anybody else's.
 */
export function checkSigners(
  challenge: ReadChallenge,
  server: string,
  signers: readonly AccountSigner[],
  threshold: number,
): void {
  const left = challenge.signatures.filter(each => each !== challenge.own)
  const take = (address: string): boolean => {
    const verifier = verifierFromAddress(address)
    const at = left.findIndex(each => matches(verifier, challenge.hash, each))
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  }
  if (!challenge.own) take(server)
  const able = signers.filter(({ key, weight }) => key !== server && weight > 0 && key.startsWith('G'))
  const present = able.filter(({ key }) => take(key))
  if (present.length === 0) throw new ChallengeError("the challenge is not signed by the account's signers")
  const { clientSigningKey } = challenge
  const clientSigned = clientSigningKey === null || present.some(({ key }) => key === clientSigningKey)
  if (!clientSigned && !take(clientSigningKey)) {
    throw new ChallengeError("the challenge is not signed by the client domain's key")
  }
  if (left.length > 0) throw new ChallengeError('the challenge bears a signature of someone else')
  const weight = present.reduce((sum, signer) => sum + signer.weight, 0)
  if (weight < threshold) {
    throw new ChallengeError(`the signatures weigh ${weight}, less than the threshold of ${threshold}`)
  }
}

/** The bytes of an envelope in base64. Throws {@link ChallengeError} where it is none. */
export function envelopeBytes(envelope: string): Buffer {
  // A form that was not coded turns each + into a space.
  const base64 = envelope.trim().replaceAll(' ', '+')
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(base64)) throw unreadable()
  return Buffer.from(base64, 'base64')
}

const unreadable = () => new ChallengeError('transaction is not a transaction envelope in base64 XDR')

function parse(bytes: Buffer, passphrase: string): Transaction {
  const transaction = decode(bytes, passphrase)
  if (transaction instanceof Transaction) return transaction
  throw new ChallengeError('transaction must not be a fee bump')
}

function decode(bytes: Buffer, passphrase: string): Transaction | FeeBumpTransaction {
  try {
    return TransactionBuilder.fromXdr(bytes.toString('base64'), passphrase)
  } catch {
    throw unreadable()
  }
}

function asManageData(operation: Transaction['operations'][number]): Entry {
  if (operation.type !== 'manageData' || !operation.value) {
    throw new ChallengeError('every operation must be manageData with a value')
  }
  const { source, name, value } = operation
  return { source, name, value: Buffer.from(value).toString('utf8') }
}

function readOthers(entries: readonly Entry[], terms: ChallengeTerms) {
  let clientDomain: string | null = null
  let clientSigningKey: string | null = null
  for (const { source, name, value } of entries) {
    if (name === 'client_domain') {
      if (clientDomain !== null) throw new ChallengeError('client_domain stands twice')
      if (!source) throw new ChallengeError('client_domain has no source account')
      clientDomain = value
      clientSigningKey = source
    } else if (source !== terms.server) {
      throw new ChallengeError("every further operation must have the server's account as its source")
    } else if (name === 'web_auth_domain' && value !== terms.webAuthDomain) {
      throw new ChallengeError(`web_auth_domain must be ${terms.webAuthDomain}`)
    }
  }
  return { clientDomain, clientSigningKey }
}

/** Clocks of two machines differ: a challenge that was just issued may begin in the reader's future. */
const START_SKEW_SECONDS = 10

function checkTime({ minTime: min, maxTime: max }: Parts, now: Date, grace: number): Date {
  const seconds = now.getTime() / 1000
  if (max === 0) throw new ChallengeError('the challenge must have an end')
  if (seconds < min - START_SKEW_SECONDS) {
    throw new ChallengeTimeError('the challenge is not valid yet: check the clocks of both machines')
  }
  if (seconds > max + grace) throw new ChallengeTimeError('the challenge has expired')
  return new Date(max * 1000)
}

function idOf(type: string, value: string, account: string): string {
  if (account.startsWith('M')) throw new ChallengeError('a memo must not stand beside a muxed account')
  if (type !== 'id') throw new ChallengeError('the memo must be of type id')
  return value
}

const matches = (verifier: Verifier, hash: Buffer, each: ReadChallenge['signatures'][number]) =>
  verifier.hint.equals(each.hint) && verifier.verify(hash, each.signature)
