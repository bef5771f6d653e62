import {
  Asset,
  FeeBumpTransaction,
  hash,
  Transaction,
  TransactionBuilder,
  xdr,
  type OperationRecord,
} from '@stellar/stellar-sdk/base'
import { RESERVES_TYPE, ReservesStatement } from '@windlass/contracts/reserves.ts'
import type { AnchorAccounts, SigningLimits } from '@windlass/contracts/signer.ts'
import { amountOf, parseAmount, type Amount } from '@windlass/money/amount.ts'
import { baseAccount, isContract } from '@windlass/stellar/addresses.ts'
import { authorizesItselfAlone, MAX_RESOURCE_FEE, readTransfer } from '@windlass/stellar/asset-contract.ts'
import { verifierFromAddress } from '@windlass/stellar/ed25519.ts'
import { resourceFeeOf } from '@windlass/stellar/fees.ts'
import {
  ChallengeError,
  readUnsignedChallenge,
  CHALLENGE_SECONDS,
} from '@windlass/stellar/sep10-challenge.ts'
import { expiryOf, readCall } from '@windlass/stellar/sep45-challenge.ts'
import { createHash } from 'node:crypto'
import Value from 'typebox/value'
import type { Terms } from '../tables.ts'
import { Refusal } from './refusal.ts'

/** What a request is held against. */
export interface Rules {
  accounts: AnchorAccounts
  terms: Terms
  limits: SigningLimits
  now: Date
}

export type FurtherAsset = `${string}:${string}`

/** A payment that may be signed as far as it alone decides. */
interface JudgedPayment {
  /** What is signed. */
  hash: Buffer
  counts: CountedPayment
}

export interface CountedPayment {
  /** The account whose sequence number it uses. */
  source: string
  sequence: string
  amount: Amount
  /** `own`: the anchor's first asset; `CODE:ISSUER`: a further one. */
  asset: 'own' | 'xlm' | FurtherAsset
  /** What its fee may come to, in stroops. */
  fee: bigint
  isClaimable: boolean
}

/** A payment must be on the ledger by then: a signature cannot be kept for later. */
const PAYMENT_VALID_SECONDS = 900

/**
 * Judges what the business server asks for: one payment, or one claimable balance for one customer, of an asset that the
 * anchor serves out of the distribution account, with that account's sequence number or a channel's; a call of the asset's
 * contract that pays a contract account; XLM that is returned; a claimable balance that is taken back; or channels that
 * are opened or closed. Throws {@link Refusal}.
 */
export function judgePayment(envelope: string, rules: Rules): JudgedPayment {
  const transaction = decode(envelope, rules)
  const bump = transaction instanceof FeeBumpTransaction
  const inner = bump ? transaction.innerTransaction : transaction
  if (bump) {
    const { distribution } = rules.accounts
    requireFeeBump(transaction, rules, { payer: distribution, signer: distribution })
  }
  requireFee(BigInt(inner.fee), inner, rules.terms)
  if (!bump) requireSoon(inner, rules.now)
  const { source, sequence } = inner
  const counts = { source, sequence, fee: BigInt(transaction.fee), ...readPayment(inner, rules) }
  return { hash: Buffer.from(transaction.hash()), counts }
}

type Paid = Pick<CountedPayment, 'amount' | 'asset' | 'isClaimable'>

function readPayment(transaction: Transaction, rules: Rules): Paid {
  const { accounts, limits } = rules
  const [operation, ...others] = transaction.operations
  if (operation?.type === 'beginSponsoringFutureReserves')
    return readOpening(transaction, accounts.distribution)
  if (operation?.type === 'accountMerge') return readClosing(transaction, accounts.distribution)
  if (!operation || others.length > 0) {
    throw new Refusal(
      'wrong-operation',
      `A transaction with ${others.length + 1} operations was to be signed.`,
    )
  }
  // Of a channel the sequence number is used, and nothing else.
  const payer = operation.source ?? transaction.source
  if (payer !== accounts.distribution) {
    throw new Refusal('wrong-account', `An operation of ${payer} was to be signed.`)
  }
  // It brings money in.
  if (operation.type === 'claimClaimableBalance') return NOTHING
  if (operation.type === 'invokeHostFunction') return readContractPayment(operation, rules)
  const { asset, amount, destination } = paymentOf(operation, accounts.distribution)
  const isXlm = asset.isNative() && operation.type === 'payment'
  const served = isXlm ? ('xlm' as const) : servedBy(rules).find(each => each.asset.equals(asset))?.key
  if (!served) {
    throw new Refusal('wrong-asset', `A payment of ${asset.getCode()} is not one of an asset of the anchor.`)
  }
  requireDestination(destination, limits)
  const isClaimable = operation.type === 'createClaimableBalance'
  return { amount: parseAmount(amount), asset: served, isClaimable }
}

/** The assets that the anchor may pay. */
function servedBy({ accounts, terms }: Rules): { key: 'own' | FurtherAsset; asset: Asset }[] {
  const further = (terms.furtherAssets ?? []).map(({ code, issuer }) => ({
    key: `${code}:${issuer}` as const,
    asset: new Asset(code, issuer),
  }))
  return [{ key: 'own', asset: new Asset(terms.assetCode, accounts.issuer) }, ...further]
}

function requireDestination(destination: string, { destinations }: SigningLimits): void {
  if (destinations && !destinations.includes(destination)) {
    throw new Refusal('destination', `${destination} is not among the destinations that may be paid.`)
  }
}

/**
 * A transfer by the contract of an asset of the anchor to a contract account. The ledger derives that contract from the
 * asset, so its code is known: whatever entries the transaction declares, `transfer` changes two balances, and calls
 * nothing that the distribution account authorized.
 */
function readContractPayment(operation: OperationRecord, rules: Rules): Paid {
  const { accounts, terms, limits } = rules
  const transfer = readTransfer(operation)
  if (!transfer || !authorizesItselfAlone(operation)) {
    throw new Refusal('wrong-operation', 'Only a transfer that authorizes nothing else may be called.')
  }
  const { contract, from, to, amount } = transfer
  const served = servedBy(rules).find(each => each.asset.contractId(terms.networkPassphrase) === contract)
  if (!served) {
    throw new Refusal('wrong-asset', `${contract} is not the contract of an asset of the anchor.`)
  }
  if (from !== accounts.distribution) {
    throw new Refusal('wrong-account', `A transfer from ${from} was to be signed.`)
  }
  if (!isContract(to)) throw new Refusal('wrong-operation', `${to} is not a contract account.`)
  if (amount <= 0n || amount > MOST_STROOPS) {
    throw new Refusal('wrong-operation', `${amount} stroops are no amount of a payment.`)
  }
  requireDestination(to, limits)
  return { amount: amountOf(amount), asset: served.key, isClaimable: false }
}

/** The ledger's largest amount. */
const MOST_STROOPS = 2n ** 63n - 1n

const NOTHING: Paid = { amount: parseAmount('0'), asset: 'own', isClaimable: false }

/** XLM that a channel takes of the distribution account's reserve, until it is closed. */
const CHANNEL_RESERVE = parseAmount('1.5')
const OPENING = [
  'beginSponsoringFutureReserves',
  'createAccount',
  'setOptions',
  'endSponsoringFutureReserves',
]

/** New accounts without XLM for which only the distribution account's key can sign. */
function readOpening(transaction: Transaction, distribution: string): Paid {
  requireSource(transaction, distribution)
  const { operations } = transaction
  const channels = operations.length / OPENING.length
  for (const [index, operation] of operations.entries()) {
    const at = index % OPENING.length
    const begun = operations[index - at]
    const channel = begun?.type === 'beginSponsoringFutureReserves' ? begun.sponsoredId : ''
    if (operation.type !== OPENING[at] || !opens(operation, channel, distribution)) {
      throw new Refusal('wrong-operation', `${operation.type} is not a step by which a channel is opened.`)
    }
  }
  if (!Number.isInteger(channels)) throw new Refusal('wrong-operation', 'A channel was to be opened in part.')
  return { amount: amountOf(CHANNEL_RESERVE * BigInt(channels)), asset: 'xlm', isClaimable: false }
}

function opens(operation: OperationRecord, channel: string, distribution: string): boolean {
  const by = operation.source ?? distribution
  switch (operation.type) {
    case 'beginSponsoringFutureReserves':
      return by === distribution && channel !== distribution
    case 'createAccount':
      return (
        by === distribution && operation.destination === channel && Number(operation.startingBalance) === 0
      )
    case 'setOptions':
      return by === channel && givesKeyTo(operation, distribution)
    default:
      return by === channel
  }
}

/** Whether a channel can afterwards be closed by this account's key, and by no other. */
function givesKeyTo(options: Extract<OperationRecord, { type: 'setOptions' }>, account: string): boolean {
  const { signer, masterWeight, lowThreshold, medThreshold, highThreshold, setFlags } = options
  const key = signer && 'ed25519PublicKey' in signer && signer.weight === 1 ? signer.ed25519PublicKey : null
  const thresholds = [lowThreshold, medThreshold, highThreshold]
  return (
    key === account &&
    masterWeight === 0 &&
    thresholds.every(threshold => threshold === undefined || threshold === 1) &&
    setFlags === undefined
  )
}

/** Frees the reserves of channels. The distribution account itself is never closed. */
function readClosing(transaction: Transaction, distribution: string): Paid {
  requireSource(transaction, distribution)
  for (const operation of transaction.operations) {
    const isChannel = operation.source !== undefined && operation.source !== distribution
    if (operation.type !== 'accountMerge' || !isChannel || operation.destination !== distribution) {
      throw new Refusal('wrong-operation', `${operation.type} is not a step by which a channel is closed.`)
    }
  }
  return NOTHING
}

function paymentOf(
  operation: OperationRecord,
  distribution: string,
): { asset: Asset; amount: string; destination: string } {
  if (operation.type === 'payment') {
    const { asset, amount, destination } = operation
    return { asset, amount, destination: baseAccount(destination) }
  }
  if (operation.type === 'createClaimableBalance') {
    // The anchor itself may be the second: it takes back what nobody claims.
    const [claimant, ...others] = operation.claimants
    const back = others.every(each => each.destination === distribution)
    const free = claimant?.predicate.type === 'claimPredicateUnconditional'
    if (claimant && free && back) {
      return { asset: operation.asset, amount: operation.amount, destination: claimant.destination }
    }
  }
  throw new Refusal(
    'wrong-operation',
    `Only a payment or a claimable balance for one account may be signed, not ${operation.type}.`,
  )
}

/** Only what `signer` signed before may have its fee raised. */
export function requireFeeBump(
  bump: FeeBumpTransaction,
  { terms }: Rules,
  { payer, signer }: { payer: string; signer: string },
): void {
  const { innerTransaction: inner, feeSource } = bump
  if (feeSource !== payer) {
    throw new Refusal('wrong-account', `The fee was to be paid by ${feeSource}.`)
  }
  // The ledger counts a fee bump as an operation.
  requireFee(BigInt(bump.fee), inner, terms, 1)
  const { verify } = verifierFromAddress(signer)
  const hash = inner.hash()
  if (!inner.signatures.some(({ signature }) => verify(hash, signature.toBytes()))) {
    throw new Refusal('wrong-operation', 'The transaction inside the fee bump was not signed before.')
  }
}

/**
 * Judges what the control plane asks for: the transaction that opens the distribution account's trustlines, issues the
 * first asset to it unless it exists already, requires memos and sets home domains, or a fee bump of it. Throws
 * {@link Refusal}.
 */
export function judgeIssue(envelope: string, rules: Rules): Buffer {
  const transaction = decode(envelope, rules)
  const bump = transaction instanceof FeeBumpTransaction
  const { accounts, terms } = rules
  const source = terms.issuer === undefined ? accounts.issuer : accounts.distribution
  if (bump) requireFeeBump(transaction, rules, { payer: accounts.distribution, signer: source })
  const inner = bump ? transaction.innerTransaction : transaction
  requireSource(inner, source)
  requireFee(BigInt(inner.fee), inner, terms)
  if (!bump) requireSoon(inner, rules.now)
  const kinds = inner.operations.map(operation => requireIssuing(operation, source, rules))
  if (kinds.filter(kind => kind === 'payment').length > 1) {
    throw new Refusal('wrong-operation', 'The asset was to be issued twice in one transaction.')
  }
  return Buffer.from(transaction.hash())
}

function requireIssuing(
  operation: OperationRecord,
  transactionSource: string,
  rules: Rules,
): OperationRecord['type'] {
  const { accounts, terms } = rules
  const asset = new Asset(terms.assetCode, accounts.issuer)
  const source = operation.source ?? transactionSource
  const issuing = terms.issuer === undefined ? accounts.issuer : null
  const own = source === issuing || source === accounts.distribution
  const allowed =
    (operation.type === 'changeTrust' &&
      source === accounts.distribution &&
      operation.line instanceof Asset &&
      servedBy(rules).some(served => served.asset.equals(operation.line as Asset))) ||
    (operation.type === 'payment' &&
      source === issuing &&
      operation.asset.equals(asset) &&
      operation.destination === accounts.distribution &&
      parseAmount(operation.amount) <= parseAmount(terms.issued)) ||
    (operation.type === 'manageData' &&
      source === accounts.distribution &&
      operation.name === 'config.memo_required') ||
    (operation.type === 'setOptions' && own && setsHomeDomainAlone(operation, terms.homeDomain))
  if (!allowed) {
    throw new Refusal('wrong-operation', `${operation.type} is not a step by which the asset is issued.`)
  }
  return operation.type
}

function setsHomeDomainAlone(
  operation: Extract<OperationRecord, { type: 'setOptions' }>,
  homeDomain: string,
): boolean {
  const { type: _, source: __, homeDomain: domain, ...others } = operation
  return domain === homeDomain && Object.values(others).every(value => value === undefined)
}

/** Judges a SEP-10 challenge: the SEP server may have nothing else signed by transaction. Throws {@link Refusal}. */
export function judgeChallenge(envelope: string, { accounts, terms, now }: Rules): Buffer {
  const { networkPassphrase, homeDomain, webAuthDomain } = terms
  const expected = { server: accounts.signing, networkPassphrase, homeDomain, webAuthDomain }
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

/**
 * The bytes of a wallet callback's signature. The signer puts them together: no transaction's hash looks like this.
 * Throws {@link Refusal}.
 */
export function judgeCallback(
  { time, host, body }: { time: number; host: string; body: string },
  now: Date,
): Buffer {
  if (Math.abs(time - now.getTime() / 1_000) > CALLBACK_SKEW_SECONDS) {
    throw new Refusal('time-bounds', `The callback’s time ${time} is not the present time.`)
  }
  return Buffer.from(`${time}.${host}.${body}`)
}

const RESERVES_SKEW_MS = 300_000

/**
 * The bytes of the signature of a statement of reserves: those of a message by SEP-53, which are no transaction's hash
 * and no challenge. Only a present statement of this anchor is signed.
 */
export function judgeReserves(message: string, { accounts, terms, now }: Rules): Buffer {
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
  if (!(Math.abs(Date.parse(at) - now.getTime()) <= RESERVES_SKEW_MS))
    throw new Refusal('time-bounds', `The statement’s time ${at} is not the present time.`)
  return createHash('sha256').update('Stellar Signed Message:\n').update(message).digest()
}

function statementIn(message: string): ReservesStatement {
  try {
    const statement: unknown = JSON.parse(message)
    if (Value.Check(ReservesStatement, statement)) return statement
  } catch {
    // It is no JSON.
  }
  throw new Refusal('not-reserves', 'What was to be signed states no reserves.')
}

export function decode(envelope: string, { terms }: Rules): Transaction | FeeBumpTransaction {
  try {
    return TransactionBuilder.fromXdr(envelope, terms.networkPassphrase)
  } catch {
    throw new Refusal('not-a-transaction', 'What was to be signed is not a transaction.')
  }
}

export function requireSource({ source }: Transaction, account: string): void {
  if (source !== account) throw new Refusal('wrong-account', `A transaction of ${source} was to be signed.`)
}

/** @param more operations that the ledger counts beside the transaction's own */
export function requireFee(fee: bigint, transaction: Transaction, { maxFee }: Terms, more = 0): void {
  const resources = resourceFeeOf(transaction)
  if (resources < 0n || resources > MAX_RESOURCE_FEE) {
    throw new Refusal(
      'fee',
      `A call’s resources cost ${resources} stroops. The maximum is ${MAX_RESOURCE_FEE}.`,
    )
  }
  const most = BigInt(maxFee) * BigInt(transaction.operations.length + more) + resources
  if (fee > most) throw new Refusal('fee', `A fee of ${fee} stroops was offered. The maximum is ${most}.`)
}

export function requireSoon({ timeBounds }: Transaction, now: Date): void {
  const end = Number(timeBounds?.maxTime ?? 0)
  if (end === 0 || end > now.getTime() / 1_000 + PAYMENT_VALID_SECONDS) {
    throw new Refusal('time-bounds', 'The transaction has no end, or one that is too far away.')
  }
}
