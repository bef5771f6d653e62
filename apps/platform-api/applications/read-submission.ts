import { accountChecks } from '@windlass/contracts/platform/account-numbers.ts'
import { railNames } from '@windlass/contracts/platform/application-fields.ts'
import {
  Compliance,
  CompanyProfile,
  PublicPaymentRails,
  StellarConfig,
  type PaymentRails,
} from '@windlass/contracts/platform/applications.ts'
import { credentialFaults } from '@windlass/contracts/platform/rail-credentials.ts'
import {
  AmountError,
  formatAmount,
  parseAmount,
  parseNotNegative,
  parsePositiveAmount,
} from '@windlass/money/amount.ts'
import { formatRate, parseRate } from '@windlass/money/rate.ts'
import { readField } from '@windlass/service/http/fields.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import { checkAssets } from './check-assets.ts'
import type { StoredPaymentRails } from '../tables.ts'

/** Asset units that are issued to the distribution account, and the most that an anchor can have. */
export const ISSUED = '1000000'

export const DEFAULT_RAILS = ['UPI']

/** A founder's checked submission: what is stored, and separately what goes to the secrets store. */
export interface Submission {
  companyProfile: CompanyProfile
  stellarConfig: StellarConfig
  paymentRails: StoredPaymentRails
  compliance: Compliance
  /** `credentials` and every unknown field of paymentRails, as given; null where there are none. */
  credentials: Record<string, unknown> | null
}

export interface GivenSubmission {
  companyProfile: CompanyProfile
  stellarConfig?: StellarConfig
  paymentRails?: PaymentRails
  compliance?: Compliance
}

const KNOWN = {
  companyProfile: Object.keys(CompanyProfile.properties),
  stellarConfig: Object.keys(StellarConfig.properties),
  paymentRails: Object.keys(PublicPaymentRails.properties),
  compliance: Object.keys(Compliance.properties),
} satisfies Record<keyof GivenSubmission, readonly string[]>

const FURTHER_FIELDS = 32
const FURTHER_BYTES = 4096

/** Checks what the contract's schema cannot express. Throws `validation-failed` naming the field. */
export function readSubmission(given: GivenSubmission): Submission {
  const { companyProfile, stellarConfig = {}, paymentRails = {}, compliance = {} } = given
  for (const part of ['companyProfile', 'stellarConfig', 'compliance'] as const) {
    boundFurther(part, furtherFields(part, given[part] ?? {}))
  }
  if (companyProfile.name.trim() === '') throw invalid('companyProfile.name', 'is required')
  if (stellarConfig.assetCode && !/^[A-Za-z0-9]{1,12}$/.test(stellarConfig.assetCode)) {
    throw invalid('stellarConfig.assetCode', 'must be 1 to 12 letters and digits')
  }
  if (stellarConfig.anchoredTo && !/^[A-Za-z0-9]{1,12}$/.test(stellarConfig.anchoredTo)) {
    throw invalid('stellarConfig.anchoredTo', 'must be a currency or asset code such as USD')
  }
  const rails = readRails(paymentRails)
  checkAssets(stellarConfig, rails.rails ?? DEFAULT_RAILS)
  return {
    companyProfile,
    stellarConfig,
    paymentRails: rails,
    compliance: readCompliance(compliance),
    credentials: readCredentials(paymentRails),
  }
}

function furtherFields(part: keyof typeof KNOWN, value: object): Record<string, unknown> {
  const known: readonly string[] = KNOWN[part]
  return Object.fromEntries(Object.entries(value).filter(([name]) => !known.includes(name)))
}

function boundFurther(part: string, further: Record<string, unknown>): void {
  if (Object.keys(further).length > FURTHER_FIELDS) {
    throw invalid(part, `must have at most ${FURTHER_FIELDS} further fields`)
  }
  if (Buffer.byteLength(JSON.stringify(further)) > FURTHER_BYTES) {
    throw invalid(part, `must hold at most ${FURTHER_BYTES / 1024} KB in further fields`)
  }
}

function readCredentials(paymentRails: PaymentRails): Record<string, unknown> | null {
  const credentials = furtherFields('paymentRails', paymentRails)
  boundFurther('paymentRails', credentials)
  if (Object.keys(credentials).length === 0) return null
  const only = credentials.credentials
  checkCredentials('paymentRails', credentials)
  checkCredentials('paymentRails.credentials', only)
  const empty = typeof only === 'object' && (only === null || Object.keys(only).length === 0)
  return Object.keys(credentials).length === 1 && empty ? null : credentials
}

/** The objects under a rail's name hold what its provider needs; other values are kept as given. */
function checkCredentials(path: string, credentials: unknown): void {
  if (typeof credentials !== 'object' || credentials === null) return
  for (const [name, given] of Object.entries(credentials)) {
    const rail = name.toUpperCase()
    if (!(railNames as readonly string[]).includes(rail) || typeof given !== 'object' || given === null)
      continue
    const fault = Object.entries(credentialFaults(rail, given as Record<string, unknown>, accountChecks))[0]
    if (fault) throw invalid(`${path}.${name}.${fault[0]}`, fault[1])
  }
}

function readRails({ rails, fee, limits, settlement }: PaymentRails): StoredPaymentRails {
  const kept: StoredPaymentRails = {}
  if (rails?.length) kept.rails = [...new Set(rails.map(readRail))]
  if (settlement) kept.settlement = settlement
  if (fee) kept.fee = readFee(fee)
  if (limits) kept.limits = readLimits(limits)
  return kept
}

function readRail(rail: string, index: number): string {
  const name = rail.trim().toUpperCase()
  if (!(railNames as readonly string[]).includes(name)) {
    throw invalid(`paymentRails.rails.${index}`, `must be one of ${railNames.join(', ')}`)
  }
  return name
}

function readFee(fee: NonNullable<PaymentRails['fee']>): NonNullable<StoredPaymentRails['fee']> {
  const kept: NonNullable<StoredPaymentRails['fee']> = {}
  if (fee.fixed !== undefined)
    kept.fixed = formatAmount(readField('paymentRails.fee.fixed', fee.fixed, parseNotNegative))
  if (fee.percentage !== undefined)
    kept.percentage = readField('paymentRails.fee.percentage', fee.percentage, readFraction)
  return kept
}

function readLimits(limits: NonNullable<PaymentRails['limits']>): NonNullable<StoredPaymentRails['limits']> {
  const kept: NonNullable<StoredPaymentRails['limits']> = {}
  if (limits.min !== undefined)
    kept.min = formatAmount(readField('paymentRails.limits.min', limits.min, parseNotNegative))
  if (limits.max !== undefined)
    kept.max = formatAmount(readField('paymentRails.limits.max', limits.max, parsePositiveAmount))
  const max = kept.max ?? ISSUED
  if (kept.min !== undefined && parseAmount(kept.min) > parseAmount(max)) {
    throw invalid('paymentRails.limits.min', `must not be more than the maximum, ${max}`)
  }
  return kept
}

function readFraction(given: string | number): string {
  const rate = parseRate(given)
  if (rate.numerator > 10n ** BigInt(rate.digits)) throw new AmountError('is a fraction: at most 1')
  return formatRate(rate)
}

function readCompliance(compliance: Compliance): Compliance {
  if (!compliance.regions) return compliance
  const regions = compliance.regions.map((region, index) => {
    const code = region.trim().toUpperCase()
    if (!/^[A-Z]{2}$/.test(code)) {
      throw invalid(`compliance.regions.${index}`, 'must be an ISO 3166 country code of two letters')
    }
    return code
  })
  return { ...compliance, regions: [...new Set(regions)] }
}
