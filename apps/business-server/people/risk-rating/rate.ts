import { randomUUID } from 'node:crypto'
import {
  type Rating,
  rank,
  ratings,
  type RiskFactor,
  type RiskMeasures,
  type RiskRule,
} from '@windlass/contracts/anchor/risk-rating.ts'
import type { AssetKey } from '@windlass/contracts/internal/served-assets.ts'
import { type Amount, amountOf } from '@windlass/money/amount.ts'
import type { Db } from '@windlass/service/postgres/database.ts'
import { sql, type Selectable } from 'kysely'
import type { Deps } from '../../deps.ts'
import { thresholdIn } from '../../money/pricing/worth.ts'
import type { CustomerRatingTable, Tables } from '../../tables.ts'
import { currentCountryRules } from '../compliance/country-rules.ts'
import { formerRatings, type Rated, replaceFormer } from './former.ts'
import { openNote, sealNote } from './notes.ts'
import { currentRiskRules } from './rules.ts'

type Row = Selectable<CustomerRatingTable>

/** What rules look at. */
export interface RiskFacts {
  /** Two letters each. */
  residence: readonly string[]
  documents: readonly string[]
  isOrganization: boolean
  since: Date
  /** What they moved in the last 30 days. */
  volume: ReadonlyMap<AssetKey, Amount>
}

const DAY_MS = 86_400_000
const highest = (all: readonly Rating[]): Rating => ratings.findLast(each => all.includes(each)) ?? 'normal'

/** The rating that rules give, and which of them gave it. */
function ratingBy(
  deps: Pick<Deps, 'config' | 'clock'>,
  rules: readonly RiskRule[],
  facts: RiskFacts,
  highRisk: readonly string[],
): { rating: Rating; reasons: RiskFactor[] } {
  const days = (deps.clock.now().getTime() - facts.since.getTime()) / DAY_MS
  const isIn = (countries: readonly string[], list: readonly string[] = []) =>
    countries.some(each => list.includes(each))
  const exceeds = (amount: string) =>
    [...facts.volume].some(([asset, sum]) => sum > thresholdIn(deps.config, amount, asset))
  const tests: Record<RiskFactor, (rule: RiskRule) => boolean> = {
    residence: ({ countries }) => isIn(facts.residence, countries),
    document: ({ countries }) => isIn(facts.documents, countries),
    'high-risk-country': () => isIn([...facts.residence, ...facts.documents], highRisk),
    organization: () => facts.isOrganization,
    person: () => !facts.isOrganization,
    'newer-than': rule => days < (rule.days ?? 0),
    'older-than': rule => days >= (rule.days ?? 0),
    'volume-above': ({ amount }) => amount !== undefined && exceeds(amount),
  }
  const applying = rules.filter(rule => tests[rule.when](rule))
  const rating = highest(applying.map(each => each.rating))
  const reasons = applying.filter(each => each.rating === rating).map(({ when }) => when)
  return { rating, reasons: [...new Set(reasons)] }
}

/** A review by a person. */
interface Review {
  atLeast: Rating | null
  note: string
  by: string
}

/** Rates a customer again, in the caller's transaction. A row is added where something changed, or a person looked at them. */
export async function rateCustomer(
  deps: Pick<Deps, 'config' | 'clock' | 'sealer'>,
  tx: Db<Tables>,
  customer: Rated,
  facts: RiskFacts,
  review: Review | null = null,
): Promise<Row> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`rating:${customer.id}`}, 0))`.execute(tx)
  const before = await findRating(tx, customer.id)
  const former = await formerRatings(tx, customer)
  const { version, rules } = await currentRiskRules(deps, tx)
  const { highRisk } = await currentCountryRules(deps, tx)
  const { rating: given, reasons } = ratingBy(deps, rules.rules, facts, highRisk)
  const said = [before, ...former].filter(each => each?.at_least).toSorted(bySaid)[0]
  const atLeast = review ? review.atLeast : (said?.at_least ?? null)
  const rating = atLeast !== null && rank(atLeast) > rank(given) ? atLeast : given
  const isSame = before?.at_least === atLeast && before.reasons.join() === reasons.join()
  if (before?.rating === rating && isSame && !review) return before
  const now = deps.clock.now()
  if (review) await replaceFormer(tx, former, now)
  if (before)
    await tx.updateTable('customer_ratings').set({ replaced_at: now }).where('id', '=', before.id).execute()
  const due = new Date(now)
  due.setUTCMonth(due.getUTCMonth() + rules.measures[rating].reviewMonths)
  const dueOn = due.toISOString().slice(0, 10)
  // Only a person's review moves the day of review to a later one.
  const id = randomUUID()
  const noted = said ?? before
  const note = review?.note ?? (noted ? openNote(deps.sealer, noted) : null)
  const reviewOns = review ? [] : [before, said].flatMap(each => each?.review_on ?? [])
  return tx
    .insertInto('customer_ratings')
    .values({
      ...{ id, customer_id: customer.id, rating, reasons, at_least: atLeast, by: review?.by ?? 'rules' },
      ...{ sealed_note: sealNote(deps.sealer, id, note), rules_version: String(version) },
      review_on: [dueOn, ...reviewOns].toSorted()[0] ?? dueOn,
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The highest that a person said first. */
const bySaid = (one: Row | null | undefined, other: Row | null | undefined): number =>
  rank(other?.at_least ?? 'low') - rank(one?.at_least ?? 'low')

/** Null: the customer was never rated. */
export async function findRating(db: Db<Tables>, customerId: string): Promise<Row | null> {
  const query = db.selectFrom('customer_ratings').selectAll().where('customer_id', '=', customerId)
  return (await query.where('replaced_at', 'is', null).executeTakeFirst()) ?? null
}

/** What follows for a person: of all their accounts' ratings the highest counts. */
export async function measuresFor(
  deps: Pick<Deps, 'config'>,
  db: Db<Tables>,
  customerIds: readonly string[],
): Promise<RiskMeasures> {
  const { rules } = await currentRiskRules(deps, db)
  if (customerIds.length === 0) return rules.measures.normal
  const query = db.selectFrom('customer_ratings').select('rating').where('customer_id', 'in', customerIds)
  const rows = await query.where('replaced_at', 'is', null).execute()
  return rules.measures[highest(rows.map(({ rating }) => rating))]
}

/** So much of an amount. */
export const shareOf = (amount: Amount, { limitPercent }: Pick<RiskMeasures, 'limitPercent'>): Amount =>
  amountOf((amount * BigInt(limitPercent)) / 100n)
