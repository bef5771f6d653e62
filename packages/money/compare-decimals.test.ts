import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareDecimals, isDecimal } from './compare-decimals.ts'

const written = (units: bigint, places: number): string => {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  return `${units < 0n ? '-' : ''}${whole}${places > 0 ? `.${digits.slice(-places)}` : ''}`
}

it('compares by value, not by writing', () => {
  expect(compareDecimals('0.5', '0.25')).toBeGreaterThan(0)
  expect(compareDecimals('10', '9.99')).toBeGreaterThan(0)
  expect(compareDecimals('-2', '1')).toBeLessThan(0)
  expect(compareDecimals('1.50', '1.5')).toBe(0)
  expect(['1,5', '', '.5', '1e3'].map(isDecimal)).toEqual([false, false, false, false])
})

it('agrees with whole units', () => {
  fc.assert(
    fc.property(fc.bigInt(), fc.bigInt(), fc.nat(9), (one, other, places) => {
      const expected = one < other ? -1 : one > other ? 1 : 0
      expect(compareDecimals(written(one, places), written(other, places))).toBe(expected)
      expect(isDecimal(written(one, places))).toBe(true)
    }),
  )
})
