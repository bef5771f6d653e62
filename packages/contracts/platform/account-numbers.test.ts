import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  bicFault,
  ibanFault,
  ibanOf,
  ifscFault,
  inGroups,
  routingNumberFault,
  upiFault,
} from './account-numbers.ts'

describe('an IBAN', () => {
  // Examples of the countries' own registers.
  it.each([
    'DE89370400440532013000',
    'GB29NWBK60161331926819',
    'FR1420041010050500013M02606',
    'NL91ABNA0417164300',
    'MT84MALT011000012345MTLCAST001S',
    'NO9386011117947',
  ])('%s is right', iban => {
    expect(ibanFault(iban)).toBeNull()
    expect(ibanOf(iban.slice(0, 2), iban.slice(4))).toBe(iban)
  })

  it('with one character mistyped, or two exchanged, is found out', () => {
    const accounts = fc.stringMatching(/^[0-9]{18}$/)
    fc.assert(
      fc.property(accounts, fc.nat(17), fc.nat(9), (account, at, digit) => {
        const iban = ibanOf('DE', account)
        expect(ibanFault(iban)).toBeNull()
        const index = at + 4
        const mistyped = iban.slice(0, index) + digit + iban.slice(index + 1)
        if (mistyped !== iban) expect(ibanFault(mistyped)).toContain('check digits')
        const [one = '', other = ''] = iban.slice(index - 1, index + 1)
        const exchanged = iban.slice(0, index - 1) + other + one + iban.slice(index + 1)
        if (exchanged !== iban && index > 4) expect(ibanFault(exchanged)).toContain('check digits')
      }),
    )
  })

  it.each([
    ['US64SVBKUS6S3300958879', 'no country of the SEPA area'],
    ['DE8937040044053201300', 'another length'],
    ['hello', 'begins with'],
  ])('%s is none', (iban, why) => {
    expect(ibanFault(iban)).toContain(why)
  })

  it('is shown in groups of four', () => {
    expect(inGroups('DE89370400440532013000')).toBe('DE89 3704 0044 0532 0130 00')
  })
})

it('a routing number is known by its check digit', () => {
  for (const good of ['021000021', '011401533', '091000019']) expect(routingNumberFault(good)).toBeNull()
  expect(routingNumberFault('021000022')).toContain('check digit')
  expect(routingNumberFault('02100002')).toContain('9 digits')
})

it.each([
  [upiFault, ['asha@okbank', 'a.b-c_1@upi'], ['asha', 'asha@', 'a b@ok', '@ok']],
  [bicFault, ['COBADEFF', 'COBADEFFXXX'], ['COBADEF', 'cobadeff', 'COBADEFFXX']],
  [ifscFault, ['SBIN0001234'], ['SBIN1001234', 'SBIN000123']],
])('%o takes what is right and nothing else', (faultOf, right, wrong) => {
  for (const each of right) expect(faultOf(each)).toBeNull()
  for (const each of wrong) expect(faultOf(each)).not.toBeNull()
})
