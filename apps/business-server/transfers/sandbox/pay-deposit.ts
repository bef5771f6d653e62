import { formatAmount } from '@windlass/money/amount.ts'
import { parseMoney } from '@windlass/money/number-text.ts'
import { readField } from '@windlass/service/http/fields.ts'
import { invalid, Problem } from '@windlass/service/http/problem.ts'
import type { Deps } from '../../deps.ts'
import { findTransfer } from '../find.ts'

interface SandboxPayment {
  rail: string
  reference: string
  amount: string
  currency: string
}

/**
 * Has the bank of a simulated rail report the payment of a deposit: what it names, or another amount. Throws `not-found`
 * where there is no such deposit or its rail moves real money, `validation-failed` where it does not wait for a payment,
 * `too-many-requests` after twenty in an hour.
 */
export async function payDeposit(
  { database, rails, simulatedPayments }: Deps,
  id: string,
  { amount: given, slow = false }: { amount?: string; slow?: boolean },
): Promise<SandboxPayment> {
  const transfer = await findTransfer(database.db, id)
  if (transfer?.direction !== 'deposit') throw new Problem('not-found', 'There is no deposit with this id.')
  const { rail, reference, currency, fiat_amount, state } = transfer
  const simulation = rails.get(rail)?.simulation
  if (!simulation) throw new Problem('not-found', 'The rail of this deposit is not simulated.')
  if (state !== 'awaiting_funds' || !reference)
    throw invalid('id', `is of a deposit that does not wait for a payment: it is ${state}`)
  const money = given ?? fiat_amount ?? ''
  const amount = formatAmount(readField('amount', money, text => parseMoney(text, currency)))
  await simulatedPayments.deposit.demand(id)
  await simulation.payIn({ reference, amount }, slow)
  return { rail, reference, amount, currency }
}
