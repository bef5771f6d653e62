import type { VelocityFinding, VelocityRule } from '@windlass/contracts/anchor/compliance.ts'
import { assetField, servedAsset, type AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { type Amount, amountOf, formatAmount, parseAmount } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { enqueue } from '@windlass/service/work/outbox.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { worthIn } from '../../money/pricing/worth.ts'
import type { Tables } from '../../tables.ts'
import type { Counted } from './velocity.ts'
import { currentRules } from './velocity-rules.ts'

/*
 * Round trips between anchors: a person's money goes out at one and comes in at another. Anchors tell the platform what its
 * customers move, and ask it what the same customers moved elsewhere. No anchor is named.
 */

/** The outbox's topic for what customers of the platform move here. */
export const MOVEMENTS = 'movements'

const HOUR_MS = 3_600_000
const ASKED_AT_ONCE = 100
const LISTED = 200

/** The ids at the platform of these and of everyone who is the same person as one of them. */
export type WithSame = (ids: readonly string[]) => Promise<string[]>

const isTrip = ({ kind }: VelocityRule): boolean => kind === 'round-trip'
const opposite = { deposit: 'withdrawal', withdrawal: 'deposit' } as const

/** Tells the platform what a customer of it moves, once the transaction is over. */
export async function reportMoved(
  { config }: Pick<Deps, 'config'>,
  tx: Db<Tables>,
  { id, movement, at }: Counted,
): Promise<void> {
  const { centralId: customerId, direction, asset, amount } = movement
  if (customerId === null) return
  const currency = servedAsset(config.anchor, asset).anchoredTo
  const moved = { direction, currency, amount: formatAmount(parseAmount(amount)), at: at.toISOString() }
  await enqueue(tx, MOVEMENTS, id, { customerId, reference: id, ...moved })
}

/** For how many hours a rule looks at other anchors; 0: none does. */
export async function hoursElsewhere(db: Db<Tables>): Promise<number> {
  return Math.max(0, ...(await currentRules(db)).filter(isTrip).map(({ hours }) => hours))
}

/**
 * Notes what customers moved at other anchors. Not in a transaction. Where the platform does not answer, what is known counts:
 * it is asked again within the hour.
 *
 * @returns whether it answered.
 */
export async function noteElsewhere(
  { customerRegistry, database: { db }, clock, logger }: Deps,
  customers: readonly string[],
  hours: number,
): Promise<boolean> {
  const since = new Date(clock.now().getTime() - hours * HOUR_MS)
  try {
    for (let first = 0; first < customers.length; first += ASKED_AT_ONCE) {
      const some = customers.slice(first, first + ASKED_AT_ONCE)
      const found = (await customerRegistry.movementsElsewhere(some, since)).filter(each =>
        some.includes(each.customerId),
      )
      if (found.length === 0) continue
      await db
        .insertInto('movements_elsewhere')
        .values(
          found.map(({ customerId: person, ...moved }) => ({ ...moved, person, at: new Date(moved.at) })),
        )
        .onConflict(conflict => conflict.doNothing())
        .execute()
    }
    return true
  } catch (error) {
    logger.warn({ err: error }, 'the platform does not say what customers moved elsewhere')
    return false
  }
}

/** Customers of the platform who moved money here in the last hours. */
async function movedHere(db: Db<Tables>, since: Date): Promise<string[]> {
  const { rows } = await sql<{ person: string }>`
    select distinct substr(p.key, ${PERSON.length + 1}::int) as person
    from velocity_movements m join velocity_parties p using (transfer_id)
    where m.at > ${since} and p.kind = 'customer' and starts_with(p.key, ${PERSON}) order by 1`.execute(db)
  return rows.map(({ person }) => person)
}

/** What a customer's key begins with whom the platform knows. */
export const PERSON = 'person '

/** Notes what all who moved money here in the last hours moved elsewhere. */
export async function askForMoved(deps: Deps, hours: number, withSame: WithSame): Promise<boolean> {
  const since = new Date(deps.clock.now().getTime() - hours * HOUR_MS)
  // Those of the oldest transfer count from hours before it.
  return noteElsewhere(deps, await withSame(await movedHere(deps.database.db, since)), 2 * hours)
}

export async function forgetElsewhere(tx: Db<Tables>, before: Date): Promise<void> {
  await tx.deleteFrom('movements_elsewhere').where('at', '<', before).execute()
}

interface OwnRow {
  id: string
  direction: 'deposit' | 'withdrawal'
  amount: string
  asset: AssetKey
  at: Date
  sum: string
  count: number
}

/**
 * Which rules a transfer exceeds with what its person moved one way here, and the other way at other anchors.
 *
 * @param unrated what has no rate `counts` as much as what moved here, or `waits` for a case: an anchor could name any currency, and
 *   money is held for no such report.
 */
export async function roundTrips(
  deps: Pick<Deps, 'config'>,
  db: Db<Tables>,
  rules: readonly VelocityRule[],
  counted: Counted,
  unrated: 'counts' | 'waits',
): Promise<VelocityFinding[]> {
  const findings: VelocityFinding[] = []
  for (const rule of rules.filter(isTrip)) {
    const finding = await roundTrip(deps, db, rule, counted, unrated)
    if (finding) findings.push(finding)
  }
  return findings
}

interface ElsewhereRow {
  direction: 'deposit' | 'withdrawal'
  currency: string
  amount: string
  at: Date
}

/** In stroops: what other anchors say may add up to more than one amount holds, and must stop nobody's money. */
const inStroops = (sum: RawBuilder<unknown>) => sql`(${sum} * 10000000)::numeric(80)::text`

async function roundTrip(
  { config }: Pick<Deps, 'config'>,
  db: Db<Tables>,
  rule: VelocityRule,
  { movement, at }: Counted,
  unrated: 'counts' | 'waits',
): Promise<VelocityFinding | null> {
  const { direction, asset, person } = movement
  const persons = person.filter(key => key.startsWith(PERSON)).map(key => key.slice(PERSON.length))
  if (persons.length === 0) return null
  const since = new Date(at.getTime() - rule.hours * HOUR_MS)
  const theirs = sql`from movements_elsewhere where person = any(${persons}::text[])
    and direction = ${opposite[direction]} and at > ${since} and at <= ${at}`
  const to = servedAsset(config.anchor, asset).anchoredTo
  const rated = ['USD', 'USDC', to, ...Object.keys(config.fx)]
  const { rows: sums } = await sql<{ currency: string | null; sum: string }>`
    select case when currency = any(${rated}::text[]) then currency end as currency, ${inStroops(sql`sum(amount)`)} as sum ${theirs}
    group by 1`.execute(db)
  if (sums.length === 0) return null
  const { rows: elsewhere } = await sql<ElsewhereRow>`
    select direction, currency, amount, at ${theirs} order by at desc, id limit ${LISTED}`.execute(db)
  const { rows: here } = await sql<OwnRow>`
    select transfer_id as id, direction, amount, asset, at,
      ${inStroops(sql`(sum(amount) over ())`)} as sum, (count(*) over ())::int as count
    from velocity_movements where direction = ${direction} and asset is not distinct from ${asset}
      and at > ${since} and at <= ${at} and transfer_id in (
        select transfer_id from velocity_parties where kind = 'customer' and key = any(${[...person]}::text[]))
    order by at desc, transfer_id limit ${LISTED}`.execute(db)
  const went = amountOf(BigInt(here[0]?.sum ?? '0'))
  const withoutRate = unrated === 'counts' ? went : amountOf(0n)
  const worth = sums.map(
    ({ currency, sum }) =>
      (currency === null ? null : worthIn(config, amountOf(BigInt(sum)), currency, to)) ?? withoutRate,
  )
  const came = worth.reduce<bigint>((sum, each) => sum + each, 0n)
  const amount: Amount = came < went ? amountOf(came) : went
  if (amount <= parseAmount(rule.amount ?? '0')) return null
  return {
    ...{ rule, count: here[0]?.count ?? 0, amount: formatAmount(amount), ...assetField(asset) },
    transfers: here.map(each => ({
      ...{ id: each.id, direction: each.direction, amount: formatAmount(parseAmount(each.amount)) },
      ...{ ...assetField(each.asset), at: each.at.toISOString() },
    })),
    elsewhere: elsewhere.map(each => ({
      ...{ direction: each.direction, amount: formatAmount(parseAmount(each.amount)) },
      ...{ currency: each.currency, at: each.at.toISOString() },
    })),
  }
}
