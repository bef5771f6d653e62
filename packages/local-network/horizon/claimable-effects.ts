import type { xdr } from '@stellar/stellar-sdk'
import { amountText } from '../ledger/amounts.ts'
import { assetFields, assetName } from '../ledger/assets.ts'
import type { Effect, OperationFields, Pair, Who } from './effect.ts'

function balanceFields(balance: xdr.ClaimableBalanceEntry) {
  return {
    asset: assetName(balance.asset) ?? 'native',
    balance_id: balance.balanceId.toXdr('hex'),
    amount: amountText(balance.amount),
  }
}

/** The money inside a claimable balance, as fields of a credit or a debit. */
function moneyInside(balance: xdr.ClaimableBalanceEntry) {
  return { ...assetFields(assetName(balance.asset) ?? 'native'), amount: amountText(balance.amount) }
}

export function balanceCreated(operation: OperationFields, source: Who, { after }: Pair): Effect[] {
  if (after?.data.type !== 'claimableBalance') return []
  const { claimableBalance } = after.data
  // As the operation has them, with times that are still relative.
  const claimants = Array.isArray(operation['claimants']) ? operation['claimants'] : []
  return [
    ...balanceMade(source, claimableBalance, claimants),
    { ...source, type: 'account_debited', ...moneyInside(claimableBalance) },
  ]
}

interface Claimant {
  readonly destination: unknown
  readonly predicate: unknown
}

export function balanceMade(
  source: Who,
  balance: xdr.ClaimableBalanceEntry,
  claimants: readonly Claimant[],
): Effect[] {
  const fields = balanceFields(balance)
  return [
    { ...source, type: 'claimable_balance_created', ...fields },
    ...claimants.map(({ destination, predicate }): Effect => ({
      account: String(destination),
      type: 'claimable_balance_claimant_created',
      ...fields,
      predicate,
    })),
  ]
}

export function balanceClaimed(source: Who, { before, after }: Pair): Effect[] {
  if (after || before?.data.type !== 'claimableBalance') return []
  const { claimableBalance } = before.data
  return [
    { ...source, type: 'claimable_balance_claimed', ...balanceFields(claimableBalance) },
    { ...source, type: 'account_credited', ...moneyInside(claimableBalance) },
  ]
}

export function balanceClawedBack(source: Who, { before, after }: Pair): Effect[] {
  if (after || before?.data.type !== 'claimableBalance') return []
  const { claimableBalance } = before.data
  const { balance_id } = balanceFields(claimableBalance)
  return [
    { ...source, type: 'claimable_balance_clawed_back', balance_id },
    { ...source, type: 'account_credited', ...moneyInside(claimableBalance) },
  ]
}
