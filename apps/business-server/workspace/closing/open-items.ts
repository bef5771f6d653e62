import type { OpenItem, openKinds } from '@windlass/contracts/anchor/journal.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { readScalar } from '@windlass/service/postgres/scalars.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { undecidedUntil } from '../../bank-files/find-lines.ts'
import { findGaps } from '../../bank-files/missing-statements.ts'
import { readUntil } from '../../bank-files/statements.ts'
import type { Deps } from '../../deps.ts'
import { actionsWaiting } from '../../money/approvals/approvals.ts'
import { manualEntriesWaiting } from '../../money/journal/manual.ts'
import type { Balance } from '../../money/journal/journal.ts'
import { openOrders } from '../../payments/rail-orders.ts'
import { unconfirmedReceipts } from '../../payments/rail-receipts.ts'
import type { Tables } from '../../tables.ts'
import { confirmedByPeople, listDifferences } from '../reconciliation/store.ts'

const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

type Kind = (typeof openKinds)[number]
type Money = { unit: string; amount: string }

const LISTED = 20
/** Differences that are items of their own, each with the same amount. */
const LISTED_APART: ReadonlySet<string> = new Set(['statement-missing', 'payment-unconfirmed'])
const BALANCES = ['suspense', 'kept', 'in-transit'] as const

/**
 * What is open at the end of a period.
 *
 * @param to its last day
 * @param balances at its end
 */
export async function openItems(
  deps: Deps,
  db: Db<Tables>,
  to: string,
  balances: readonly Balance[],
): Promise<OpenItem[]> {
  const lines = await undecidedUntil(db, to)
  const differences = (await listDifferences(db, { status: 'open', limit: 100 })).filter(
    ({ kind }) => !LISTED_APART.has(kind),
  )
  const confirmed = await confirmedByPeople(db)
  const said = (await unconfirmedReceipts(db)).filter(
    ({ rail, payment_id, seen_at }) => dayOf(seen_at) <= to && !confirmed.has(`${rail}:${payment_id}`),
  )
  const waiting = (await readScalar(db, actionsWaiting)) + (await readScalar(db, manualEntriesWaiting))
  const orders = (await openOrders(db, 0)).filter(order => dayOf(order.created_at) <= to)
  const gaps = (await findGaps(db)).filter(({ next }) => next.day <= to)
  const read = await readUntil(db)
  const unread = new Map<string, string>()
  for (const { bankAccount } of deps.rails.values())
    if (bankAccount && (read.get(bankAccount.account) ?? '') < to)
      unread.set(bankAccount.account, read.get(bankAccount.account) ?? 'never')
  const rows = <T>(
    kind: Kind,
    all: readonly T[],
    money: (row: T) => Money | null,
    about: (row: T) => string,
    day?: (row: T) => string,
  ) => ({
    ...{ kind, count: all.length, amounts: sumsOf(all.flatMap(row => money(row) ?? [])) },
    about: all.slice(0, LISTED).map(about),
    ...(day && {
      rows: all.slice(0, LISTED).flatMap(row => {
        const of = money(row)
        const amount = formatAmount(parseAmount(of?.amount ?? '0'))
        return of ? [{ about: about(row), day: day(row), unit: of.unit, amount }] : []
      }),
    }),
  })
  return [
    rows(
      'lines-undecided',
      lines,
      line => ({ unit: line.currency, amount: line.amount }),
      line => line.id,
      line => line.booked_on,
    ),
    ...BALANCES.map(account =>
      rows(
        account,
        balances.filter(each => each.account === account),
        each => each,
        each => each.unit,
      ),
    ),
    rows(
      'differences',
      differences,
      row => row,
      row => row.detail,
    ),
    rows(
      'payments-unconfirmed',
      said,
      ({ currency, amount }) => ({ unit: currency, amount }),
      ({ rail, payment_id }) => `${rail} ${payment_id}`,
      ({ seen_at }) => dayOf(seen_at),
    ),
    { kind: 'decisions-waiting' as const, count: waiting, amounts: [], about: [] },
    rows(
      'payouts-open',
      orders,
      order => ({ unit: order.currency, amount: order.amount }),
      order => order.id,
      ({ created_at }) => dayOf(created_at),
    ),
    rows(
      'statement-missing',
      gaps,
      gap => ({ unit: gap.currency, amount: formatAmount(amountOf(gap.next.balance - gap.last.balance)) }),
      gap => `${gap.account} ${gap.next.day}`,
    ),
    rows(
      'statement-not-read',
      [...unread],
      () => null,
      ([account, until]) => `${account} ${until}`,
    ),
  ].filter(({ count }) => count > 0)
}

function sumsOf(all: readonly Money[]): Money[] {
  const sums = new Map<string, bigint>()
  for (const { unit, amount } of all) sums.set(unit, (sums.get(unit) ?? 0n) + parseAmount(amount))
  return [...sums].map(([unit, sum]) => ({ unit, amount: formatAmount(amountOf(sum)) }))
}
