import { parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { boundOrders, holdUnbound } from '../payments/bound-orders.ts'
import { type FilePayment, hasLatinForm } from '../rails/bank-file/file-formats.ts'
import * as files from '../rails/bank-file/files.ts'
import { payoutCode } from '../rails/bank-file/payouts.ts'
import { readDestination } from '../rails/destination-fields.ts'
import { cents } from '../rails/payment-instructions.ts'
import type { Rail } from '../rails/rail.ts'
import type { BankPayout, RailOrder, Tables } from '../tables.ts'
import { type Destination, openDestination } from '../transfers/destination.ts'
import { findTransfer } from '../transfers/find.ts'
import { openLine } from './lines.ts'
import { linesOf } from './find-lines.ts'

/** A payout as a file has it. */
export type Payment = FilePayment & { id: string; of: BankPayout }

/** Those of the payouts that this server ordered and that have a complete account. */
export async function paymentsOf(
  deps: Deps,
  tx: Db<Tables>,
  rail: Rail,
  payouts: readonly BankPayout[],
): Promise<Payment[]> {
  const payments: Payment[] = []
  for (const { payout, target } of await ordered(deps, tx, payouts)) {
    const destination = await destinationOf(deps, tx, rail, payout, target)
    const amount = cents(payout.amount)
    if (destination && /^\d{1,8}\.\d\d$/.test(amount))
      payments.push({ id: payout.id, code: payout.code, amount, destination, of: payout })
  }
  return payments
}

/** Those of the payouts that are what this server ordered: a row of a payout is worth as much as its order. */
export async function orderedOnly(
  deps: Deps,
  tx: Db<Tables>,
  payouts: readonly BankPayout[],
): Promise<BankPayout[]> {
  return (await ordered(deps, tx, payouts)).map(({ payout }) => payout)
}

/** As {@link orderedOnly}, with where each goes, as the proof of its order has it. */
async function ordered(
  deps: Deps,
  tx: Db<Tables>,
  payouts: readonly BankPayout[],
): Promise<{ payout: BankPayout; target: Destination }[]> {
  const orders = await boundOrders(
    deps,
    tx,
    payouts.map(({ id }) => id),
  )
  const found: { payout: BankPayout; target: Destination }[] = []
  for (const payout of payouts) {
    const bound = orders.get(payout.id)
    if (bound && isOf(payout, bound.order)) found.push({ payout, target: bound.target })
    else await holdUnbound(tx, payout.id)
  }
  return found
}

function isOf(payout: BankPayout, order: RailOrder): boolean {
  const isPayout = order.kind === 'payout'
  return (
    payout.kind === order.kind &&
    payout.rail === order.rail &&
    payout.currency === order.currency &&
    payout.code === payoutCode(order.id) &&
    parseAmount(payout.amount) === parseAmount(order.amount) &&
    payout.transfer_id === (isPayout ? order.transfer_id : null) &&
    payout.line_id === (isPayout ? null : (order.destination.paymentId ?? null))
  )
}

/**
 * The account that a payout goes to; null: it is not known, not complete, or names nobody whom a file can name.
 *
 * @param target as the proof of its order has it, so that it is not read again.
 */
async function destinationOf(
  deps: Deps,
  tx: Db<Tables>,
  rail: Rail,
  payout: BankPayout,
  target?: Destination,
): Promise<Record<string, string> | null> {
  const found = await accountOf(deps, tx, rail, payout, target)
  return typeof found === 'string' ? null : found
}

/** The account that a payout goes to, or what is missing: the account itself, or its holder's name in Latin letters. */
export async function accountOf(
  deps: Deps,
  tx: Db<Tables>,
  rail: Rail,
  payout: BankPayout,
  target?: Destination,
): Promise<Record<string, string> | 'account' | 'latin-name'> {
  const added = files.openAccount(deps.sealer, payout)
  const given = payout.transfer_id
    ? await destinationOfTransfer(deps, tx, payout.transfer_id, added, target)
    : (added ?? (await payerOf(deps, tx, payout)))
  if (!given) return 'account'
  // A SEP-6 withdrawal may have no name of its own: it was agreed without one.
  const fields = rail.destinationFields.map(field => ({
    ...field,
    optional: field.optional ?? field.name === 'dest_name',
  }))
  const { destination, wrong } = readDestination(fields, given)
  if (wrong.length > 0 || !destination.dest_name) return 'account'
  return hasLatinForm(destination.dest_name) ? destination : 'latin-name'
}

/** As it was agreed; where that has no holder's name that a file can have, with the one that an operator added. */
async function destinationOfTransfer(
  { sealer }: Deps,
  tx: Db<Tables>,
  id: string,
  added: Readonly<Record<string, string>> | null,
  target?: Destination,
): Promise<Record<string, string> | null> {
  const transfer = target ? null : await findTransfer(tx, id)
  const agreed = target ?? (transfer && openDestination(sealer, transfer))
  if (!agreed) return null
  return added?.dest_name && !hasLatinForm(agreed.dest_name ?? '')
    ? { ...agreed, dest_name: added.dest_name }
    : agreed
}

/** Who paid the line that a return sends back; null: its line names no account. */
export async function payerOf({ sealer }: Deps, tx: Db<Tables>, { line_id: id }: BankPayout) {
  const [line] = id ? await linesOf(tx, [id]) : []
  if (!line) return null
  const { account, bank, name } = openLine(sealer, line)
  return account && { dest: account, dest_extra: bank ?? '', dest_name: name ?? '' }
}
