import { Transaction, WebAuth } from '@stellar/stellar-sdk'
import { ChallengeError } from './errors.ts'

/** Holds the account's key: the key stays there. */
export interface Signer {
  /** `G…`, `M…`, or `C…` of a contract account */
  readonly address: string
  /**
   * Returns the same transaction envelope (base64 XDR) with the account's signature added. Of a contract account it gets
   * an authorization entry instead (`SorobanAuthorizationEntry`, base64 XDR), and returns it with the signature that the
   * account's code expects and the ledger until which it is good.
   */
  sign(xdr: string, network: { networkPassphrase: string }): Promise<string> | string
}

export interface ExpectedChallenge {
  /** Key of the anchor, as routing returned it: the challenge must bear its signature. */
  signingKey: string
  networkPassphrase: string
  homeDomain: string
  /** The address that the challenge came from. */
  webAuth: string
  memo?: string | undefined
}

/**
 * Signs a SEP-10 challenge after all of its checks: from this anchor, for this account, home domain and network, in
 * time, and unable to have an effect on the ledger. Throws {@link ChallengeError}, in which case nothing was signed or
 * the signer returned something else than the challenge.
 */
export async function signChallenge(
  xdr: string,
  expected: ExpectedChallenge,
  signer: Signer,
): Promise<string> {
  const { networkPassphrase } = expected
  const challenge = readChallenge(xdr, expected)
  if (challenge.clientAccountID !== signer.address)
    throw new ChallengeError('The challenge is for another account.')
  if ((challenge.memo ?? undefined) !== expected.memo)
    throw new ChallengeError('The challenge is for another memo.')
  // An unknown operation could name a domain that the wallet did not choose to speak for.
  const names = challenge.tx.operations.slice(1).map(operation => 'name' in operation && operation.name)
  if (names.some(name => name !== 'web_auth_domain'))
    throw new ChallengeError('The challenge has an operation that was not asked for.')
  const signed = await signer.sign(xdr, { networkPassphrase })
  if (hashOf(signed, networkPassphrase) !== hashOf(xdr, networkPassphrase))
    throw new ChallengeError('The signer returned another transaction than the challenge.')
  return signed
}

/** What a page shows of a challenge that is signed in a wallet elsewhere: whose login it is, and the hash in hexadecimal. */
export function describeChallenge(
  xdr: string,
  networkPassphrase: string,
): { homeDomain: string; hash: string } {
  const transaction = new Transaction(xdr, networkPassphrase)
  const [login] = transaction.operations
  const name = login && 'name' in login ? String(login.name) : ''
  const hash = Array.from(transaction.hash(), byte => byte.toString(16).padStart(2, '0')).join('')
  return { homeDomain: name.replace(/ auth$/, ''), hash }
}

function readChallenge(xdr: string, expected: ExpectedChallenge) {
  const { signingKey, networkPassphrase, homeDomain, webAuth } = expected
  try {
    return WebAuth.readChallengeTx(xdr, signingKey, networkPassphrase, homeDomain, new URL(webAuth).host)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ChallengeError(`The challenge of ${homeDomain} is not valid: ${reason}`, cause)
  }
}

function hashOf(xdr: string, networkPassphrase: string): string {
  try {
    return Array.from(new Transaction(xdr, networkPassphrase).hash()).join()
  } catch (cause) {
    throw new ChallengeError('The signer did not return a transaction.', cause)
  }
}
