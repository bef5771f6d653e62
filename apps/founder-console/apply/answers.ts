import type { BodyOf } from '@windlass/contracts/endpoint.ts'
import type { submitApplication } from '@windlass/contracts/applications.ts'
import type { FormErrors } from '@windlass/ui/form.tsx'
import type { ApplyStep } from '../paths.ts'
import { apply as texts, type FieldName } from '../texts/apply.ts'
import { fractionOfPercent, isAmount, isPercentage, notAbove } from './amounts.ts'

/** What the founder has answered, by the path that each answer takes in the request. */
export type Answers = { [name in FieldName]: name extends ListField ? readonly string[] : string }
type ListField = 'paymentRails.rails' | 'compliance.regions'

export const noAnswers: Answers = {
  'companyProfile.name': '',
  'companyProfile.businessEmail': '',
  'companyProfile.contactName': '',
  'companyProfile.country': '',
  'companyProfile.website': '',
  'companyProfile.registrationNumber': '',
  'stellarConfig.assetCode': '',
  'stellarConfig.assetName': '',
  'stellarConfig.anchoredTo': 'USD',
  'paymentRails.rails': ['UPI'],
  'paymentRails.settlement': 'instant',
  'paymentRails.fee.fixed': '0.5',
  'paymentRails.fee.percentage': '0.5',
  'paymentRails.limits.min': '1',
  'paymentRails.limits.max': '',
  'paymentRails.credentials.accountId': '',
  'paymentRails.credentials.apiKey': '',
  'paymentRails.credentials.apiSecret': '',
  'compliance.jurisdiction': '',
  'compliance.licenseNumber': '',
  'compliance.regions': ['IN'],
}

const sections: Record<Exclude<ApplyStep, 'check'>, string[]> = {
  company: ['companyProfile.'],
  asset: ['stellarConfig.'],
  rails: ['paymentRails.'],
  compliance: ['compliance.'],
}

/** The fields that a step asks for, in their order. */
export const fieldsOf = (step: Exclude<ApplyStep, 'check'>): FieldName[] =>
  (Object.keys(noAnswers) as FieldName[]).filter(name =>
    sections[step].some(prefix => name.startsWith(prefix)),
  )

/** The step that asks for a field, whatever the depth of the path a refusal names. */
export function stepAsking(path: string): Exclude<ApplyStep, 'check'> | undefined {
  const steps = Object.keys(sections) as Exclude<ApplyStep, 'check'>[]
  return steps.find(step => sections[step].some(prefix => `${path}.`.startsWith(prefix)))
}

export const isCredential = (name: string): boolean => name.startsWith('paymentRails.credentials.')

/** What is wrong with the answers, by field. */
export function wrongAnswers(answers: Answers): FormErrors {
  const errors: FormErrors = {}
  const text = (name: FieldName) => String(answers[name]).trim()
  const refuse = (name: FieldName, wrong: boolean, message: string) => {
    if (wrong) errors[name] ??= message
  }
  const email = text('companyProfile.businessEmail')
  refuse('companyProfile.name', text('companyProfile.name') === '', texts.errors.nameMissing)
  refuse('companyProfile.businessEmail', email === '', texts.errors.emailMissing)
  refuse('companyProfile.businessEmail', !/^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(email), texts.errors.emailWrong)
  const website = text('companyProfile.website')
  refuse('companyProfile.website', website !== '' && !isWebAddress(website), texts.errors.websiteWrong)
  const code = text('stellarConfig.assetCode')
  refuse(
    'stellarConfig.assetCode',
    code !== '' && !/^[A-Za-z0-9]{1,12}$/.test(code),
    texts.errors.assetCodeWrong,
  )
  for (const name of [
    'paymentRails.fee.fixed',
    'paymentRails.limits.min',
    'paymentRails.limits.max',
  ] as const) {
    refuse(
      name,
      text(name) !== '' && !isAmount(text(name)),
      texts.errors.notAnAmount(texts.fields[name].label),
    )
  }
  const percentage = text('paymentRails.fee.percentage')
  refuse(
    'paymentRails.fee.percentage',
    percentage !== '' && !isPercentage(percentage),
    texts.errors.percentageWrong,
  )
  const [min, max] = [text('paymentRails.limits.min'), text('paymentRails.limits.max')]
  const crossed = isAmount(min) && isAmount(max) && !notAbove(min, max)
  refuse('paymentRails.limits.max', crossed, texts.errors.limitsCrossed)
  for (const [name, most] of Object.entries(longest) as [FieldName, number][]) {
    refuse(name, text(name).length > most, texts.errors.tooLong(texts.fields[name].label, most))
  }
  return errors
}

const longest: Partial<Record<FieldName, number>> = {
  'companyProfile.name': 200,
  'companyProfile.businessEmail': 254,
  'companyProfile.contactName': 200,
  'companyProfile.website': 500,
  'companyProfile.registrationNumber': 100,
  'stellarConfig.assetName': 100,
  'compliance.licenseNumber': 100,
}

const isWebAddress = (text: string): boolean => URL.canParse(text) && /^https?:\/\/[^/]+\.[^/]+/.test(text)

/** The request that the answers make: what was left open is left out, and the platform's defaults hold. */
export function applicationOf(answers: Answers): BodyOf<typeof submitApplication> {
  const given = (name: FieldName) => String(answers[name]).trim() || undefined
  const percentage = given('paymentRails.fee.percentage')
  const credentials = {
    accountId: given('paymentRails.credentials.accountId'),
    apiKey: given('paymentRails.credentials.apiKey'),
    apiSecret: given('paymentRails.credentials.apiSecret'),
  }
  const settlement = given('paymentRails.settlement')
  return {
    companyProfile: {
      name: given('companyProfile.name') ?? '',
      businessEmail: given('companyProfile.businessEmail') ?? '',
      contactName: given('companyProfile.contactName'),
      country: given('companyProfile.country'),
      website: given('companyProfile.website'),
      registrationNumber: given('companyProfile.registrationNumber'),
    },
    stellarConfig: {
      assetCode: given('stellarConfig.assetCode'),
      assetName: given('stellarConfig.assetName'),
      anchoredTo: given('stellarConfig.anchoredTo'),
    },
    paymentRails: {
      rails: answers['paymentRails.rails'].length > 0 ? [...answers['paymentRails.rails']] : undefined,
      settlement: settlement === 'instant' || settlement === 'under_60_minutes' ? settlement : undefined,
      fee: {
        fixed: given('paymentRails.fee.fixed'),
        percentage: percentage === undefined ? undefined : fractionOfPercent(percentage),
      },
      limits: { min: given('paymentRails.limits.min'), max: given('paymentRails.limits.max') },
      credentials: Object.values(credentials).some(Boolean) ? credentials : undefined,
    },
    compliance: {
      jurisdiction: given('compliance.jurisdiction'),
      licenseNumber: given('compliance.licenseNumber'),
      regions: answers['compliance.regions'].length > 0 ? [...answers['compliance.regions']] : undefined,
    },
  }
}
