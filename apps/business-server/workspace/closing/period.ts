import type { closeKinds, Period } from '@windlass/contracts/anchor/journal.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { createHash } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { balancesOf, entriesOf } from '../../money/journal/periods.ts'
import { readPositions } from '../../money/journal/positions.ts'
import { journalSettings } from '../../money/journal/settings.ts'
import { requireDay } from '../../paging.ts'
import type { Tables } from '../../tables.ts'
import { openItems } from './open-items.ts'

export type CloseKind = (typeof closeKinds)[number]
const LISTED_LATE = 1_000
const FAR = new Date('9999-12-31')

/** The first and last day of the day or month that has a day. Throws `validation-failed`. */
export function daysOf(kind: CloseKind, text: string): { from: string; to: string } {
  const day = requireDay('day', text)
  if (kind === 'day') return { from: day, to: day }
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7))]
  return { from: `${day.slice(0, 7)}-01`, to: new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10) }
}

/** All that a period's close says. */
export async function readPeriod(
  deps: Deps,
  db: Db<Tables>,
  kind: CloseKind,
  { from, to }: { from: string; to: string },
): Promise<Period> {
  const days = { from, to, before: FAR }
  const opening = await balancesOf(db, days, 'opening')
  const closing = await balancesOf(db, days, 'closing')
  const { timeZone } = await journalSettings(db)
  return {
    ...{ kind, from, to, timeZone },
    balances: besideEachOther(opening, closing),
    open: await openItems(deps, db, to, closing),
    positions: await readPositions(deps, db, to),
    ...(await entriesIn(db, days)),
  }
}

type Balances = Awaited<ReturnType<typeof balancesOf>>

function besideEachOther(opening: Balances, closing: Balances): Period['balances'] {
  const key = ({ account, unit }: Balances[number]) => `${unit} ${account}`
  const before = new Map(opening.map(each => [key(each), each.amount]))
  const after = new Map(closing.map(each => [key(each), each.amount]))
  const all = new Map([...opening, ...closing].map(each => [key(each), each]))
  return [...all]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { account, unit }]) => ({
      ...{ account, unit, opening: before.get(name) ?? '0', closing: after.get(name) ?? '0' },
    }))
}

/** Digest of all entries, and those that were booked before the period. */
async function entriesIn(
  db: Db<Tables>,
  days: Parameters<typeof entriesOf>[1],
): Promise<Pick<Period, 'entries' | 'late' | 'lateSums'>> {
  const digest = createHash('sha256')
  const late: Period['late'] = []
  const sums = new Map<string, { account: string; unit: string; amount: bigint }>()
  let count = 0
  for await (const entry of entriesOf(db, days)) {
    count += 1
    digest.update(`${JSON.stringify(entry)}\n`)
    const { id, kind, bookedOn, at: recordedAt, lines } = entry
    if (bookedOn >= days.from) continue
    if (late.length < LISTED_LATE) late.push({ id, kind, bookedOn, recordedAt, lines })
    for (const { account, unit, amount } of lines) {
      const key = `${unit} ${account}`
      const before = sums.get(key)?.amount ?? 0n
      sums.set(key, { account, unit, amount: before + parseAmount(amount) })
    }
  }
  const lateSums = [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, each]) => each)
    .filter(({ amount }) => amount !== 0n)
    .map(each => ({ ...each, amount: formatAmount(amountOf(each.amount)) }))
  return { late, lateSums, entries: { count, sha256: digest.digest('hex') } }
}
