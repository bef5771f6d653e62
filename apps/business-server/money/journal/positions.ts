import type { ExchangePosition } from '@windlass/contracts/anchor/journal.ts'
import { servedAssets } from '@windlass/contracts/internal/served-assets.ts'
import { amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import { divide, divideHalfUp, formatRate } from '@windlass/money/rate.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { Tables } from '../../tables.ts'
import { exchangeRate } from '../pricing/exchange-rate.ts'
import { recordEntry, unitOf } from './journal.ts'

interface Position {
  unit: string
  currency: string
  /** Money that is there by exchanges; negative: more was paid out. */
  money: bigint
  /** Units that it cost. */
  cost: bigint
  /** Units that exchanges back earned: cost less what was given for it. */
  realised: bigint
}

/** One exchange, in the position's direction: money that came, for units that are owed. */
interface Exchanged {
  money: bigint
  units: bigint
}

/**
 * A position after an exchange. What closes it is valued by the mean cost of what was there, and the difference is
 * realised; what goes beyond zero opens it the other way, at the rate of that exchange.
 */
export function afterExchange<Of extends Pick<Position, 'money' | 'cost' | 'realised'>>(
  before: Of,
  { money, units }: Exchanged,
): Of {
  const { money: had, cost, realised } = before
  const opens = had === 0n || had > 0n === money > 0n
  if (money === 0n || opens) return { ...before, money: had + money, cost: cost + units }
  const closes = abs(money) < abs(had) ? -money : had
  const costOf = part(cost, closes, had)
  const paidFor = part(units, -closes, money)
  return {
    ...before,
    money: had + money,
    cost: cost - costOf + (units - paidFor),
    realised: realised - paidFor - costOf,
  }
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value)
const part = (of: bigint, share: bigint, whole: bigint): bigint =>
  whole < 0n ? divideHalfUp(-of * share, -whole) : divideHalfUp(of * share, whole)

/** What exchanges until a day came to, for each asset and currency. */
async function positionsUntil(db: Db<Tables>, day: string): Promise<Position[]> {
  const { rows } = await sql<{ unit: string; currency: string; units: string; money: string }>`
    select u.unit, m.unit as currency, u.amount::text as units, (-m.amount)::text as money
    from journal_entries e
      join journal_lines u on u.entry_id = e.id and u.account = 'exchange' and (u.unit = 'asset' or u.unit like '%:%')
      join journal_lines m on m.entry_id = e.id and m.account = 'exchange' and not (m.unit = 'asset' or m.unit like '%:%')
    where e.counted_on <= ${day} order by e.counted_on, e.created_at, e.id`.execute(db)
  const found = new Map<string, Position>()
  for (const { unit, currency, units, money } of rows) {
    const key = `${unit} ${currency}`
    const before = found.get(key) ?? { unit, currency, money: 0n, cost: 0n, realised: 0n }
    found.set(key, afterExchange(before, { money: parseAmount(money), units: parseAmount(units) }))
  }
  return [...found.values()]
}

/** What is booked as realised of a position. */
async function bookedOf(db: Db<Tables>, { unit, currency }: Position): Promise<bigint> {
  const { rows } = await sql<{ sum: string }>`
    select coalesce(-sum(l.amount), 0)::text as sum from journal_lines l join journal_entries e on e.id = l.entry_id
    where e.kind = 'fx-realised' and starts_with(e.cause, ${causeOf(unit, currency)})
      and l.account = 'fx-income' and l.unit = ${unit}`.execute(db)
  return parseAmount(rows[0]?.sum ?? '0')
}

const causeOf = (unit: string, currency: string): string => `fx-realised:${unit}:${currency}:`

/** Books what exchanges until a day realised and no earlier entry has, on that day. */
export async function recordRealised(tx: Db<Tables>, day: string): Promise<void> {
  for (const position of await positionsUntil(tx, day)) {
    const earned = position.realised - (await bookedOf(tx, position))
    await recordEntry(tx, {
      ...{ cause: `${causeOf(position.unit, position.currency)}${day}`, kind: 'fx-realised', bookedOn: day },
      lines: [
        ['exchange', position.unit, earned],
        ['fx-income', position.unit, -earned],
      ],
    })
  }
}

/** Positions at the end of a day, valued at present rates. */
export async function readPositions(
  { config: { anchor, fx } }: Pick<Deps, 'config'>,
  db: Db<Tables>,
  day: string,
): Promise<ExchangePosition[]> {
  const text = (amount: bigint) => formatAmount(amountOf(amount))
  const assets = new Map(servedAssets(anchor).map(each => [unitOf(each.key), each.anchoredTo]))
  return (await positionsUntil(db, day)).map(position => {
    const { unit, currency, money, cost, realised } = position
    const rate = exchangeRate(fx, assets.get(unit) ?? '', currency)
    const value = rate && divide(amountOf(money), rate)
    return {
      ...{ unit, currency, money: text(money), cost: text(cost), realised: text(realised) },
      rate: rate && formatRate(rate),
      source: anchor.fxRatesWithin === undefined ? 'configured' : 'platform',
      value: value === null ? null : text(value),
      unrealised: value === null ? null : text(value - cost),
    }
  })
}
