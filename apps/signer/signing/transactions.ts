import { FeeBumpTransaction, TransactionBuilder, type Transaction, type xdr } from '@stellar/stellar-sdk/base'
import type { AnchorAccounts, SigningLimits } from '@windlass/contracts/internal/signer.ts'
import { isAccount } from '@windlass/stellar/addresses.ts'
import { MAX_RESOURCE_FEE } from '@windlass/stellar/asset-contract.ts'
import { verifierFromAddress } from '@windlass/stellar/ed25519.ts'
import { resourceFeeOf } from '@windlass/stellar/fees.ts'
import type { StoredSigningTerms } from '../tables.ts'
import { Refusal } from './refusal.ts'

/** What a request is held against. */
export interface Rules {
  accounts: AnchorAccounts
  terms: StoredSigningTerms
  limits: SigningLimits
  now: Date
}

/** A transaction that satisfies what holds for every one, whatever it does. */
interface ReadTransaction {
  /** What the ledger applies: where a fee bump is signed, the transaction inside. */
  transaction: Transaction
  /** What is signed. */
  hash: Buffer
  /** What it uses on the ledger. */
  uses: UsedSequence
}

/** The sequence number that a transaction uses, and what its fee may come to. */
export interface UsedSequence {
  source: string
  sequence: string
  /** Stroops. */
  fee: bigint
}

/** A transaction must be on the ledger by then: a signature cannot be kept for later. */
const VALID_SECONDS = 900

/**
 * Reads a transaction, or a fee bump of one that `signer` signed before and `payer` pays for, with the rules for all
 * transactions: time bounds that end soon as the only precondition (CAP-21), plain accounts, and a bounded fee. Which
 * source it may have and what it may do is judged by each caller. Throws {@link Refusal}.
 */
export function readTransaction(
  envelope: string,
  rules: Rules,
  { payer, signer }: { payer: string; signer: string },
): ReadTransaction {
  const asked = decode(envelope, rules)
  const isBump = asked instanceof FeeBumpTransaction
  const transaction = isBump ? asked.innerTransaction : asked
  requireSoon(requireTimeBoundsAlone(transaction), rules.now)
  requirePlainAccounts(transaction)
  requireFee(BigInt(transaction.fee), transaction, rules.terms)
  if (isBump) requireFeeBump(asked, rules.terms, { payer, signer })
  const { source, sequence } = transaction
  const uses = { source, sequence, fee: BigInt(asked.fee) }
  return { transaction, hash: Buffer.from(asked.hash()), uses }
}

/** Throws {@link Refusal}. */
export function decode(envelope: string, { terms }: Rules): Transaction | FeeBumpTransaction {
  try {
    return TransactionBuilder.fromXdr(envelope, terms.networkPassphrase)
  } catch {
    throw new Refusal('not-a-transaction', 'What was to be signed is not a transaction.')
  }
}

/**
 * With another precondition a transaction can raise its source's sequence number to the ledger's largest (`minSeqNum`),
 * after which the account can be the source of no transaction.
 */
export function requireTimeBoundsAlone(transaction: Transaction): xdr.TimeBounds | null {
  const envelope = transaction.toEnvelope()
  if (envelope.type !== 'envelopeTypeTx')
    throw new Refusal('not-a-transaction', `What was to be signed is an outdated form (${envelope.type}).`)
  const { cond } = envelope.v1.tx
  if (cond.type === 'precondV2')
    throw new Refusal('preconditions', 'The transaction has other preconditions than time bounds.')
  return cond.type === 'precondTime' ? cond.timeBounds : null
}

function requireSoon(bounds: xdr.TimeBounds | null, now: Date): void {
  const end = bounds?.maxTime ?? 0n
  // Wrong by any clock.
  if (end === 0n) throw new Refusal('preconditions', 'The transaction has no end.')
  if (Number(end) > now.getTime() / 1_000 + VALID_SECONDS)
    throw new Refusal('time-bounds', 'The end of the transaction is too far away.')
}

/** A muxed address of an account must not pass for another account. Who is paid may have one. */
function requirePlainAccounts({ source, operations }: Transaction): void {
  const sources = [source, ...operations.map(operation => operation.source ?? source)]
  const other = sources.find(each => !isAccount(each))
  if (other !== undefined)
    throw new Refusal('wrong-account', `${other}, which is not an account’s own address, was to act.`)
}

/** @param more operations that the ledger counts beside the transaction's own */
function requireFee(fee: bigint, transaction: Transaction, { maxFee }: StoredSigningTerms, more = 0): void {
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

/** Only what `signer` signed before may have its fee raised. */
function requireFeeBump(
  { feeSource, fee, innerTransaction }: FeeBumpTransaction,
  terms: StoredSigningTerms,
  { payer, signer }: { payer: string; signer: string },
): void {
  if (feeSource !== payer) throw new Refusal('wrong-account', `The fee was to be paid by ${feeSource}.`)
  // The ledger counts a fee bump as an operation.
  requireFee(BigInt(fee), innerTransaction, terms, 1)
  const { verify } = verifierFromAddress(signer)
  const hash = innerTransaction.hash()
  if (!innerTransaction.signatures.some(({ signature }) => verify(hash, signature.toBytes())))
    throw new Refusal('wrong-operation', 'The transaction inside the fee bump was not signed before.')
}

export function requireSource({ source }: Transaction, account: string): void {
  if (source !== account) throw new Refusal('wrong-account', `A transaction of ${source} was to be signed.`)
}
