import { type Amount, amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { divide, parseRate } from '@windlass/money/rate.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { recordKept } from '../money/journal/entries.ts'
import { journalSettings } from '../money/journal/settings.ts'
import type { RailOrder, Tables, Transfer } from '../tables.ts'
import { refundUnits } from './sent-back.ts'

/**
 * Gives the units of a withdrawal back whose payout did not arrive, in the caller's transaction: without what the bank kept,
 * where customers bear that by the settings. The journal has them in suspense.
 *
 * @param message where nothing was kept.
 * @param isSeen whether two people decided it.
 */
export async function refundRest(
  deps: Pick<Deps, 'sealer' | 'binder'>,
  tx: Db<Tables>,
  order: RailOrder,
  transfer: Transfer,
  { message, isSeen }: { message: string; isSeen: boolean },
): Promise<void> {
  const money = await borneByCustomer(tx, order)
  const units = transfer.rate === null ? amountOf(0n) : divide(money, parseRate(transfer.rate))
  if (units >= parseAmount(transfer.amount ?? '0'))
    throw new Problem('action-not-possible', 'The bank kept all of it, so nothing is left to refund.')
  if (units === 0n) return refundUnits(deps, tx, transfer, { message, isSeen })
  await recordKept(tx, order, transfer, { money, units })
  const rest = `${keptBy(order, money)} You are refunded the rest on the ledger.`
  await refundUnits(deps, tx, transfer, { message: rest, isSeen, kept: units })
}

export const keptBy = ({ currency }: RailOrder, kept: Amount): string =>
  `The bank sent the payment back and kept ${formatAmount(kept)} ${currency}.`

/** What the bank kept of a payout, where customers bear that by the settings. */
export async function borneByCustomer(tx: Db<Tables>, { kind, bank_kept }: RailOrder): Promise<Amount> {
  const kept = parseAmount(bank_kept ?? '0')
  if (kind !== 'payout' || kept <= 0n) return amountOf(0n)
  const { charges } = await journalSettings(tx)
  return charges?.returnsBorneBy === 'customer' ? kept : amountOf(0n)
}
