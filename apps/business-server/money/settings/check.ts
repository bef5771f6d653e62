import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { AnchorSettings, Fee, TierLimits } from '@windlass/contracts/anchor/anchor-settings.ts'
import { contrastOf, MIN_CONTRAST, PAGE_GROUND } from '@windlass/contracts/platform/contrast.ts'
import { formatAmount, parseAmount, parseNotNegative, parsePositiveAmount } from '@windlass/money/amount.ts'
import { feeFor } from '@windlass/money/fee.ts'
import { formatRate, parseRate } from '@windlass/money/rate.ts'
import { readField } from '@windlass/service/http/fields.ts'
import { invalid } from '@windlass/service/http/problem.ts'

/** The settings in one form: amounts at their shortest, every rail of the anchor once. Throws `validation-failed`. */
export function checkSettings(settings: AnchorSettings, plan: AnchorPlan): AnchorSettings {
  const { branding, paused } = settings
  const limits = checkLimits(settings.limits)
  const fees = checkFees(settings, plan, limits.min)
  const { color } = branding
  if (color !== null && contrastOf(color, PAGE_GROUND) < MIN_CONTRAST)
    throw invalid(
      'branding.color',
      `must be darker: text in it needs a contrast of ${MIN_CONTRAST}:1 to the page`,
    )
  const { above, keysAbove } = settings.approvals
  const approvals = {
    above: above && formatAmount(readField('approvals.above', above, parsePositiveAmount)),
    ...(keysAbove && {
      keysAbove: formatAmount(readField('approvals.keysAbove', keysAbove, parseNotNegative)),
    }),
  }
  const wallets = refusedOf(settings.wallets)
  return { fees, limits, ...wallets, approvals, rails: checkRails(settings, plan), paused, branding }
}

/** Only what wallets may not do is kept: the rest is as if it was never set. */
function refusedOf(wallets: AnchorSettings['wallets'] = {}): Pick<AnchorSettings, 'wallets'> {
  const refused = Object.fromEntries(Object.entries(wallets).filter(([, allowed]) => !allowed))
  return Object.keys(refused).length > 0 ? { wallets: refused } : {}
}

function checkFees({ fees }: AnchorSettings, plan: AnchorPlan, min: string): AnchorSettings['fees'] {
  const seen = new Set<string>()
  const rails = fees.rails.map((each, index) => {
    const path = `fees.rails.${index}`
    requireRail(`${path}.rail`, each.rail, plan)
    const key = `${each.rail} ${each.direction}`
    if (seen.has(key)) throw invalid(path, 'is a second fee for this rail and direction')
    seen.add(key)
    return { rail: each.rail, direction: each.direction, ...checkFee(path, each, each.direction, min) }
  })
  return {
    deposit: checkFee('fees.deposit', fees.deposit, 'deposit', min),
    withdrawal: checkFee('fees.withdrawal', fees.withdrawal, 'withdrawal', min),
    rails,
    ...checkSpread(fees),
    ...checkRefundFee(fees, min),
  }
}

function checkRefundFee(
  { refund }: AnchorSettings['fees'],
  min: string,
): Pick<AnchorSettings['fees'], 'refund'> {
  const fee = readField('fees.refund', refund ?? '0', parseNotNegative)
  if (fee > parseAmount(min)) throw invalid('fees.refund', 'must not be more than limits.min')
  return fee === 0n ? {} : { refund: formatAmount(fee) }
}

/** More is a mistake: nobody would exchange by it. */
const MOST_SPREAD = 0.2

/** One of nothing is none. */
function checkSpread({ spread }: AnchorSettings['fees']): Pick<AnchorSettings['fees'], 'spread'> {
  if (!spread) return {}
  const share = (direction: 'deposit' | 'withdrawal') => {
    const rate = readField(`fees.spread.${direction}`, spread[direction], parseRate)
    if (Number(formatRate(rate)) > MOST_SPREAD)
      throw invalid(`fees.spread.${direction}`, `must be at most ${MOST_SPREAD}`)
    return formatRate(rate)
  }
  const [deposit, withdrawal] = [share('deposit'), share('withdrawal')]
  return deposit === '0' && withdrawal === '0' ? {} : { spread: { deposit, withdrawal } }
}

function checkFee(path: string, fee: Fee, direction: 'deposit' | 'withdrawal', min: string): Fee {
  const fixed = readField(`${path}.fixed`, fee.fixed, parseAmount)
  if (fixed < 0n) throw invalid(`${path}.fixed`, 'must not be negative')
  const percentage = readField(`${path}.percentage`, fee.percentage, parseRate)
  if (percentage.numerator >= 10n ** BigInt(percentage.digits))
    throw invalid(`${path}.percentage`, 'must be a fraction below 1, such as 0.005 for half a percent')
  if (direction === 'withdrawal' && feeFor({ fixed, percentage }, parseAmount(min)) >= parseAmount(min))
    throw invalid(path, 'takes the whole of the smallest withdrawal. Raise the minimum or lower the fee')
  return { fixed: formatAmount(fixed), percentage: formatRate(percentage) }
}

function checkLimits({ min, max, tiers, nearAmounts }: AnchorSettings['limits']): AnchorSettings['limits'] {
  const [least, most] = [
    readField('limits.min', min, parsePositiveAmount),
    readField('limits.max', max, parsePositiveAmount),
  ]
  if (least > most) throw invalid('limits.min', 'must not be more than limits.max')
  return {
    min: formatAmount(least),
    max: formatAmount(most),
    tiers: {
      standard: checkTier('limits.tiers.standard', tiers.standard, least),
      enhanced: checkTier('limits.tiers.enhanced', tiers.enhanced, least),
    },
    ...(nearAmounts === false ? { nearAmounts } : {}),
  }
}

function checkTier(path: string, tier: TierLimits, least: bigint): TierLimits {
  const of = (name: keyof TierLimits) => {
    const given = tier[name]
    const limit = given === null ? null : readField(`${path}.${name}`, given, parsePositiveAmount)
    if (limit !== null && limit < least) throw invalid(`${path}.${name}`, 'must be at least limits.min')
    return limit
  }
  const [transaction, day, month] = [of('transaction'), of('day'), of('month')]
  if (transaction !== null && day !== null && transaction > day)
    throw invalid(`${path}.transaction`, 'must not be more than the limit of a day')
  if (day !== null && month !== null && day > month)
    throw invalid(`${path}.day`, 'must not be more than the limit of a month')
  const text = (limit: ReturnType<typeof of>) => limit && formatAmount(limit)
  return { transaction: text(transaction), day: text(day), month: text(month) }
}

/** Rails that are not named stay on. */
function checkRails({ rails }: AnchorSettings, plan: AnchorPlan): AnchorSettings['rails'] {
  rails.forEach(({ name }, index) => {
    requireRail(`rails.${index}.name`, name, plan)
    if (rails.findIndex(each => each.name === name) !== index)
      throw invalid(`rails.${index}.name`, 'is there twice')
  })
  return plan.rails.map(
    name => rails.find(each => each.name === name) ?? { name, deposits: true, withdrawals: true },
  )
}

function requireRail(path: string, name: string, { rails }: AnchorPlan): void {
  if (!rails.includes(name)) throw invalid(path, `must be one of ${rails.join(', ')}`)
}
