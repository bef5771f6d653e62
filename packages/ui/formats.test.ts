import { describe, expect, test } from 'vitest'
import { formatAgo, formatBytes, formatDuration } from './format-units.ts'
import { formatAmount, formatMoney, formatCountry, formatFraction, shorten } from './formats.ts'

describe('formats', () => {
  test.each([
    ['8938.5', 'INR', '8,938.50 INR'],
    ['1000', 'JPY', '1,000 JPY'],
    ['0.0000001', 'EUR', '0.0000001 EUR'],
    ['1.5', 'LOTUS', '1.5 LOTUS'],
  ])('write %s of %s as %s', (amount, currency, text) => {
    expect(formatMoney(amount, currency)).toBe(text)
  })

  test('an amount keeps every digit, also beyond what a float can hold', () => {
    expect(formatAmount('922337203685.4775807')).toBe('922,337,203,685.4775807')
    expect(formatAmount('0.0000001')).toBe('0.0000001')
    expect(formatAmount('not an amount')).toBe('not an amount')
  })

  test.each([
    [0, '0 byte'],
    [412, '412 byte'],
    [1_234_567, '1.2 MB'],
    [3_000_000_000, '3 GB'],
  ])('%i bytes read %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text)
  })

  test('a fraction reads as a percentage', () => {
    expect(formatFraction('0.005')).toBe('0.5%')
    expect(formatFraction('1')).toBe('100%')
    expect(formatFraction('0.0000001')).toBe('0.00001%')
  })

  test.each([
    [400, '0.4s'],
    [9_940, '9.9s'],
    [12_400, '12s'],
    [59_600, '1m 0s'],
    [185_000, '3m 5s'],
    [7_440_000, '2h 4m'],
    [-50, '0.0s'],
  ])('%i ms reads %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text)
  })

  test('a time that lies ahead of this clock is now', () => {
    expect(formatAgo(1_000, 0)).toBe('now')
    expect(formatAgo(0, 40_000)).toBe('40 sec. ago')
    expect(formatAgo(0, 7_200_000)).toBe('2 hr. ago')
  })

  test('an unknown country stays as it was written', () => {
    expect(formatCountry('IN')).toBe('India')
    expect(formatCountry('nowhere at all')).toBe('nowhere at all')
  })

  test('an id is shortened in its middle, a short one not at all', () => {
    expect(shorten('GCATAQ4HVR2YKS5A6HZKVPJ4TDVJ4QVJSTXVJ4DZC5YQIGAKIMQ2HJQB')).toBe('GCATAQ…HJQB')
    expect(shorten('abc-def')).toBe('abc-def')
  })
})
