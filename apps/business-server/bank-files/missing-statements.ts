import type { Amount } from '@windlass/money/amount.ts'
import { amountOf, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Tables } from '../tables.ts'

/** A statement that does not begin with the balance with which the one before it ended. */
interface Gap {
  account: string
  currency: string
  /** With which balance the account ended before, and on which day. */
  last: { day: string; balance: Amount }
  /** The first day that is read again, and the balance before it. */
  next: { day: string; balance: Amount }
}

/** A statement of a file with both balances, and the days of its bookings with the balance after each. */
interface Part {
  id: string
  account: string
  currency: string
  from: string
  to: string
  opening: bigint
  closing: bigint
  days: { day: string; closing: bigint }[]
}

/**
 * Where a bank's balances do not follow from each other, since no statement of the days between was read. Statements may
 * overlap, and come in any order and format; the earliest one has nothing before it.
 */
export async function findGaps(db: Db<Tables>): Promise<Gap[]> {
  const byAccount = Map.groupBy(await partsWithBalances(db), ({ account }) => account)
  return [...byAccount.values()].flatMap(gapsIn)
}

/** What a bank says that an account has and had. */
export interface BankBalances {
  /** At the end of the last day that its statements reach; null: they have no balances. */
  bank: { day: string; balance: Amount } | null
  /** Before its first statement. `day`: null: not known. */
  first: { day: string | null; balance: Amount } | null
}

/** By account. */
export async function bankBalances(db: Db<Tables>): Promise<Map<string, BankBalances>> {
  const byAccount = Map.groupBy(await partsWithBalances(db), ({ account }) => account)
  return new Map(
    [...byAccount].map(([account, parts]) => {
      const to = parts.reduce((day, each) => (each.to > day ? each.to : day), '')
      const from = parts.reduce((day, each) => (day === '' || each.from < day ? each.from : day), '')
      const [last, first] = [parts.filter(each => each.to === to), parts.filter(each => each.from === from)]
      // Several of one day may be its parts, each with the balance of the one before it.
      const [openings, closings] = [
        new Set(last.map(({ opening }) => opening)),
        new Set(first.map(({ closing }) => closing)),
      ]
      const end =
        last.findLast(({ closing, opening }) => !openings.has(closing) || closing === opening) ?? last.at(-1)
      const start =
        first.find(({ opening, closing }) => !closings.has(opening) || closing === opening) ?? first[0]
      return [
        account,
        {
          bank: end ? { day: to, balance: amountOf(end.closing) } : null,
          first: start ? { day: dayBefore(from), balance: amountOf(start.opening) } : null,
        },
      ]
    }),
  )
}

const dayBefore = (day: string): string | null =>
  day === '' ? null : new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)

async function partsWithBalances(db: Db<Tables>): Promise<Part[]> {
  const rows = await db
    .selectFrom('bank_statement_parts as part')
    .innerJoin('bank_statements as statement', 'statement.id', 'part.statement_id')
    .select(['part.id', 'account', 'currency', 'part.opening', 'part.closing', 'opening_day', 'closing_day'])
    .select(
      sql<{ day: string; closing: string }[]>`coalesce((
        select json_agg(json_build_object('day', day, 'closing', closing::text) order by day)
        from bank_statement_days where part_id = part.id and closing is not null), '[]')`.as('days'),
    )
    .where('part.opening', 'is not', null)
    .where('part.closing', 'is not', null)
    .where('closing_day', 'is not', null)
    .orderBy('closing_day')
    .orderBy('part.statement_id')
    .orderBy('part.position')
    .execute()
  return rows.map(({ opening_day, closing_day, ...row }) => ({
    ...{ id: row.id, account: row.account, currency: row.currency },
    ...{ from: row.days[0]?.day ?? opening_day ?? closing_day ?? '', to: closing_day ?? '' },
    ...{ opening: parseAmount(row.opening ?? '0'), closing: parseAmount(row.closing ?? '0') },
    days: row.days.map(({ day, closing }) => ({ day, closing: parseAmount(closing) })),
  }))
}

function gapsIn(parts: readonly Part[]): Gap[] {
  const gaps: Gap[] = []
  const read: Part[] = []
  for (const [to, group] of Map.groupBy(parts, part => part.to)) {
    const closings = new Set(group.map(({ closing }) => closing))
    // Several of one day may be its parts, each with the balance of the one before it, or the same in other formats.
    const begin = new Map(
      group.filter(({ opening }) => !closings.has(opening)).map(part => [part.opening, part]),
    )
    for (const part of begin.values()) {
      const last = endBefore(part, parts)
      if (!last || follows(part, read, parts)) continue
      const { account, currency } = part
      const next = { day: part.from < to ? part.from : to, balance: amountOf(part.opening) }
      gaps.push({ account, currency, last, next })
    }
    read.push(...group)
  }
  return gaps
}

/** The last balance before a statement begins, on whatever statement; null: nothing was read of the days before it. */
function endBefore(part: Part, all: readonly Part[]): Gap['last'] | null {
  const ends = all
    .filter(({ id }) => id !== part.id)
    .flatMap(({ to, opening, closing, days }) => [
      { day: to, opening, closing },
      ...days.map(each => ({ ...each, opening: null })),
    ])
    .filter(({ day }) => day < part.from)
  const latest = ends.reduce((day, each) => (each.day > day ? each.day : day), '')
  const same = ends.filter(({ day }) => day === latest)
  const openings = new Set(same.map(({ opening }) => opening))
  const end = same.find(({ closing }) => !openings.has(closing)) ?? same.at(-1)
  return end ? { day: end.day, balance: amountOf(end.closing) } : null
}

/** Whether another statement has the balance with which this one begins: at its end, within it, or at its beginning too. */
function follows(part: Part, read: readonly Part[], all: readonly Part[]): boolean {
  if (read.some(({ opening, from }) => opening === part.opening && from >= part.from)) return true
  const others = all.filter(({ id }) => id !== part.id)
  const ends = others.flatMap(({ to, closing, days }) => [{ day: to, closing }, ...days])
  const before = [ends.filter(({ day }) => day <= part.from), ends.filter(({ day }) => day < part.from)]
  return before.some(balances => {
    const latest = balances.reduce((day, each) => (each.day > day ? each.day : day), '')
    return balances.some(({ day, closing }) => day === latest && closing === part.opening)
  })
}
