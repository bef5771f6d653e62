import { describe, expect, it } from 'vitest'
import { shown, shownCents } from './numbers.ts'

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
})
