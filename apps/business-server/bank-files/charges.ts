import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { recordCharge } from '../money/journal/entries.ts'
import { journalSettings } from '../money/journal/settings.ts'
import { thresholdInCurrency } from '../money/pricing/worth.ts'
import { noteKept } from '../payments/sent-back.ts'
import type { BankLine, BankPayout, Tables } from '../tables.ts'
import { leftFor } from './lines.ts'

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
 * amount. Negative: it gives back what it took with the debit, or took less than the payment.
 *
 * @param left what left for the payment that comes back.
 */
export function chargeOf(
  { direction, amount }: Pick<BankLine, 'direction' | 'amount'>,
  payment: string,
  left: string | null = null,
): bigint | null {
  const [booked, paid] = [parseAmount(amount), parseAmount(payment)]
  if (direction === 'out') return isWithin(paid - booked, payment, SHARE_OF_ONE_PERSON) ? booked - paid : null
  const most = left === null || parseAmount(left) < paid ? paid : parseAmount(left)
  return booked > most ? null : paid - booked
}

/** The same of a file that a bank books as one amount. Where less left, a payment of it may be missing. */
export function chargeOfFile(
  line: Pick<BankLine, 'direction' | 'amount'>,
  payouts: readonly Pick<BankPayout, 'amount'>[],
): bigint | null {
  const charge = chargeOf(line, totalOf(payouts))
  return line.direction === 'out' && charge !== null && charge < 0n && payouts.length > 1 ? null : charge
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
  { currency, direction }: Pick<BankLine, 'currency' | 'direction'>,
  charge: bigint | null,
  payment: string,
): Promise<boolean> {
  if (charge === null) return false
  if (charge === 0n || (charge < 0n && direction === 'in')) return true
  const difference = charge < 0n ? -charge : charge
  const { charges } = await journalSettings(tx)
  if (!charges || !isWithin(difference, payment, SHARE_BY_ITSELF)) return false
  return difference <= thresholdInCurrency(deps.config, charges.tolerance, currency)
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
  {
    id,
    rail,
    transfer_id: transferId,
    amount,
  }: { id?: string; rail: string; transfer_id: string | null; amount?: string },
  charge: bigint | null,
): Promise<void> {
  if (!charge) return
  if (id !== undefined) await noteKeptBy(tx, line, { id, amount }, charge)
  const { currency } = line
  await recordCharge(tx, { cause: chargeCause(line), rail, currency, amount: charge, transferId })
}

/** Notes what the bank kept of a payment of ours by a credit, before the order ends by it: the customer may bear it. */
export async function noteKeptBy(
  tx: Db<Tables>,
  { direction }: Pick<BankLine, 'direction'>,
  { id, amount }: { id: string; amount?: string | undefined },
  charge: bigint | null,
): Promise<void> {
  if (!charge || direction === 'out') return
  const left = await leftFor(tx, id)
  // The part that never left is no charge of the bank.
  const less = left === null || amount === undefined ? 0n : parseAmount(amount) - parseAmount(left)
  await noteKept(tx, id, less > 0n ? charge - less : charge)
}
