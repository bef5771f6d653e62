import { Transaction, TransactionBuilder } from '@stellar/stellar-sdk/base'
import type { Horizon } from './horizon.ts'
import { addSignature, type TransactionSigner } from './keys.ts'
import { LedgerError } from './ledger-error.ts'

/** Stroops for one operation: the default of MAX_FEE_STROOPS. The ledger takes no more than it needs at the moment. */
export const DEFAULT_MAX_FEE = 1_000_000n

/** A core replaces a waiting transaction only for ten times its fee. */
const RAISE = 10n

/**
 * What to offer for an operation, in stroops: what the last ledgers charged, within `max`.
 *
 * @throws {LedgerError} `fee-above-maximum` where the ledger takes nothing below more than `max`.
 */
export async function feeBid(horizon: Pick<Horizon, 'feeStats'>, max: bigint): Promise<bigint> {
  const { lastBaseFee, charged } = await horizon.feeStats()
  if (lastBaseFee > max) {
    throw new LedgerError(
      'fee-above-maximum',
      `The Stellar network charges ${lastBaseFee} stroops for an operation. The configured maximum is ${max}.`,
    )
  }
  const bid = charged > lastBaseFee ? charged : lastBaseFee
  return bid < max ? bid : max
}

export interface FeeRaise {
  horizon: Pick<Horizon, 'feeStats'>
  /** Stroops for one operation. */
  max: bigint
  networkPassphrase: string
  /** Signer of the account that pays the fee. */
  payer: TransactionSigner
}

/**
 * A fee bump around a stored envelope that is not on the ledger yet: the transaction inside stays the same, so it can
 * still be applied only once. Null where the maximum allows no higher fee.
 */
export async function raiseFee(xdr: string, raise: FeeRaise): Promise<string | null> {
  const inner = TransactionBuilder.fromXdr(xdr, raise.networkPassphrase)
  if (!(inner instanceof Transaction)) return null
  const offered = offeredBy(inner)
  const asked = await feeBid(raise.horizon, raise.max)
  const wanted = asked > offered * RAISE ? asked : offered * RAISE
  const fee = wanted < raise.max ? wanted : raise.max
  return fee <= offered ? null : bumpOf(inner, fee, raise)
}

/** A fee bump with what the envelope offers, for a source that has no XLM: the payer's is charged. */
export async function payFee(xdr: string, raise: FeeRaise): Promise<string> {
  const inner = TransactionBuilder.fromXdr(xdr, raise.networkPassphrase)
  return inner instanceof Transaction ? bumpOf(inner, offeredBy(inner), raise) : xdr
}

/** Stroops for one operation. */
const offeredBy = (transaction: Transaction): bigint =>
  (BigInt(transaction.fee) - resourceFeeOf(transaction)) / BigInt(transaction.operations.length)

/** Stroops of a transaction's fee that are for what a contract's call uses: they bid for no place in a ledger. */
export function resourceFeeOf(transaction: Transaction): bigint {
  const envelope = transaction.toEnvelope()
  const ext = envelope.type === 'envelopeTypeTx' ? envelope.v1.tx.ext : null
  return ext?.type === 'sorobanData' ? ext.sorobanData.resourceFee : 0n
}

async function bumpOf(
  inner: Transaction,
  fee: bigint,
  { payer, networkPassphrase }: FeeRaise,
): Promise<string> {
  const bump = TransactionBuilder.buildFeeBumpTransaction(
    payer.address,
    fee.toString(),
    inner,
    networkPassphrase,
  )
  await addSignature(bump, payer)
  return bump.toXdr()
}
