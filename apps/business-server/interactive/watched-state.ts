import { formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { stepOf, type Situation } from './step.ts'

/** What the page's script watches: it loads the page again when `version` is another one. */
export function watchedState(situation: Situation) {
  const { transfer } = situation
  const step = stepOf(situation)
  const plain = (value: string | null) => (value === null ? undefined : formatAmount(parseAmount(value)))
  const deposit = transfer.direction === 'deposit'
  return {
    version: `${step}:${transfer.state}:${transfer.updated_at.getTime()}`,
    transaction: {
      id: transfer.id,
      kind: transfer.direction,
      status: transfer.state,
      amount_in: plain(deposit ? transfer.fiat_amount : transfer.amount),
      amount_out: plain(deposit ? transfer.amount : transfer.fiat_amount),
      amount_fee: plain(transfer.fee),
    },
  }
}
