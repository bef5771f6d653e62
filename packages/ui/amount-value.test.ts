import { afterEach, expect, it } from 'vitest'
import { amountError, amountErrors, amountValueOf, typedOf } from './amount-value.ts'
import { setLanguage } from './catalogue.ts'

afterEach(() => setLanguage('en'))

it('is the decimal string that the language makes of what was typed, and is typed again as the language writes it', () => {
  expect([amountValueOf('10,000'), amountValueOf(' 12.5 '), amountValueOf('')]).toEqual(['10000', '12.5', ''])
  expect([typedOf('10000.5'), typedOf('1.234')]).toEqual(['10000.5', '1.2340'])
  setLanguage('es')
  expect([amountValueOf('10.000'), amountValueOf('12,5')]).toEqual(['10000', '12.5'])
  expect([typedOf('10000.5'), typedOf('1.234')]).toEqual(['10000,5', '1,2340'])
})

it('keeps what cannot be read in one way so that nothing takes it for a number, in whichever language', () => {
  for (const language of ['en', 'es']) {
    setLanguage(language)
    for (const typed of ['10.000', '10,000', '12.50', '12,50', '1.5.5', 'ten']) {
      const value = amountValueOf(typed)
      if (amountError(value) === undefined) continue
      expect(value).not.toMatch(/^\d/)
      expect(typedOf(value)).toBe(typed)
      // Also after the language of the page changed.
      setLanguage(language === 'en' ? 'es' : 'en')
      expect([typedOf(value), amountError(value) === undefined]).toEqual([typed, false])
      setLanguage(language)
    }
  }
})

it.each<[string, { decimals?: number; optional?: boolean; positive?: boolean }, string | undefined]>([
  ['', {}, 'Enter a number.'],
  ['', { optional: true }, undefined],
  ['0', {}, undefined],
  ['0', { positive: true }, 'Enter a number above 0.'],
  ['10.000', {}, 'This can be read in two ways. Write 10 or 10000.'],
  ['1.5', { decimals: 0 }, 'Enter a whole number.'],
  ['1.2345', { decimals: 2 }, 'Enter at most 2 decimals.'],
  ['1,5', {}, 'Enter a number such as 1,234.5.'],
  ['-5', {}, 'Enter a number such as 1,234.5.'],
  ['1234567890123', {}, 'Enter a smaller number.'],
])('“%s” with %j: %s', (typed, rules, error) => {
  expect(amountError(amountValueOf(typed, rules.decimals), rules)).toBe(error)
})

it('checks the fields of a form', () => {
  const values = { min: '1', max: amountValueOf('10.000'), other: 'text' }
  expect(Object.keys(amountErrors(values, { min: {}, max: {}, ceiling: { optional: true } }))).toEqual([
    'max',
  ])
})
