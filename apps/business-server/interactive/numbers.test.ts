import { formatAmount, amountOf } from '@windlass/money/amount.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plain, shown, shownCents, typed } from './numbers.ts'

describe('numbers on the pages', () => {
  it.each([
    ['en', '1234567.8901234', '1,234,567.8901234'],
    ['en', '0.5', '0.5'],
    ['es', '1234.5', '1.234,5'],
    ['en', '922337203685.4775807', '922,337,203,685.4775807'],
  ])('in %s show %s as %s', (lang, decimal, expected) => {
    expect(shown(lang, decimal)).toBe(expected)
  })

  it('have hundredths where they are a currency’s', () => {
    expect(shownCents('en', '8938.5')).toBe('8,938.50')
    expect(shownCents('es', '8938.5')).toBe('8.938,50')
  })

  it.each([
    ['en', '10,000', '10000'],
    ['en', '10000.5', '10000.5'],
    ['en', '10,5', '10,5'],
    ['en', '1,00', '1,00'],
    ['es', '10.000', '10000'],
    ['es', '10.000,5', '10000.5'],
    ['es', '10,5', '10.5'],
    ['es', '10.5', '10.5'],
    ['es', '0.125', '0.125'],
  ])('typed in %s as %s mean %s', (lang, text, expected) => {
    expect(plain(lang, text)).toBe(expected)
  })

  it('mean what they were, typed again as they are shown', () => {
    fc.assert(
      fc.property(fc.constantFrom('en', 'es'), fc.bigInt(1n, 2n ** 63n - 1n), (lang, units) => {
        const amount = formatAmount(amountOf(units))
        expect(plain(lang, shown(lang, amount))).toBe(amount)
        expect(plain(lang, typed(lang, amount))).toBe(amount)
      }),
    )
  })
})
