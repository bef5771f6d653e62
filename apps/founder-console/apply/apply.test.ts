import { submitApplication } from '@windlass/contracts/platform/applications.ts'
import { Compile } from 'typebox/compile'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { feeOf, fractionOfPercent, isAmount, isPercentage, notAbove } from './amounts.ts'
import {
  applicationOf,
  chooseCountry,
  loadAccountChecks,
  noAnswers,
  stepOf,
  errorsIn,
  fieldsOf,
  type Answers,
} from './answers.ts'

const answers = (given: Partial<Answers>): Answers => ({
  ...noAnswers,
  'companyProfile.country': 'IN',
  'companyProfile.name': 'Harbour Payments Ltd',
  'companyProfile.businessEmail': 'mira@harbour.example',
  ...given,
})

test('every text that a founder enters is sent', () => {
  const texts = Object.keys(noAnswers).filter(name =>
    /^(companyProfile|stellarConfig|compliance)[.]/.test(name),
  )
  const entered = Object.fromEntries(
    texts
      .filter(name => typeof noAnswers[name as keyof Answers] === 'string')
      .map(name => [name, `said in ${name}`]),
  )
  const sent = JSON.stringify(applicationOf(answers({ ...entered, 'asset.kind': 'existing' })))
  for (const text of Object.values(entered)) expect(sent).toContain(text)
})

describe('amounts on the form', () => {
  test('a percentage becomes its fraction digit for digit', () => {
    expect(fractionOfPercent('0.5')).toBe('0.005')
    expect(fractionOfPercent('100')).toBe('1')
    expect(fractionOfPercent('0.00001')).toBe('0.0000001')
    expect(fractionOfPercent('0')).toBe('0')
  })

  test('every percentage the form takes becomes a fraction the ledger can hold', () => {
    const percent = fc
      .tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 99_999 }))
      .map(([whole, part]) => `${whole}.${String(part).padStart(5, '0')}`)
    fc.assert(
      fc.property(percent, text => {
        expect(isPercentage(text)).toBe(true)
        const fraction = fractionOfPercent(text)
        expect(isAmount(fraction)).toBe(true)
        const [whole = '', decimals = ''] = text.split('.')
        expect(BigInt(toSeven(fraction))).toBe(BigInt(whole + decimals))
      }),
    )
  })

  test('the example fee is fixed + amount × percentage, half up at the seventh decimal', () => {
    expect(feeOf('1000', '0.5', '0.5')).toBe('5.5')
    expect(feeOf('0.0000001', '0', '50')).toBe('0.0000001')
    expect(feeOf('0.0000001', '0', '49')).toBe('0')
  })

  test('amounts are compared as numbers, not as text', () => {
    expect(notAbove('9', '10')).toBe(true)
    expect(notAbove('1.1', '1.01')).toBe(false)
    expect(notAbove('1.0', '1')).toBe(true)
  })

  test.each(['', '-1', '1e3', '1,5', '0.12345678', 'abc', '1.', '.5'])('%s is no amount', text => {
    expect(isAmount(text)).toBe(false)
  })
})

const ISSUER = 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5'

describe('the answers of an application', () => {
  test('an issuer makes the asset one that exists, which needs its code', () => {
    const given = answers({
      'asset.kind': 'existing',
      'stellarConfig.assetCode': 'USDC',
      'stellarConfig.assets.0.issuer': ISSUER,
    })
    expect(errorsIn(given)).toEqual({})
    expect(errorsIn({ ...given, 'stellarConfig.assets.0.issuer': 'GNOBODY' })).toHaveProperty([
      'stellarConfig.assets.0.issuer',
    ])
    expect(errorsIn({ ...given, 'stellarConfig.assetCode': '' })).toHaveProperty(['stellarConfig.assetCode'])
    expect(applicationOf(given).stellarConfig).toEqual({
      assets: [{ code: 'USDC', issuer: ISSUER, name: undefined, anchoredTo: 'USD' }],
    })
  })

  test('XLM has no issuer and no peg', () => {
    const given = answers({
      'asset.kind': 'existing',
      'stellarConfig.assetCode': 'XLM',
      'stellarConfig.anchoredTo': 'INR',
      'stellarConfig.assets.0.issuer': ISSUER,
    })
    expect(errorsIn(given)).toEqual({})
    expect(fieldsOf('asset', given)).not.toContain('stellarConfig.assets.0.issuer')
    expect(JSON.parse(JSON.stringify(applicationOf(given).stellarConfig))).toEqual({
      assets: [{ code: 'XLM' }],
    })
  })

  test('further assets exist, and make a list that begins with the first asset', () => {
    const given = answers({
      'stellarConfig.assetCode': 'INRX',
      'stellarConfig.anchoredTo': 'INR',
      'stellarConfig.assets.1.code': 'USDC',
      'stellarConfig.assets.1.issuer': ISSUER,
      'stellarConfig.assets.3.code': 'EURC',
      'stellarConfig.assets.3.issuer': ISSUER,
      'stellarConfig.assets.3.anchoredTo': 'EUR',
      'paymentRails.rails': ['UPI', 'SEPA'],
    })
    expect(errorsIn(given)).toEqual({})
    expect(JSON.parse(JSON.stringify(applicationOf(given).stellarConfig))).toEqual({
      assets: [
        { code: 'INRX', anchoredTo: 'INR' },
        { code: 'USDC', issuer: ISSUER, anchoredTo: 'USD' },
        { code: 'EURC', issuer: ISSUER, anchoredTo: 'EUR' },
      ],
    })
    const wrong = (changes: Partial<Answers>) => Object.keys(errorsIn({ ...given, ...changes } as Answers))
    expect(wrong({ 'stellarConfig.assetCode': '' })).toEqual(['stellarConfig.assetCode'])
    expect(wrong({ 'stellarConfig.assets.1.issuer': '' })).toEqual(['stellarConfig.assets.1.issuer'])
    expect(wrong({ 'stellarConfig.assets.3.code': 'USDC' })).toEqual(['stellarConfig.assets.3.code'])
  })

  test('nothing but country, name and email is needed', () => {
    expect(errorsIn(answers({}))).toEqual({})
    expect(Object.keys(errorsIn(noAnswers)).toSorted()).toEqual([
      'companyProfile.businessEmail',
      'companyProfile.country',
      'companyProfile.name',
    ])
  })

  test('a country proposes its rail, currency and region, and leaves what was changed', () => {
    const inGermany = { ...noAnswers, ...chooseCountry(noAnswers, 'DE'), 'companyProfile.country': 'DE' }
    expect(inGermany).toMatchObject({
      'paymentRails.rails': ['SEPA'],
      'stellarConfig.anchoredTo': 'EUR',
      'compliance.regions': ['DE'],
    })
    const changed = { ...inGermany, 'compliance.regions': ['DE', 'FR'] }
    expect(chooseCountry(changed, 'US')).toEqual({
      'paymentRails.rails': ['ACH'],
      'stellarConfig.anchoredTo': 'USD',
    })
    const inBrazil = answers({ ...chooseCountry(inGermany, 'BR'), 'companyProfile.country': 'BR' })
    expect(Object.keys(errorsIn(inBrazil))).toEqual(['paymentRails.rails', 'compliance.regions'])
  })

  test('a currency that none of the rails moves is wrong', () => {
    const given = answers({ 'stellarConfig.anchoredTo': 'EUR' })
    expect(errorsIn(given)).toEqual({
      'stellarConfig.anchoredTo':
        'None of your rails (UPI) moves EUR. Choose another currency, or a rail that moves it',
    })
    expect(errorsIn({ ...given, 'paymentRails.rails': ['UPI', 'SEPA'] })).toEqual({})
  })

  test('a website needs no https://', () => {
    const given = answers({ 'companyProfile.website': 'harbour.example' })
    expect(errorsIn(given)).toEqual({})
    expect(applicationOf(given).companyProfile.website).toBe('https://harbour.example')
  })

  test.each([
    ['companyProfile.businessEmail', 'no-at.example'],
    ['companyProfile.website', 'javascript:alert(1)'],
    ['companyProfile.name', 'x'.repeat(201)],
    ['stellarConfig.assetCode', 'TOO-LONG'],
    ['paymentRails.fee.fixed', '0.12345678'],
    ['paymentRails.fee.percentage', '100.1'],
    ['paymentRails.limits.max', '0.5'],
    ['paymentRails.credentials.UPI.vpa', 'no-at-sign'],
    ['paymentRails.credentials.UPI.webhookSecret', 'short'],
  ] as const)('%s refuses %s', (name, value) => {
    expect(Object.keys(errorsIn(answers({ [name]: value })))).toEqual([name])
  })

  test('what was left open is left out, and the rest is as the contract wants it', () => {
    const body = applicationOf(
      answers({
        'companyProfile.country': 'IN',
        'stellarConfig.assetCode': 'HARB',
        'paymentRails.limits.max': '50000',
        'paymentRails.credentials.UPI.vpa': ' harbour@okbank ',
        // Belongs to a rail that is not chosen: not sent.
        'paymentRails.credentials.SEPA.bic': 'COBADEFF',
        'paymentRails.credentials.IMPS.provider': 'bank-file',
        'compliance.regions': [],
      }),
    )
    const sent: unknown = JSON.parse(JSON.stringify(body))
    expect(sent).toEqual({
      companyProfile: { name: 'Harbour Payments Ltd', businessEmail: 'mira@harbour.example', country: 'IN' },
      stellarConfig: { assetCode: 'HARB', anchoredTo: 'USD' },
      paymentRails: {
        rails: ['UPI'],
        settlement: 'instant',
        fee: { fixed: '0.5', percentage: '0.005' },
        limits: { min: '1', max: '50000' },
        credentials: { UPI: { provider: 'simulated', vpa: 'harbour@okbank' } },
      },
      compliance: {},
    })
    expect(Compile(submitApplication.body).Check(sent)).toBe(true)
  })

  test('the provider that was chosen for a rail is sent with what it asks for', () => {
    const body = applicationOf(
      answers({
        'paymentRails.rails': ['SEPA', 'ACH'],
        'paymentRails.credentials.SEPA.provider': 'bank-file',
        'paymentRails.credentials.SEPA.iban': 'DE89370400440532013000',
        // The other provider asked for it.
        'paymentRails.credentials.SEPA.webhookSecret': 'typed-before-the-choice',
        'paymentRails.credentials.ACH.provider': 'bank-file',
        'paymentRails.credentials.ACH.companyId': '1234567890',
      }),
    )
    expect(body.paymentRails?.credentials).toEqual({
      SEPA: { provider: 'bank-file', iban: 'DE89370400440532013000' },
      ACH: { provider: 'bank-file', companyId: '1234567890' },
    })
    const wrong = answers({
      'paymentRails.rails': ['ACH'],
      'paymentRails.credentials.ACH.provider': 'bank-file',
      'paymentRails.credentials.ACH.companyId': 'short',
    })
    expect(Object.keys(errorsIn(wrong))).toEqual(['paymentRails.credentials.ACH.companyId'])
  })

  test('an account with a mistyped character is refused where it is typed', async () => {
    await loadAccountChecks()
    const typed = answers({
      'paymentRails.rails': ['SEPA', 'ACH'],
      'paymentRails.credentials.SEPA.iban': 'DE89 3704 0044 0532 0130 01',
      'paymentRails.credentials.SEPA.bic': 'COBAZZFF',
      'paymentRails.credentials.ACH.routingNumber': '021000022',
    })
    expect(Object.values(errorsIn(typed))).toEqual([
      expect.stringContaining('its check digits do not fit'),
      expect.stringContaining('with the country'),
      expect.stringContaining('its check digit does not fit'),
    ])
  })

  test('a refusal of any depth finds the step that asked', () => {
    expect(stepOf('companyProfile.name')).toBe('company')
    expect(stepOf('paymentRails.fee')).toBe('rails')
    expect(stepOf('compliance')).toBe('compliance')
    expect(stepOf('elsewhere')).toBeUndefined()
  })
})

const toSeven = (decimal: string): string => {
  const [whole = '', decimals = ''] = decimal.split('.')
  return whole + decimals.padEnd(7, '0')
}
