import {
  Address,
  buildAuthorizationEntryPreimage,
  hash,
  nativeToScVal,
  scValToNative,
  StrKey,
  xdr,
} from '@stellar/stellar-sdk/base'
import { randomBytes } from 'node:crypto'
import { isContract } from './addresses.ts'
import { verifierFromAddress } from './ed25519.ts'
import { ChallengeError, CHALLENGE_SECONDS, type ChallengeTerms } from './sep10-challenge.ts'

/**
 * SEP-45: a contract account logs in by authorizing a call of `web_auth_verify`, which is simulated and never applied.
 * The challenge is one authorization entry for each who has to sign: the account, the server, the wallet's domain.
 */

const FUNCTION = 'web_auth_verify'

export interface ContractTerms extends ChallengeTerms {
  /** `C…`: the web authentication contract. */
  contract: string
}

interface ContractChallengeRequest {
  /** `C…` */
  account: string
  client?: { domain: string; signingKey: string }
}

export interface ReadContractChallenge {
  account: string
  clientDomain: string | null
  /** What a challenge is remembered by. */
  hash: Buffer
  expiresAt: Date
  /** What the account authorizes: the same in the entry of each who signs. */
  call: xdr.SorobanAuthorizedInvocation
  /** All that came back, also those that the account's own code needs for its check. */
  entries: readonly xdr.SorobanAuthorizationEntry[]
  /** The nonces that the ledger would use up: by account. */
  nonces: ReadonlyMap<string, bigint>
}

type Entry = xdr.SorobanAuthorizationEntry

/** An entry for each signer, unsigned; the server's is the second. Throws {@link ChallengeError} unless the account is `C…`. */
export function buildContractChallenge(
  terms: ContractTerms,
  { account, client }: ContractChallengeRequest,
  now: Date,
): Entry[] {
  if (!isContract(account)) throw new ChallengeError('account must be a contract account (C…)')
  const expires = Math.floor(now.getTime() / 1000) + CHALLENGE_SECONDS
  const values = {
    account,
    ...(client ? { client_domain: client.domain, client_domain_account: client.signingKey } : {}),
    home_domain: terms.homeDomain,
    nonce: `${expires}-${randomBytes(16).toString('hex')}`,
    web_auth_domain: terms.webAuthDomain,
    web_auth_domain_account: terms.server,
  }
  const invocation = invocationOf(terms.contract, values)
  return [account, terms.server, ...(client ? [client.signingKey] : [])].map(
    address =>
      new xdr.SorobanAuthorizationEntry({ credentials: unsigned(address), rootInvocation: invocation }),
  )
}

function invocationOf(contract: string, values: Readonly<Record<string, string>>) {
  const entries = Object.entries(values).map(
    ([name, value]) =>
      new xdr.ScMapEntry({
        key: nativeToScVal(name, { type: 'symbol' }),
        val: nativeToScVal(value, { type: 'string' }),
      }),
  )
  return new xdr.SorobanAuthorizedInvocation({
    function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(
      new xdr.InvokeContractArgs({
        contractAddress: Address.fromString(contract).toScAddress(),
        functionName: FUNCTION,
        args: [xdr.ScVal.scvMap(entries)],
      }),
    ),
    subInvocations: [],
  })
}

const unsigned = (address: string) =>
  xdr.SorobanCredentials.sorobanCredentialsAddress(
    new xdr.SorobanAddressCredentials({
      address: Address.fromString(address).toScAddress(),
      nonce: randomBytes(8).readBigInt64BE(),
      signatureExpirationLedger: 0,
      signature: xdr.ScVal.scvVoid(),
    }),
  )

/** What the server signs of its entry: the preimage's SHA-256. */
export const preimageOf = (entry: Entry, expiresAtLedger: number, networkPassphrase: string): Uint8Array =>
  buildAuthorizationEntryPreimage(entry, expiresAtLedger, networkPassphrase).toXdr()

/** The entry with the signature of an account (`G…`). */
export function signedEntry(
  entry: Entry,
  expiresAtLedger: number,
  { address, signature }: { address: string; signature: Uint8Array },
): Entry {
  const { nonce, address: whose } = credentialsOf(entry)
  const value = nativeToScVal(
    { public_key: StrKey.decodeEd25519PublicKey(address), signature: Uint8Array.from(signature) },
    { type: { public_key: ['symbol', null], signature: ['symbol', null] } },
  )
  return new xdr.SorobanAuthorizationEntry({
    credentials: xdr.SorobanCredentials.sorobanCredentialsAddress(
      new xdr.SorobanAddressCredentials({
        address: whose,
        nonce,
        signatureExpirationLedger: expiresAtLedger,
        signature: xdr.ScVal.scvVec([value]),
      }),
    ),
    rootInvocation: entry.rootInvocation,
  })
}

/** Base64 XDR of a list of entries, as SEP-45 sends them. */
export const encodeEntries = (entries: readonly Entry[]): string =>
  Buffer.from(xdr.encodeArray(xdr.SorobanAuthorizationEntry, [...entries])).toString('base64')

/** Throws {@link ChallengeError}. */
export function decodeEntries(text: string): Entry[] {
  try {
    return xdr.decodeArray(xdr.SorobanAuthorizationEntry, Buffer.from(text, 'base64'))
  } catch {
    throw new ChallengeError('authorization_entries cannot be decoded')
  }
}

/** With those that the account's own code needs: a simulation is not made for more. */
const MOST_ENTRIES = 10

/**
 * Reads entries that came back: one for each signer for the same call, which the server has signed and which is not too
 * old, and those for other calls that the account's own check needs. Whether the account authorized it is for the
 * simulation to say. Throws {@link ChallengeError}.
 */
export function readContractChallenge(text: string, terms: ContractTerms, now: Date): ReadContractChallenge {
  const entries = decodeEntries(text)
  if (entries.length > MOST_ENTRIES) throw new ChallengeError(`there are more than ${MOST_ENTRIES} entries`)
  const byAddress = (of: readonly Entry[]) =>
    new Map(of.map(entry => [Address.fromScAddress(credentialsOf(entry).address).toString(), entry]))
  // Also of the others: without an address they would speak for the source of the simulated transaction.
  entries.forEach(credentialsOf)
  const logins = entries.filter(entry => isLogin(entry, terms))
  const [first] = logins
  if (!first) throw new ChallengeError(`no entry is for ${FUNCTION} of ${terms.contract}`)
  const call = Buffer.from(first.rootInvocation.toXdr())
  if (logins.some(entry => !call.equals(Buffer.from(entry.rootInvocation.toXdr()))))
    throw new ChallengeError('the entries are for different calls')
  const values = readCall(first.rootInvocation, terms)
  const { account, nonce, client_domain: clientDomain, client_domain_account: clientAccount } = values
  const signers = byAddress(logins)
  const wanted = [account, terms.server, ...(clientAccount ? [clientAccount] : [])]
  if (signers.size !== logins.length || wanted.length !== logins.length)
    throw new ChallengeError('a challenge has one entry for each who signs')
  for (const address of wanted) requireSigned(signers.get(address), address)
  requireServerSignature(signers.get(terms.server) as Entry, terms)
  // The server signed the nonce, and with it the time.
  const expiresAt = expiryOf(nonce)
  if (expiresAt <= now) throw new ChallengeError('the challenge has expired')
  return {
    account,
    clientDomain: clientDomain ?? null,
    hash: Buffer.from(hash(`sep45:${nonce}`)),
    expiresAt,
    call: first.rootInvocation,
    entries,
    nonces: new Map(wanted.map(each => [each, credentialsOf(signers.get(each) as Entry).nonce])),
  }
}

/** Whether an entry is for the login; others are for what the account's own code calls in its check. */
function isLogin({ rootInvocation: { function: called } }: Entry, { contract }: ContractTerms): boolean {
  if (called.type !== 'sorobanAuthorizedFunctionTypeContractFn') return false
  const { contractAddress, functionName } = called.contractFn
  return (
    Address.fromScAddress(contractAddress).toString() === contract && functionName.toString() === FUNCTION
  )
}

/** The time in a nonce, until which the challenge is good; 1970 where there is none. */
export const expiryOf = (nonce: string): Date => new Date(Number(/^(\d{1,12})-/.exec(nonce)?.[1] ?? 0) * 1000)

interface Values {
  account: string
  nonce: string
  client_domain?: string
  client_domain_account?: string
}

/** The arguments of the call. Throws {@link ChallengeError} unless it is this server's `web_auth_verify` alone. */
export function readCall(
  { function: called, subInvocations }: xdr.SorobanAuthorizedInvocation,
  terms: Omit<ContractTerms, 'contract' | 'networkPassphrase'> & { contract?: string },
): Values {
  if (called.type !== 'sorobanAuthorizedFunctionTypeContractFn' || subInvocations.length > 0)
    throw new ChallengeError('the call must be one of a contract, without further calls')
  const { contractAddress, functionName, args } = called.contractFn
  const contract = Address.fromScAddress(contractAddress).toString()
  if (terms.contract !== undefined && contract !== terms.contract)
    throw new ChallengeError('the call is of another contract')
  if (functionName.toString() !== FUNCTION || args.length !== 1)
    throw new ChallengeError(`the call is not ${FUNCTION}`)
  const values = nativeOf(args[0])
  const expected = {
    home_domain: terms.homeDomain,
    web_auth_domain: terms.webAuthDomain,
    web_auth_domain_account: terms.server,
  }
  for (const [name, value] of Object.entries(expected))
    if (values[name] !== value) throw new ChallengeError(`${name} must be ${value}`)
  const { account = '', nonce, client_domain, client_domain_account } = values
  if (!isContract(account)) throw new ChallengeError('account must be a contract account (C…)')
  if (!nonce) throw new ChallengeError('the nonce is missing')
  if ((client_domain === undefined) !== (client_domain_account === undefined))
    throw new ChallengeError('client_domain and client_domain_account belong together')
  return {
    account,
    nonce,
    ...(client_domain && client_domain_account ? { client_domain, client_domain_account } : {}),
  }
}

function nativeOf(value: xdr.ScVal | undefined): Record<string, string> {
  const native: unknown = value && value.type === 'scvMap' ? scValToNative(value) : null
  const entries = Object.entries((native ?? {}) as Record<string, unknown>)
  if (entries.length === 0 || entries.some(([, each]) => typeof each !== 'string'))
    throw new ChallengeError('the arguments must be a map of texts')
  return Object.fromEntries(entries) as Record<string, string>
}

export function credentialsOf({ credentials }: Entry): xdr.SorobanAddressCredentials {
  if (credentials.type !== 'sorobanCredentialsAddress')
    throw new ChallengeError('an entry must have the credentials of an address')
  return credentials.address
}

/** A contract's own code says in the simulation which signature it wants, be it none. */
function requireSigned(entry: Entry | undefined, address: string): void {
  if (!entry) throw new ChallengeError(`the entry of ${address} is missing`)
  if (!isContract(address) && credentialsOf(entry).signature.type === 'scvVoid')
    throw new ChallengeError(`the entry of ${address} is not signed`)
}

/** The server's own signature: nobody else could have made this challenge. */
function requireServerSignature(entry: Entry, { server, networkPassphrase }: ContractTerms): void {
  const { signatureExpirationLedger, signature } = credentialsOf(entry)
  const payload = hash(preimageOf(entry, signatureExpirationLedger, networkPassphrase))
  const given = firstSignature(signature)
  if (!given || !verifierFromAddress(server).verify(payload, given))
    throw new ChallengeError('the challenge is not signed by this server')
}

function firstSignature(value: xdr.ScVal): Uint8Array | null {
  try {
    const [first] = scValToNative(value) as { signature?: unknown }[]
    return first?.signature instanceof Uint8Array ? first.signature : null
  } catch {
    return null
  }
}
