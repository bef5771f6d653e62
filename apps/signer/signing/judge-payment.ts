import { Asset, type OperationRecord, type Transaction } from '@stellar/stellar-sdk/base'
import type { SigningLimits } from '@windlass/contracts/internal/signer.ts'
import { amountOf, parseAmount } from '@windlass/money/amount.ts'
import { baseAccount, isContract } from '@windlass/stellar/addresses.ts'
import { authorizesItselfAlone, readDeployment, readTransfer } from '@windlass/stellar/asset-contract.ts'
import { readClosing, readOpening } from './judge-channels.ts'
import { PAYS_NOTHING, type CountedPayment, type Paid } from './payments.ts'
import { Refusal } from './refusal.ts'
import { servedAssets } from './served-assets.ts'
import { readTransaction, type Rules } from './transactions.ts'

/** A payment that may be signed as far as it alone decides. */
interface JudgedPayment {
  /** What is signed. */
  hash: Buffer
  counts: CountedPayment
}

/**
 * Judges what the business server asks for. Allowed is one of these, out of the distribution account, with its sequence
 * number or a channel's:
 *
 * - one payment, or one claimable balance for one customer, of an asset that the anchor serves
 * - a call of the asset's contract that pays a contract account, and the deployment of that contract
 * - XLM that is returned, and an account that is opened with XLM where the anchor serves it
 * - a claimable balance that is taken back
 * - channels that are opened or closed
 *
 * Throws {@link Refusal}.
 */
export function judgePayment(envelope: string, rules: Rules): JudgedPayment {
  requireSomeLimit(rules.limits)
  const { distribution } = rules.accounts
  const { transaction, hash, uses } = readTransaction(envelope, rules, {
    payer: distribution,
    signer: distribution,
  })
  return { hash, counts: { ...uses, ...readPayment(transaction, rules) } }
}

/** With every limit at 0 nothing uses the account's sequence numbers and XLM: no claim and no channel either. */
function requireSomeLimit({ perHour, xlmPerHour, further = [] }: SigningLimits): void {
  const limits = [perHour, xlmPerHour, ...further.map(each => each.perHour)]
  if (limits.every(limit => parseAmount(limit) === 0n))
    throw new Refusal('per-hour', 'The limits of an hour are 0: nothing is signed.')
}

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
  // A channel gives its sequence number, and nothing else.
  const payer = operation.source ?? transaction.source
  if (payer !== accounts.distribution) {
    throw new Refusal('wrong-account', `An operation of ${payer} was to be signed.`)
  }
  // It brings money in.
  if (operation.type === 'claimClaimableBalance') return PAYS_NOTHING
  if (operation.type === 'invokeHostFunction') {
    const deployed = readDeployment(operation)
    return deployed ? judgeDeployment(deployed, rules) : readContractPayment(operation, rules)
  }
  const { asset, amount, destination } = paymentOf(operation, accounts.distribution)
  const own = servedAssets(rules).find(each => each.asset.equals(asset))?.key
  const isReturned = asset.isNative() && operation.type === 'payment'
  const served = own ?? (isReturned ? ('xlm' as const) : undefined)
  if (!served) {
    throw new Refusal('wrong-asset', `A payment of ${asset.getCode()} is not one of an asset of the anchor.`)
  }
  requireDestination(destination, limits)
  const isClaimable = operation.type === 'createClaimableBalance'
  return { amount: parseAmount(amount), asset: served, isClaimable }
}

function requireDestination(destination: string, { destinations }: SigningLimits): void {
  if (destinations && !destinations.includes(destination)) {
    throw new Refusal('destination', `${destination} is not among the destinations that may be paid.`)
  }
}

/** It moves nothing, and costs a fee of the bounds of all fees. */
function judgeDeployment(asset: Asset, rules: Rules): Paid {
  if (servedAssets(rules).some(each => each.asset.equals(asset))) return PAYS_NOTHING
  throw new Refusal(
    'wrong-asset',
    `The contract of ${asset.getCode()}, which the anchor does not serve, was to be deployed.`,
  )
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
  const served = servedAssets(rules).find(each => each.asset.contractId(terms.networkPassphrase) === contract)
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

function paymentOf(
  operation: OperationRecord,
  distribution: string,
): { asset: Asset; amount: string; destination: string } {
  if (operation.type === 'payment') {
    const { asset, amount, destination } = operation
    return { asset, amount, destination: baseAccount(destination) }
  }
  if (operation.type === 'createAccount') {
    const { destination, startingBalance: amount } = operation
    return { asset: Asset.native(), amount, destination }
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
