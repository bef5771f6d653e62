import type { AccountChecks } from '@windlass/contracts/platform/account-numbers.ts'
import { pegsOf, railKind, railsIn } from '@windlass/contracts/platform/anchor-rails.ts'
import type { BodyOf } from '@windlass/contracts/endpoint.ts'
import type { submitApplication } from '@windlass/contracts/platform/applications.ts'
import { railNames, textLengths } from '@windlass/contracts/platform/application-fields.ts'
import {
  credentialFault,
  credentialFields,
  DEFAULT_PROVIDER,
  isRailProvider,
  railProviders,
  type CredentialField,
  type RailProviderName,
} from '@windlass/contracts/platform/rail-credentials.ts'
import { amountError } from '@windlass/ui/amount-value.ts'
import type { FormErrors } from '@windlass/ui/form.tsx'
import type { ApplyStep } from '../paths.ts'
import { apply as texts, type FieldName } from './texts.ts'
import { fractionOfPercent, isAmount, isPercentage, notAbove, PERCENT_DECIMALS } from './amounts.ts'

/** The path of a rail credential in the request, such as `paymentRails.credentials.UPI.vpa`. */
type CredentialName = `paymentRails.credentials.${string}`
/** The path of a field of a further asset, such as `stellarConfig.assets.1.code`. */
type FurtherAssetName = `stellarConfig.assets.${number}.${(typeof furtherFields)[number]}`
const furtherFields = ['code', 'issuer', 'anchoredTo'] as const
/** Places of further assets in the list, after the first one. */
export const furtherPlaces = [1, 2, 3, 4] as const

/** The founder's answers by their path in the request. */
export type Answers = { [name in FieldName]: name extends ListField ? readonly string[] : string } & {
  [name in CredentialName | FurtherAssetName]: string
}
type ListField = 'paymentRails.rails' | 'compliance.regions'

let checks: AccountChecks | undefined
/** Loads what accounts are checked with, when the form asks for one; the platform checks them again. */
export async function loadAccountChecks(): Promise<void> {
  checks ??= (await import('@windlass/contracts/platform/account-numbers.ts')).accountChecks
}

/** The providers that serve a rail. */
export const providersOf = (rail: string): RailProviderName[] =>
  Object.keys(railProviders)
    .filter(isRailProvider)
    .filter(provider => Object.keys(credentialFields(provider, rail)).length > 0)

export const providerField = (rail: string): CredentialName => `paymentRails.credentials.${rail}.provider`

export const noAnswers: Answers = {
  'companyProfile.country': '',
  'companyProfile.name': '',
  'companyProfile.businessEmail': '',
  'companyProfile.contactName': '',
  'companyProfile.website': '',
  'companyProfile.registrationNumber': '',
  'asset.kind': 'own',
  'stellarConfig.assetCode': '',
  'stellarConfig.assets.0.issuer': '',
  'stellarConfig.assetName': '',
  'stellarConfig.anchoredTo': 'USD',
  ...noFurtherAssets(),
  'paymentRails.rails': ['UPI'],
  'paymentRails.settlement': 'instant',
  'paymentRails.fee.fixed': '0.5',
  'paymentRails.fee.percentage': '0.5',
  'paymentRails.limits.min': '1',
  'paymentRails.limits.max': '',
  ...emptyCredentials(),
  'compliance.jurisdiction': '',
  'compliance.licenseNumber': '',
  'compliance.regions': ['IN'],
}

/** What a country proposes: the rail that reaches it, its currency, and the country where a rail does. */
function proposalFor(country: string) {
  if (country === '')
    return pick(noAnswers, ['paymentRails.rails', 'stellarConfig.anchoredTo', 'compliance.regions'])
  const rails = railsIn(country).slice(0, 1)
  return {
    'paymentRails.rails': rails,
    'stellarConfig.anchoredTo': rails[0] ? railKind(rails[0], 'USD').currency : 'USD',
    'compliance.regions': rails.length > 0 ? [country] : [],
  }
}

const pick = <K extends keyof Answers>(answers: Answers, names: readonly K[]) =>
  Object.fromEntries(names.map(name => [name, answers[name]])) as Pick<Answers, K>

/** The country with what it proposes, in place of what the country before proposed; what was changed since stays. */
export function chooseCountry(answers: Answers, country: string): Partial<Answers> {
  const before = proposalFor(answers['companyProfile.country'])
  const fresh = Object.entries(proposalFor(country)).filter(
    ([name]) => String(answers[name as keyof Answers]) === String(before[name as keyof typeof before]),
  )
  return Object.fromEntries(fresh) as Partial<Answers>
}

const isExisting = (answers: Answers): boolean => answers['asset.kind'] === 'existing'

/** Whether the asset is XLM, which has no issuer and is pegged to nothing. */
export const isXlm = (answers: Answers): boolean =>
  isExisting(answers) && answers['stellarConfig.assetCode'].trim() === 'XLM'

const hasIssuer = (answers: Answers): boolean => isExisting(answers) && !isXlm(answers)

function furtherName(place: number, field: (typeof furtherFields)[number]): FurtherAssetName {
  return `stellarConfig.assets.${place}.${field}`
}

function noFurtherAssets(): Record<FurtherAssetName, string> {
  return Object.fromEntries(
    furtherPlaces.flatMap(place =>
      furtherFields.map(field => [furtherName(place, field), field === 'anchoredTo' ? 'USD' : '']),
    ),
  )
}

const furtherAt = (answers: Answers, place: number) => {
  const text = (field: (typeof furtherFields)[number]) => (answers[furtherName(place, field)] ?? '').trim()
  return { code: text('code'), issuer: text('issuer'), anchoredTo: text('anchoredTo') }
}

/** Whether anything is entered at a place. */
export const isFurtherGiven = (answers: Answers, place: number): boolean => {
  const { code, issuer } = furtherAt(answers, place)
  return code !== '' || issuer !== ''
}

interface Credential extends CredentialField {
  name: CredentialName
}

export const isProviderField = (name: string): boolean => isCredential(name) && name.endsWith('.provider')

/** The provider that the founder chose for a rail. */
export function providerOf(rail: string, answers: Answers): RailProviderName {
  const chosen = answers[providerField(rail)] ?? ''
  return isRailProvider(chosen) ? chosen : DEFAULT_PROVIDER
}

/** The credentials that a provider of a rail needs. */
export function credentialsOf(rail: string, provider: RailProviderName): Credential[] {
  return Object.entries(credentialFields(provider, rail)).map(([name, field]) => ({
    ...field,
    name: `paymentRails.credentials.${rail}.${name}`,
  }))
}

function anyCredentialsOf(rail: string): Credential[] {
  return providersOf(rail).flatMap(provider => credentialsOf(rail, provider))
}

function emptyCredentials(): Record<CredentialName, string> {
  return Object.fromEntries(
    railNames.flatMap(rail => [
      ...(providersOf(rail).length > 1 ? [[providerField(rail), DEFAULT_PROVIDER] as const] : []),
      ...anyCredentialsOf(rail).map(({ name }) => [name, ''] as const),
    ]),
  )
}

/** Label of a field, also of a credential. */
export function labelOf(name: string): string {
  if (name in texts.fields) return texts.fields[name as FieldName].label
  const [, , place, field] = name.split('.')
  const alone = { code: 'stellarConfig.assetCode', issuer: 'stellarConfig.assets.0.issuer' } as const
  if (isFurther(name))
    return `${Number(place) + 1}. ${texts.fields[alone[field as 'code'] ?? 'stellarConfig.anchoredTo'].label}`
  const rail = name.split('.')[2] ?? ''
  if (isProviderField(name)) return `${rail}: ${texts.credentials.provider}`
  const credential = anyCredentialsOf(rail).find(each => each.name === name)
  return credential ? `${rail}: ${credential.label}` : name
}

const sections: Record<Exclude<ApplyStep, 'check'>, string[]> = {
  company: ['companyProfile.'],
  asset: ['asset.', 'stellarConfig.'],
  rails: ['paymentRails.'],
  compliance: ['compliance.'],
}

/** The fields of a step, in order, with the credentials of the chosen rails only. */
export const fieldsOf = (
  step: Exclude<ApplyStep, 'check'>,
  answers: Answers,
): (FieldName | CredentialName | FurtherAssetName)[] =>
  (Object.keys(noAnswers) as (FieldName | CredentialName | FurtherAssetName)[]).filter(
    name =>
      sections[step].some(prefix => name.startsWith(prefix)) &&
      (!isCredential(name) || isAsked(name, answers)) &&
      (name !== 'stellarConfig.assets.0.issuer' || hasIssuer(answers)) &&
      (name !== 'stellarConfig.anchoredTo' || !isXlm(answers)) &&
      (!isFurther(name) || isFurtherGiven(answers, Number(name.split('.')[2]))),
  )

const isFurther = (name: string): boolean => /^stellarConfig\.assets\.[1-9]/.test(name)

/** Whether the provider of a chosen rail asks for it. */
function isAsked(name: CredentialName, answers: Answers): boolean {
  const rail = name.split('.')[2] ?? ''
  if (!answers['paymentRails.rails'].includes(rail)) return false
  return (
    isProviderField(name) || credentialsOf(rail, providerOf(rail, answers)).some(each => each.name === name)
  )
}

/** Name and label of a field of a further asset. */
export function furtherField(place: number, field: (typeof furtherFields)[number]) {
  const name = furtherName(place, field)
  return { name, label: labelOf(name) }
}

/** The step of a refused path, which may name a field or a group of fields. */
export function stepOf(path: string): Exclude<ApplyStep, 'check'> | undefined {
  const steps = Object.keys(sections) as Exclude<ApplyStep, 'check'>[]
  return steps.find(step => sections[step].some(prefix => `${path}.`.startsWith(prefix)))
}

export const isCredential = (name: string): name is CredentialName =>
  name.startsWith('paymentRails.credentials.')

/** The errors by field. */
export function errorsIn(answers: Answers): FormErrors {
  const errors: FormErrors = {}
  const text = (name: FieldName) => String(answers[name]).trim()
  const check = (name: FieldName, isWrong: boolean, message: string) => {
    if (isWrong) errors[name] ??= message
  }
  const email = text('companyProfile.businessEmail')
  check('companyProfile.country', text('companyProfile.country') === '', texts.errors.countryMissing)
  check('companyProfile.name', text('companyProfile.name') === '', texts.errors.nameMissing)
  check('companyProfile.businessEmail', email === '', texts.errors.emailMissing)
  check('companyProfile.businessEmail', !/^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(email), texts.errors.emailWrong)
  const website = text('companyProfile.website')
  check(
    'companyProfile.website',
    website !== '' && !isWebAddress(addressOf(website)),
    texts.errors.websiteWrong,
  )
  const code = text('stellarConfig.assetCode')
  const issuer = hasIssuer(answers) ? text('stellarConfig.assets.0.issuer') : ''
  check(
    'stellarConfig.assetCode',
    (code !== '' || isExisting(answers)) && !/^[A-Za-z0-9]{1,12}$/.test(code),
    texts.errors.assetCodeWrong,
  )
  check(
    'stellarConfig.assets.0.issuer',
    hasIssuer(answers) && !/^G\w{55}$/.test(issuer),
    texts.errors.issuerWrong,
  )
  const rails = answers['paymentRails.rails']
  check('paymentRails.rails', rails.length === 0, texts.errors.railsMissing)
  check('compliance.regions', answers['compliance.regions'].length === 0, texts.errors.regionsMissing)
  const pegs = [
    ...(isXlm(answers) ? [] : ['stellarConfig.anchoredTo' as const]),
    ...furtherPlaces
      .filter(place => isFurtherGiven(answers, place))
      .map(place => furtherName(place, 'anchoredTo')),
  ]
  for (const name of pegs) {
    const peg = answers[name] ?? ''
    if (rails.length > 0 && !pegsOf(rails).includes(peg))
      errors[name] = texts.errors.pegWrong(peg, rails.join(', '))
  }
  Object.assign(errors, furtherErrors(answers))
  for (const name of [
    'paymentRails.fee.fixed',
    'paymentRails.limits.min',
    'paymentRails.limits.max',
  ] as const) {
    const fault = amountError(text(name), { optional: true })
    check(name, fault !== undefined, texts.errors.amountWrong(texts.fields[name].label, fault ?? ''))
  }
  const percentage = text('paymentRails.fee.percentage')
  const share = 'paymentRails.fee.percentage'
  const fault = amountError(percentage, { optional: true, decimals: PERCENT_DECIMALS })
  check(share, fault !== undefined, texts.errors.amountWrong(texts.fields[share].label, fault ?? ''))
  check(share, percentage !== '' && !isPercentage(percentage), texts.errors.percentageWrong)
  const [min, max] = [text('paymentRails.limits.min'), text('paymentRails.limits.max')]
  const crossed = isAmount(min) && isAmount(max) && !notAbove(min, max)
  check('paymentRails.limits.max', crossed, texts.errors.limitsCrossed)
  for (const [name, most] of longest) {
    check(name, text(name).length > most, texts.errors.tooLong(texts.fields[name].label, most))
  }
  for (const rail of answers['paymentRails.rails']) {
    for (const credential of credentialsOf(rail, providerOf(rail, answers))) {
      const value = (answers[credential.name] ?? '').trim()
      const fault = value === '' ? null : credentialFault(credential, value, checks)
      if (fault) errors[credential.name] = texts.errors.credentialWrong(labelOf(credential.name), fault)
    }
  }
  return errors
}

/** Further assets exist: code and issuer are needed, and the first asset needs its code too. */
function furtherErrors(answers: Answers): FormErrors {
  const errors: FormErrors = {}
  const given = furtherPlaces.filter(place => isFurtherGiven(answers, place))
  const first = answers['stellarConfig.assetCode']
  const issuer = hasIssuer(answers) ? answers['stellarConfig.assets.0.issuer'] : ''
  const seen = new Set([`${first.trim()}:${issuer.trim()}`])
  if (given.length > 0 && first.trim() === '') errors['stellarConfig.assetCode'] = texts.errors.assetCodeWrong
  for (const place of given) {
    const asset = furtherAt(answers, place)
    const id = `${asset.code}:${asset.issuer}`
    if (!/^[A-Za-z0-9]{1,12}$/.test(asset.code))
      errors[furtherName(place, 'code')] = texts.errors.assetCodeWrong
    else if (seen.has(id)) errors[furtherName(place, 'code')] = texts.errors.assetTwice
    if (!/^G\w{55}$/.test(asset.issuer)) errors[furtherName(place, 'issuer')] = texts.errors.issuerWrong
    seen.add(id)
  }
  return errors
}

/** The length that the contract allows, by text field. */
const longest = Object.entries(textLengths).flatMap(([section, fields]) =>
  Object.entries(fields).map(([name, most]) => [`${section}.${name}` as FieldName, most] as const),
)

/** People write company.example. */
const addressOf = (website: string): string =>
  /^[a-z][a-z\d+.-]*:/i.test(website) ? website : `https://${website}`

const isWebAddress = (text: string): boolean => URL.canParse(text) && /^https?:\/\/[^/]+\.[^/]+/.test(text)

/** The request made from the answers. Empty answers are omitted, so the platform's defaults apply. */
export function applicationOf(answers: Answers): BodyOf<typeof submitApplication> {
  const given = (name: FieldName) => String(answers[name] ?? '').trim() || undefined
  /** The text fields of a section, whichever the contract names. */
  const texts = (section: keyof typeof textLengths) =>
    Object.fromEntries(
      Object.keys(textLengths[section]).map(name => [name, given(`${section}.${name}` as FieldName)]),
    )
  const { assetCode: code = '', assetName: name, anchoredTo } = texts('stellarConfig')
  const issuer = hasIssuer(answers) ? given('stellarConfig.assets.0.issuer') : undefined
  const further = furtherPlaces
    .filter(place => isFurtherGiven(answers, place))
    .map(place => furtherAt(answers, place))
  const website = given('companyProfile.website')
  const percentage = given('paymentRails.fee.percentage')
  const settlement = given('paymentRails.settlement')
  return {
    companyProfile: {
      ...texts('companyProfile'),
      name: given('companyProfile.name') ?? '',
      businessEmail: given('companyProfile.businessEmail') ?? '',
      ...(website ? { website: addressOf(website) } : {}),
    },
    stellarConfig:
      issuer || isXlm(answers) || further.length > 0
        ? { assets: [{ code, issuer, name, ...(isXlm(answers) ? {} : { anchoredTo }) }, ...further] }
        : texts('stellarConfig'),
    paymentRails: {
      rails: answers['paymentRails.rails'].length > 0 ? [...answers['paymentRails.rails']] : undefined,
      settlement: settlement === 'instant' || settlement === 'under_60_minutes' ? settlement : undefined,
      fee: {
        fixed: given('paymentRails.fee.fixed'),
        percentage: percentage === undefined ? undefined : fractionOfPercent(percentage),
      },
      limits: { min: given('paymentRails.limits.min'), max: given('paymentRails.limits.max') },
      credentials: givenCredentials(answers),
    },
    compliance: {
      ...texts('compliance'),
      regions: answers['compliance.regions'].length > 0 ? [...answers['compliance.regions']] : undefined,
    },
  }
}

/** By rail and field, of the chosen rails; absent where none was given. */
function givenCredentials(answers: Answers): Record<string, Record<string, string>> | undefined {
  const byRail = answers['paymentRails.rails'].flatMap(rail => {
    const chosen = providerOf(rail, answers)
    const values = credentialsOf(rail, chosen).flatMap(({ name }) => {
      const value = (answers[name] ?? '').trim()
      return value === '' ? [] : [[name.split('.').at(-1) ?? '', value] as const]
    })
    const provider = ['provider', chosen] as const
    return values.length === 0 && chosen === DEFAULT_PROVIDER
      ? []
      : [[rail, Object.fromEntries([provider, ...values])] as const]
  })
  return byRail.length === 0 ? undefined : Object.fromEntries(byRail)
}

/** What fees and limits are counted in. */
export const unitOf = (answers: Answers): string =>
  answers['stellarConfig.assetCode'] || answers['stellarConfig.anchoredTo']
