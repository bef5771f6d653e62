import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { openOrders } from '../payments/rail-orders.ts'
import { payoutsNamed } from '../rails/bank-file/payouts.ts'
import type { BankLine, RailOrder, Tables } from '../tables.ts'
import { awaitedDeposits, transfersByReference } from '../transfers/find.ts'
import { railsOf } from './accounts.ts'
import { ownLines } from './lines.ts'

/** What a line was said to be, and what speaks against it. */
export interface Doubtful {
  line: BankLine
  /** The transaction that it seems to be of; null: not known. */
  transactionId: string | null
  /**
   * `reference`: the line names the transaction. `amount`: it is only as large as what that waits for. `payer`, `account`:
   * someone else paid. `record`: the money is recorded for that one, or in another account.
   */
  by: 'reference' | 'amount' | 'payer' | 'account' | 'record'
}

export const COMPARED = 1_000

/** Money that people called the business's own within the last 90 days, and that a reference or an open amount speaks against. */
export async function doubtfulDecisions(deps: Deps, db: Db<Tables>): Promise<Doubtful[]> {
  const lines = await ownLines(db, COMPARED)
  const codes = lines.flatMap(line => line.codes)
  const transfers = await transfersByReference(db, codes)
  const payouts = await payoutsNamed(db, codes)
  const orders = (await openOrders(db, 0)).filter(({ state }) => state === 'sent')
  const found: Doubtful[] = []
  for (const line of lines) {
    const rails = railsOf(deps, line.account).map(({ name }) => name)
    const transfer = transfers.find(
      ({ reference, rail }) => line.codes.includes(reference ?? '') && rails.includes(rail),
    )
    const payout = payouts.find(({ code, rail }) => line.codes.includes(code) && rails.includes(rail))
    if (transfer || payout) {
      found.push({ line, transactionId: transfer?.id ?? payout?.transfer_id ?? null, by: 'reference' })
      continue
    }
    const id = await waitingFor(db, line, rails, orders)
    if (id !== undefined) found.push({ line, transactionId: id, by: 'amount' })
  }
  return found
}

/** The transaction that waits for a line's amount; null: a return to who has none. */
export async function waitingFor(
  db: Db<Tables>,
  line: BankLine,
  rails: readonly string[],
  orders: readonly RailOrder[],
): Promise<string | null | undefined> {
  if (rails.length === 0) return undefined
  if (line.direction === 'out')
    return orders.find(({ rail, amount }) => rails.includes(rail) && amount === line.amount)?.transfer_id
  // The newest of those that wait for any amount, too, which are no evidence.
  const deposits = await awaitedDeposits(db, rails, line.amount, 20)
  return deposits.find(({ fiat_amount }) => fiat_amount !== null)?.id
}
