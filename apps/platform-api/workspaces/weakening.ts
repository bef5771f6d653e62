import type { Client } from '@windlass/client/client.ts'
import { getScreening, getVelocityRules, type VelocityRule } from '@windlass/contracts/anchor/compliance.ts'
import { getCountryRules, type CountryRules } from '@windlass/contracts/anchor/country-rules.ts'
import { getRetention, type RetentionRules } from '@windlass/contracts/anchor/retention.ts'
import { getTravelRule } from '@windlass/contracts/anchor/travel-rule.ts'
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
  if (wanted.kind !== now.kind || wanted.hours < now.hours) return false
  if (wanted.count !== null && now.count !== null && wanted.count > now.count) return false
  // What counts just below an amount finds others with any other amount.
  if (wanted.kind === 'below-limit') return wanted.amount === now.amount
  return (
    wanted.amount === null || now.amount === null || parseAmount(wanted.amount) <= parseAmount(now.amount)
  )
}

export const travelRuleNow: Prepare<string | null> = async (_, __, server) =>
  (await fromAnchor(server.call(getTravelRule, {}))).history[0]?.settings.threshold ?? null

export const raisesTravelRule = ifWeaker(
  ({ settings: { threshold } }: { settings: { threshold: string | null } }, now: string | null) =>
    now !== null && (threshold === null || parseAmount(threshold) > parseAmount(now)),
)

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

/** What is removed is gone. */
export const keepsShorter = ifWeaker(
  ({ rules }: { rules: RetentionRules }, now: RetentionRules) =>
    rules.customerYears < now.customerYears || rules.travelRecordYears < now.travelRecordYears,
)
