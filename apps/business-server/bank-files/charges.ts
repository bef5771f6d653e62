import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { recordCharge } from '../money/journal/entries.ts'
import { journalSettings } from '../money/journal/settings.ts'
import { thresholdInCurrency } from '../money/pricing/worth.ts'
import { noteKept } from '../payments/sent-back.ts'
import type { BankLine, BankPayout, Tables } from '../tables.ts'

/*
 * A bank books more than a payment where it takes its charge with it, and less where it keeps a part of what came or comes
 * back. The difference is the bank's charge (docs/adr/0137).
 */

/** By itself a booking settles a payment that it differs from by a twentieth at most. */
const SHARE_BY_ITSELF = 20n
/** Two people decide, whatever the amount, where a bank took more than a fifth. */
const SHARE_OF_ONE_PERSON = 5n

/**
 * What the bank took of a payment, or kept of one that it sends back, by the line that books it; null: the line is of another
 * amount. Negative: it gives back what it took with the debit.
 *
 * @param left what left for the payment that comes back.
 */
export function chargeOf(
  { direction, amount }: Pick<BankLine, 'direction' | 'amount'>,
  payment: string,
  left: string | null = null,
): bigint | null {
  const [booked, paid] = [parseAmount(amount), parseAmount(payment)]
  if (direction === 'out') return booked < paid ? null : booked - paid
  return booked > parseAmount(left ?? payment) ? null : paid - booked
}

export const totalOf = (payouts: readonly Pick<BankPayout, 'amount'>[]): string =>
  formatAmount(amountOf(payouts.reduce((sum, { amount }) => sum + parseAmount(amount), 0n)))

const isWithin = (charge: bigint, payment: string, share: bigint): boolean =>
  charge * share <= parseAmount(payment)

/** Whether one person may say, up to the limit of the settings, that this is the bank's charge. */
export const isSmall = (charge: bigint, payment: string): boolean =>
  isWithin(charge, payment, SHARE_OF_ONE_PERSON)

/** Whether a line settles a payment by itself although it is of another amount. */
export async function isTolerated(
  deps: Pick<Deps, 'config'>,
  tx: Db<Tables>,
  { currency }: Pick<BankLine, 'currency'>,
  charge: bigint | null,
  payment: string,
): Promise<boolean> {
  if (charge === null) return false
  if (charge <= 0n) return true
  const { charges } = await journalSettings(tx)
  if (!charges || !isWithin(charge, payment, SHARE_BY_ITSELF)) return false
  return charge <= thresholdInCurrency(deps.config, charges.tolerance, currency)
}

export const chargeCause = ({ id }: Pick<BankLine, 'id'>): string => `line:${id}:charge`

/**
 * Books what the bank took by a line, in the caller's transaction.
 *
 * @param of its payment; with an `id`, one of ours.
 */
export async function bookCharge(
  tx: Db<Tables>,
  line: Pick<BankLine, 'id' | 'currency' | 'direction'>,
  { id, rail, transfer_id: transferId }: { id?: string; rail: string; transfer_id: string | null },
  charge: bigint | null,
): Promise<void> {
  if (!charge) return
  if (line.direction === 'in' && id !== undefined) await noteKept(tx, id, charge)
  const { currency } = line
  await recordCharge(tx, { cause: chargeCause(line), rail, currency, amount: charge, transferId })
}
