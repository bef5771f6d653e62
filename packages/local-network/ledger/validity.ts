import { SignerKey, xdr } from '@stellar/stellar-sdk'
import { contractsSince, leastResourceFee } from '../operations/invoke-host-function.ts'
import { spendable, type Account } from './entries.ts'
import type { Incoming, IncomingOperation } from './envelope.ts'
import { type Frozen, touchesFrozen } from './frozen.ts'
import type { Outcome, RejectionCode } from './results.ts'
import { Signatures, signersOf } from './signatures.ts'
import type { LedgerState } from './state.ts'

/** The ledger being filled. Close times are Unix seconds. */
export interface OpenHeader {
  /** The protocol version that ledger and meta declare. */
  readonly protocol: number
  readonly sequence: number
  readonly closeTime: bigint
  /** Stroops. */
  readonly baseFee: bigint
  /** Stroops an operation pays in this ledger: the base fee, or more during surge pricing. */
  readonly feePrice: bigint
  readonly frozen: Frozen
}

const int64Max = 2n ** 63n - 1n
const operationLimit = 100

/** Who pays a transaction's fee, and how many stroops at most. */
export function feeOf(incoming: Incoming): { source: string; bid: bigint } {
  const { feeBump, source, tx } = incoming
  return feeBump ? { source: feeBump.source, bid: feeBump.fee } : { source, bid: BigInt(tx.fee) }
}

/** What it pays: the ledger's price for each operation, a fee bump counting as one more. */
export function chargedFee(incoming: Incoming, price: bigint): bigint {
  const operations = BigInt(incoming.operations.length + (incoming.feeBump ? 1 : 0))
  return least(feeOf(incoming).bid, price * operations + resourceFeeOf(incoming))
}

/** Stroops that a fee bump must bid to take the place of a pending transaction: ten times its rate. */
export function leastReplacingFee(incoming: Incoming, pending: Incoming): bigint {
  const placesOf = ({ operations, feeBump }: Incoming) => BigInt(operations.length + (feeBump ? 1 : 0))
  const rate = (feeOf(pending).bid - resourceFeeOf(pending)) * 10n * placesOf(incoming)
  const places = placesOf(pending)
  return (rate + places - 1n) / places + resourceFeeOf(incoming)
}

/** Stroops of its fee that are for a contract's call, and bid for no place in the ledger. */
export function resourceFeeOf({ tx }: Incoming): bigint {
  return tx.ext.type === 'sorobanData' ? tx.ext.sorobanData.resourceFee : 0n
}

const least = (a: bigint, b: bigint) => (a < b ? a : b)

/** What keeps a transaction off the ledger: it pays nothing, uses no sequence and leaves no history. */
type Rejection = { readonly by: 'fee-bump' | 'transaction'; readonly outcome: Outcome }

/** The first rule a transaction breaks, in the order stellar-core checks them; undefined for a valid one. */
export function rejection(incoming: Incoming, state: LedgerState, header: OpenHeader): Rejection | undefined {
  if (incoming.feeBump) {
    const code = feeBumpRejection(incoming, state, header)
    if (code) return { by: 'fee-bump', outcome: { code } }
  }
  const outcome = transactionRejection(incoming, state, header)
  return outcome && { by: 'transaction', outcome }
}

/** A fee bump must pay the base fee for every operation and itself, at no lower rate than what it replaces. */
function feeBumpRejection(
  incoming: Incoming,
  state: LedgerState,
  { feePrice }: OpenHeader,
): RejectionCode | undefined {
  const { feeBump, operations, tx } = incoming
  if (!feeBump) return undefined
  const innerMinimum = feePrice * BigInt(operations.length)
  const minimum = innerMinimum + feePrice
  const resources = resourceFeeOf(incoming)
  const bid = feeBump.fee - resources
  if (bid < minimum) return 'txInsufficientFee'
  if (bid * innerMinimum < (BigInt(tx.fee) - resources) * minimum) return 'txInsufficientFee'
  const payer = state.account(feeBump.source)
  if (!payer) return 'txNoAccount'
  const signatures = new Signatures(feeBump.hash, feeBump.signatures)
  if (!signatures.reach(payer.thresholds.low, signersOf(payer))) return 'txBadAuth'
  if (spendable(payer) < feeBump.fee) return 'txInsufficientBalance'
  return signatures.allUsed() ? undefined : 'txBadAuthExtra'
}

function transactionRejection(
  incoming: Incoming,
  state: LedgerState,
  header: OpenHeader,
): Outcome | undefined {
  const { tx, operations, feeBump } = incoming
  if (operations.length === 0) return { code: 'txMissingOperation' }
  if (operations.length > operationLimit || !hasFittingExtension(incoming, header))
    return { code: 'txMalformed' }
  const resources = resourceFeeOf(incoming)
  if (tx.ext.type === 'sorobanData' && (resources < leastResourceFee || resources > BigInt(tx.fee)))
    return { code: 'txSorobanInvalid' }
  if (touchesFrozen(incoming, header.frozen)) return { code: 'txFrozenKeyAccessed' }
  const conditions = conditionsOf(tx.cond)
  const early = beforeOrAfter(conditions, header)
  if (early) return { code: early }
  if (!feeBump && BigInt(tx.fee) - resources < header.feePrice * BigInt(operations.length))
    return { code: 'txInsufficientFee' }
  if (hasTwice(conditions.extraSigners)) return { code: 'txMalformed' }
  const source = state.account(incoming.source)
  if (!source) return { code: 'txNoAccount' }
  const sequence = sequenceRejection(tx.seqNum, source, conditions, header)
  if (sequence) return { code: sequence }

  const signatures = new Signatures(incoming.txHash, incoming.signatures)
  if (!signatures.reach(source.thresholds.low, signersOf(source))) return { code: 'txBadAuth' }
  for (const key of conditions.extraSigners)
    if (!signatures.reach(1, [{ key: SignerKey.encodeSignerKey(key), weight: 1 }]))
      return { code: 'txBadAuth' }
  if (!feeBump && spendable(source) < BigInt(tx.fee)) return { code: 'txInsufficientBalance' }

  for (const [index, operation] of operations.entries()) {
    const result = operationRejection(operation, state, signatures, header.protocol)
    if (result)
      return {
        code: 'txFailed',
        operations: operations.map((other, place) => (place === index ? result : untried(other))),
      }
  }
  return signatures.allUsed() ? undefined : { code: 'txBadAuthExtra' }
}

/** A contract's call stands alone in its transaction, and declares what it uses. */
function hasFittingExtension({ tx, operations }: Incoming, { protocol }: OpenHeader): boolean {
  if (protocol < contractsSince) return tx.ext.type === 'v0'
  const calls = operations.filter(({ body }) => body.type === 'invokeHostFunction').length
  if (calls === 0) return tx.ext.type === 'v0'
  return operations.length === 1 && tx.ext.type === 'sorobanData'
}

function untried({ operation }: IncomingOperation): xdr.OperationResult {
  return operation ? xdr.OperationResult.opInner(operation.untried) : xdr.OperationResult.opNotSupported()
}

/** Signatures are checked against the state before any operation of the transaction has changed it. */
function operationRejection(
  { source, ownSource, operation }: IncomingOperation,
  state: LedgerState,
  signatures: Signatures,
  protocol: number,
): xdr.OperationResult | undefined {
  if (!operation || (operation.since ?? 0) > protocol) return xdr.OperationResult.opNotSupported()
  const account = state.account(source)
  if (account) {
    if (!signatures.reach(account.thresholds[operation.threshold], signersOf(account)))
      return xdr.OperationResult.opBadAuth()
  } else {
    // An account that an earlier operation makes: its own key must have signed.
    if (!ownSource) return xdr.OperationResult.opNoAccount()
    if (!signatures.reach(0, [{ key: source, weight: 1 }])) return xdr.OperationResult.opBadAuth()
  }
  const malformed = operation.malformed(source)
  return malformed && xdr.OperationResult.opInner(malformed)
}

interface Conditions {
  readonly timeBounds: xdr.TimeBounds | null
  readonly ledgerBounds: xdr.LedgerBounds | null
  readonly minSeqNum: bigint | null
  readonly minSeqAge: bigint
  readonly minSeqLedgerGap: number
  readonly extraSigners: readonly xdr.SignerKey[]
}

export function conditionsOf(cond: xdr.Preconditions): Conditions {
  const none = {
    timeBounds: null,
    ledgerBounds: null,
    minSeqNum: null,
    minSeqAge: 0n,
    minSeqLedgerGap: 0,
    extraSigners: [],
  }
  if (cond.type === 'precondV2') return cond.v2
  return cond.type === 'precondTime' ? { ...none, timeBounds: cond.timeBounds } : none
}

function beforeOrAfter(
  { timeBounds, ledgerBounds }: Conditions,
  header: OpenHeader,
): 'txTooEarly' | 'txTooLate' | undefined {
  if (timeBounds && timeBounds.minTime > header.closeTime) return 'txTooEarly'
  if (ledgerBounds && ledgerBounds.minLedger > header.sequence) return 'txTooEarly'
  if (timeBounds && timeBounds.maxTime !== 0n && timeBounds.maxTime < header.closeTime) return 'txTooLate'
  if (ledgerBounds && ledgerBounds.maxLedger !== 0 && ledgerBounds.maxLedger <= header.sequence)
    return 'txTooLate'
  return undefined
}

function sequenceRejection(
  sequence: bigint,
  source: Account,
  { minSeqNum, minSeqAge, minSeqLedgerGap }: Conditions,
  header: OpenHeader,
): 'txBadSeq' | 'txBadMinSeqAgeOrGap' | undefined {
  if (sequence === int64Max && header.protocol < 20) return 'txBadSeq'
  if (sequence === BigInt(header.sequence) << 32n) return 'txBadSeq'
  const fits =
    minSeqNum === null
      ? source.sequence + 1n === sequence
      : source.sequence >= minSeqNum && source.sequence < sequence
  if (!fits || sequence < 0n) return 'txBadSeq'
  if (header.closeTime - source.sequenceTime < minSeqAge) return 'txBadMinSeqAgeOrGap'
  if (header.sequence - source.sequenceLedger < minSeqLedgerGap) return 'txBadMinSeqAgeOrGap'
  return undefined
}

function hasTwice(signers: readonly xdr.SignerKey[]): boolean {
  return new Set(signers.map(signer => signer.toXdr('hex'))).size !== signers.length
}
