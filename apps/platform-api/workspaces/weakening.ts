import type { Client } from '@windlass/client/client.ts'
import { getScreening, getVelocityRules, type VelocityRule } from '@windlass/contracts/anchor/compliance.ts'
import { getCountryRules, type CountryRules } from '@windlass/contracts/anchor/country-rules.ts'
import {
  getCustomerRating,
  getRiskRules,
  rank,
  type Rating,
  ratings,
  type RiskRule,
  type RiskRules,
} from '@windlass/contracts/anchor/risk-rating.ts'
import { getOutsideChecks, type OutsideChecks } from '@windlass/contracts/anchor/outside-checks.ts'
import { getRetention, type RetentionRules } from '@windlass/contracts/anchor/retention.ts'
import {
  type Corridor,
  getTravelRule,
  type TravelRuleSettings,
  type TravelRuleWanted,
} from '@windlass/contracts/anchor/travel-rule.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import type { Deps } from '../deps.ts'
import { fromAnchor } from './anchor-server.ts'

/*
 * Which changes of compliance find less than before: these wait for a second person and say why (ADR 0143). What finds more is
 * done at once.
 */

type Prepare<T> = (deps: Deps, call: unknown, server: Client) => Promise<T>
interface Change<B> {
  body: B & { reason?: string }
}

/** Whether it finds less, and so needs a second person. Throws `validation-failed` where it does and says no reason. */
const ifWeaker =
  <B, T>(isWeaker: (wanted: B, now: T) => boolean) =>
  (_: Deps, { body }: Change<B>, now: T): boolean => {
    if (!isWeaker(body, now)) return false
    if (!body.reason)
      throw invalid('reason', 'is needed: the change finds less than before, and a second person approves it')
    return true
  }

export const thresholdNow: Prepare<number> = async (_, __, server) =>
  (await fromAnchor(server.call(getScreening, {}))).threshold

/** A higher score finds fewer names. */
export const raisesThreshold = ifWeaker(
  (wanted: { threshold: number }, now: number) => wanted.threshold > now,
)

export const velocityNow: Prepare<readonly VelocityRule[]> = async (_, __, server) =>
  (await fromAnchor(server.call(getVelocityRules, {}))).history[0]?.rules ?? []

/** Each rule that counts now has one that holds at least as much. */
export const loosensVelocity = ifWeaker(
  ({ rules }: { rules: readonly VelocityRule[] }, now: readonly VelocityRule[]) =>
    now.some(rule => !rules.some(each => isAsStrict(each, rule))),
)

function isAsStrict(wanted: VelocityRule, now: VelocityRule): boolean {
  if (wanted.kind !== now.kind) return false
  // A rule with a shorter quiet time holds more transfers.
  if (now.kind === 'after-quiet' ? wanted.hours > now.hours : wanted.hours < now.hours) return false
  if (wanted.count !== null && now.count !== null && wanted.count > now.count) return false
  // What counts just below an amount finds others with any other amount.
  if (wanted.kind === 'below-limit') return wanted.amount === now.amount
  return (
    wanted.amount === null || now.amount === null || parseAmount(wanted.amount) <= parseAmount(now.amount)
  )
}

export const travelRuleNow: Prepare<TravelRuleSettings | null> = async (_, __, server) =>
  (await fromAnchor(server.call(getTravelRule, {}))).history[0]?.settings ?? null

/** Whether an amount from which on something is asked is higher than before, or there is none any more. */
const isHigher = (wanted: string | null, now: string | null): boolean =>
  now !== null && (wanted === null || parseAmount(wanted) > parseAmount(now))

type TravelRuleChange = { settings: TravelRuleWanted }

/** An amount that is higher or none, a corridor that asks less, a country, or money that waits for no answer any more. */
export const raisesTravelRule = ifWeaker(({ settings }: TravelRuleChange, now: TravelRuleSettings | null) => {
  if (!now) return false
  const { corridors = now.corridors, country = now.country, waitsForAnswer, ownershipAbove } = settings
  const amountIn = (list: readonly Corridor[], of: string) => list.find(each => each.country === of)
  return (
    isHigher(settings.threshold, now.threshold) ||
    (ownershipAbove !== undefined && isHigher(ownershipAbove, now.ownershipAbove)) ||
    (now.waitsForAnswer && waitsForAnswer === false) ||
    (now.country !== null && country !== now.country) ||
    // One that goes may have asked for more than the laws, and a new one may ask for less.
    now.corridors.some(each => {
      const wanted = amountIn(corridors, each.country)
      return !wanted || isHigher(wanted.threshold, each.threshold)
    }) ||
    corridors.some(each => !amountIn(now.corridors, each.country) && each.threshold !== '0')
  )
})

export const countriesNow: Prepare<CountryRules> = async (_, __, server) => {
  const [newest] = (await fromAnchor(server.call(getCountryRules, {}))).history
  return newest?.rules ?? { prohibited: [], highRisk: [], asksResidence: false }
}

/** A country that was looked at may become prohibited. */
export const servesMore = ifWeaker(
  ({ rules }: { rules: CountryRules }, now: CountryRules) =>
    now.prohibited.some(country => !rules.prohibited.includes(country)) ||
    now.highRisk.some(country => ![...rules.highRisk, ...rules.prohibited].includes(country)) ||
    (now.asksResidence && !rules.asksResidence),
)

export const retentionNow: Prepare<RetentionRules> = async (_, __, server) => {
  const [newest] = (await fromAnchor(server.call(getRetention, {}))).history
  return newest?.rules ?? { customerYears: 0, travelRecordYears: 0 }
}

/** What is not given stays; an anchor of an earlier release says nothing. */
const isShorter = (wanted: number | undefined, now: number | undefined): boolean =>
  wanted !== undefined && now !== undefined && wanted < now

/** What is removed is gone. */
export const keepsShorter = ifWeaker(
  ({ rules }: { rules: RetentionRules }, now: RetentionRules) =>
    rules.customerYears < now.customerYears ||
    rules.travelRecordYears < now.travelRecordYears ||
    isShorter(rules.paymentRecordYears, now.paymentRecordYears) ||
    isShorter(rules.caseRecordYears, now.caseRecordYears),
)

export const riskRulesNow: Prepare<RiskRules> = async (_, __, server) => {
  const [newest] = (await fromAnchor(server.call(getRiskRules, {}))).history
  if (!newest) throw invalid('rules', 'cannot be compared with those that count now')
  return newest.rules
}

/** Whether a rule would rate someone lower than now, or less would follow from a rating. */
export const ratesLower = ifWeaker(
  ({ rules: { rules, measures } }: { rules: RiskRules }, now: RiskRules) =>
    now.rules.some(rule => !rules.some(each => ratesAtLeast(each, rule))) ||
    rules.some(rule => rule.rating === 'low' && !now.rules.some(each => ratesAtLeast(each, rule))) ||
    ratings.some(rating => {
      const [wanted, before] = [measures[rating], now.measures[rating]]
      const asksLess = before.asksSourceOfFunds && !wanted.asksSourceOfFunds
      return (
        asksLess || wanted.limitPercent > before.limitPercent || wanted.reviewMonths > before.reviewMonths
      )
    }),
)

function ratesAtLeast(wanted: RiskRule, now: RiskRule): boolean {
  if (wanted.when !== now.when || rank(wanted.rating) < rank(now.rating)) return false
  if (now.countries?.some(country => !wanted.countries?.includes(country))) return false
  if (now.amount !== undefined && parseAmount(wanted.amount ?? now.amount) > parseAmount(now.amount))
    return false
  const [days, before] = [wanted.days ?? 0, now.days ?? 0]
  return now.when === 'older-than' ? days <= before : days >= before
}

type Params = { params: { id: string } }
export const ratingNow = async (_: Deps, { params }: Params, server: Client): Promise<Rating | null> => {
  const { ratings: found } = await fromAnchor(server.call(getCustomerRating, { params }))
  return found[0]?.atLeast ?? null
}

/** What a person said of a customer is taken back, or lowered. */
export const lowersRating = ifWeaker(
  ({ atLeast }: { atLeast: Rating | null }, now: Rating | null) =>
    now !== null && (atLeast === null || rank(atLeast) < rank(now)),
)

export const outsideChecksNow: Prepare<OutsideChecks['checks']> = async (_, __, server) =>
  (await fromAnchor(server.call(getOutsideChecks, {}))).checks

/** Nobody is asked any more, or a program that may answer otherwise. */
export function asksAnother(
  deps: Deps,
  { params: { kind }, body }: { params: { kind: string }; body: { url: string | null; reason?: string } },
  now: OutsideChecks['checks'],
): boolean {
  const url = now.find(each => each.kind === kind)?.url ?? null
  return ifWeaker((wanted: { url: string | null }) => url !== null && wanted.url !== url)(deps, { body }, now)
}
