import type { Db } from '@windlass/service/postgres/database.ts'
import type { Deps } from '../deps.ts'
import { openOrders } from '../payments/rail-orders.ts'
import { payoutsNamed, payoutsWithIds } from '../rails/bank-file/payouts.ts'
import type { BankLine, RailOrder, Tables, BankPayout, Transfer } from '../tables.ts'
import { awaitedDeposits, transfersByReference, transfersWithIds } from '../transfers/find.ts'
import { railsOf } from './accounts.ts'
import { ownLines, matchedLines, paidFromAccountOf } from './find-lines.ts'
import { accountsOfCauses } from '../money/journal/journal.ts'
import { acceptedFor } from '../payments/rail-receipts.ts'
import { ownCause } from './explain-line.ts'
import { payerNames } from './match.ts'
import { weighDeposit, weighPayout } from './ties.ts'

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

const COMPARED = 1_000

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
async function waitingFor(
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

/**
 * Lines that are matched to a transaction or called the business's own, where the line, who paid it, or the record of its
 * money says another one. What ties a match (the reference, the file, the account) outweighs who paid: people saw that.
 */
export async function doubtfulMatches(deps: Deps, db: Db<Tables>): Promise<Doubtful[]> {
  const byPeople = await matchedLines(db, 'person', COMPARED)
  const lines = [...byPeople, ...(await matchedLines(db, 'itself', COMPARED))]
  const known = await knownOf(db, lines)
  const found: Doubtful[] = await recordedOtherwise(db, lines)
  const named = new Set(found.map(({ line }) => line.id))
  for (const line of lines) {
    if (named.has(line.id)) continue
    const doubt = byItsWords(deps, line, known) ?? (await byWhoPaid(deps, db, line, known))
    if (doubt) found.push({ line, ...doubt })
  }
  return found
}

type Doubt = Pick<Doubtful, 'transactionId' | 'by'>

interface Known {
  transfers: ReadonlyMap<string, Transfer>
  payouts: ReadonlyMap<string, BankPayout>
  /** The transactions whose references the lines have. */
  named: readonly Transfer[]
}

async function knownOf(db: Db<Tables>, lines: readonly BankLine[]): Promise<Known> {
  const ids = lines.flatMap(({ transfer_id: id }) => id ?? [])
  const transfers = await transfersWithIds(db, [...new Set(ids)])
  const orders = lines.flatMap(({ order_id: id }) => id ?? [])
  const payouts = await payoutsWithIds(db, [...new Set(orders)])
  const named = await transfersByReference(db, [...new Set(lines.flatMap(({ codes }) => codes))])
  return {
    transfers: new Map(transfers.map(each => [each.id, each])),
    payouts: new Map(payouts.map(each => [each.id, each])),
    named,
  }
}

/** Deposits and business's own money whose record names another transaction or account: someone changed the one or the other. */
async function recordedOtherwise(db: Db<Tables>, matched: readonly BankLine[]): Promise<Doubtful[]> {
  const own = await ownLines(db, COMPARED)
  const came = [...matched, ...own].filter(({ direction }) => direction === 'in')
  const accepted = await acceptedFor(
    db,
    came.map(({ id }) => id),
  )
  const accounts = await accountsOfCauses(db, own.map(ownCause))
  return [...matched, ...own].flatMap((line): Doubtful[] => {
    const transactionId = accepted.get(line.id) ?? null
    const isElsewhere = transactionId !== null && transactionId !== line.transfer_id
    const account = line.ignored_as === 'own' ? accounts.get(ownCause(line)) : undefined
    const isOther = account !== undefined && account !== (line.own_account ?? 'kept')
    return isElsewhere || isOther ? [{ line, transactionId, by: 'record' }] : []
  })
}

/** The line names another transaction, and not the one that it is said to be of. */
function byItsWords(deps: Deps, line: BankLine, { transfers, payouts, named }: Known): Doubt | null {
  const transfer = transfers.get(line.transfer_id ?? '')
  const payout = payouts.get(line.order_id ?? '')
  const own = [transfer?.reference, payout?.code].filter(code => typeof code === 'string')
  if (own.length === 0 || own.some(code => line.codes.includes(code))) return null
  const rails = railsOf(deps, line.account).map(({ name }) => name)
  const other = named.find(
    ({ reference, rail, id }) =>
      id !== line.transfer_id && line.codes.includes(reference ?? '') && rails.includes(rail),
  )
  return other ? { transactionId: other.id, by: 'reference' } : null
}

/** Nothing ties a line to what people said, and it was paid by someone else, or as much is waited for elsewhere. */
async function byWhoPaid(deps: Deps, db: Db<Tables>, line: BankLine, known: Known): Promise<Doubt | null> {
  if (line.decided_by === null) return null
  const payout = known.payouts.get(line.order_id ?? '')
  const transfer = known.transfers.get(line.transfer_id ?? '')
  if (payout) {
    const { ties, doubts } = await weighPayout(deps, db, line, payout)
    return ties.length === 0 && doubts.includes('other-name') ? { transactionId: null, by: 'payer' } : null
  }
  if (transfer?.direction !== 'deposit' || line.direction !== 'in') return null
  if (transfer.reference !== null && line.codes.includes(transfer.reference)) return null
  const { ties, doubts } = await weighDeposit(deps, db, line, transfer, await payerNames(deps, transfer))
  if (ties.length > 0) return null
  if (doubts.includes('other-name')) return { transactionId: null, by: 'payer' }
  const others = await transfersWithIds(db, await paidFromAccountOf(db, line))
  const isOfOthers = others.length > 0 && !others.some(each => ownerOf(each) === ownerOf(transfer))
  if (isOfOthers) return { transactionId: others[0]?.id ?? null, by: 'account' }
  const rails = railsOf(deps, line.account).map(({ name }) => name)
  const waiting = await waitingFor(db, line, rails, [])
  return waiting ? { transactionId: waiting, by: 'amount' } : null
}

const ownerOf = ({ person, customer_id, account }: Transfer): string => person ?? customer_id ?? account
