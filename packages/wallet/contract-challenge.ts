import * as sdk from '@stellar/stellar-sdk'
import { Address, hash, Keypair, scValToNative, xdr } from '@stellar/stellar-sdk'
import type { ExpectedChallenge, Signer } from './challenge.ts'
import { ChallengeError, UnsupportedError } from './errors.ts'

export interface ExpectedContractChallenge extends Omit<ExpectedChallenge, 'memo'> {
  /** `C…`: the anchor's web authentication contract, as routing returned it. */
  contract: string
}

type Entry = xdr.SorobanAuthorizationEntry

/**
 * Has the account's entry of a SEP-45 challenge signed after all checks: from this anchor, for this account, home domain,
 * contract and network, without further calls, and with nobody else's entry but the anchor's own. Throws
 * {@link ChallengeError}, in which case nothing was signed or the signer returned something else than the entry, and
 * {@link UnsupportedError} with an older Stellar SDK.
 */
export async function signContractChallenge(
  entries: string,
  expected: ExpectedContractChallenge,
  signer: Signer,
): Promise<string> {
  if (!('buildAuthorizationEntryPreimage' in sdk))
    throw new UnsupportedError('Contract accounts log in with @stellar/stellar-sdk 17 or newer.')
  const { networkPassphrase, signingKey } = expected
  const challenge = decode(() => xdr.decodeArray(xdr.SorobanAuthorizationEntry, entries, 'base64'))
  const own = challenge.find(entry => addressOf(entry) === signer.address)
  const server = challenge.find(entry => addressOf(entry) === signingKey)
  if (!own || !server || challenge.length !== 2)
    throw new ChallengeError('The challenge must have an entry of the account and one of the anchor.')
  demandCall(own.rootInvocation, expected, signer.address)
  if (!isSame(own.rootInvocation, server.rootInvocation))
    throw new ChallengeError('The entries of the challenge are for different calls.')
  if (!isSignedBy(signingKey, server, networkPassphrase))
    throw new ChallengeError(`The challenge is not signed by ${expected.homeDomain}.`)
  const answer = await signer.sign(own.toXdr('base64'), { networkPassphrase })
  const signed = decode(() => xdr.SorobanAuthorizationEntry.fromXdr(answer, 'base64'))
  if (!isSame(own.rootInvocation, signed.rootInvocation) || !isForSame(own, signed))
    throw new ChallengeError('The signer returned another entry than that of the challenge.')
  const all = challenge.map(entry => (entry === own ? signed : entry))
  return xdr.encodeArray(xdr.SorobanAuthorizationEntry, all, 'base64')
}

/** Throws unless the call is the anchor's `web_auth_verify` alone, and for what the wallet asked for. */
function demandCall(
  { function: called, subInvocations }: xdr.SorobanAuthorizedInvocation,
  { homeDomain, webAuth, signingKey, contract }: ExpectedContractChallenge,
  account: string,
): void {
  if (called.type !== 'sorobanAuthorizedFunctionTypeContractFn' || subInvocations.length > 0)
    throw new ChallengeError('The challenge makes calls that were not asked for.')
  const { contractAddress, functionName, args } = called.contractFn
  if (Address.fromScAddress(contractAddress).toString() !== contract)
    throw new ChallengeError('The challenge is of another contract.')
  if (functionName.toString() !== 'web_auth_verify' || args.length !== 1)
    throw new ChallengeError('The challenge calls another function than web_auth_verify.')
  const wanted = {
    account,
    home_domain: homeDomain,
    web_auth_domain: new URL(webAuth).host,
    web_auth_domain_account: signingKey,
  }
  const { nonce, ...values } = valuesOf(args[0])
  for (const [name, value] of Object.entries(wanted)) {
    if (values[name] !== value) throw new ChallengeError(`The challenge has another ${name}.`)
  }
  // An unknown value could name a domain that the wallet did not choose to speak for.
  if (typeof nonce !== 'string' || Object.keys(values).length !== Object.keys(wanted).length)
    throw new ChallengeError('The challenge has values that were not asked for, or no nonce.')
}

function valuesOf(value: xdr.ScVal | undefined): Record<string, unknown> {
  const count = value?.type === 'scvMap' ? (value.map ?? []).length : 0
  const values = value && count > 0 ? (scValToNative(value) as Record<string, unknown>) : {}
  if (count === 0 || Object.keys(values).length !== count)
    throw new ChallengeError('The arguments of the challenge are not a map of names.')
  return values
}

function credentialsOf({ credentials }: Entry): xdr.SorobanAddressCredentials {
  if (credentials.type !== 'sorobanCredentialsAddress')
    throw new ChallengeError('An entry of the challenge has no address.')
  return credentials.address
}

const addressOf = (entry: Entry): string => Address.fromScAddress(credentialsOf(entry).address).toString()

const isForSame = (one: Entry, other: Entry): boolean =>
  addressOf(one) === addressOf(other) && credentialsOf(one).nonce === credentialsOf(other).nonce

const isSame = (one: xdr.SorobanAuthorizedInvocation, other: xdr.SorobanAuthorizedInvocation): boolean =>
  one.toXdr('base64') === other.toXdr('base64')

function isSignedBy(key: string, entry: Entry, networkPassphrase: string): boolean {
  const { signature, signatureExpirationLedger: until } = credentialsOf(entry)
  try {
    const [given] = scValToNative(signature) as { signature: Uint8Array }[]
    const payload = hash(sdk.buildAuthorizationEntryPreimage(entry, until, networkPassphrase).toXdr())
    return given !== undefined && Keypair.fromPublicKey(key).verify(payload, given.signature)
  } catch {
    return false
  }
}

function decode<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new ChallengeError('That is no authorization entry.', cause)
  }
}
