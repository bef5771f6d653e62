import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  AmountError,
  amountOf,
  formatAmount,
  formatLedgerAmount,
  parseAmount,
  parsePositiveAmount,
} from './amount.ts'
import { feeFor } from './fee.ts'
import { formatRate, multiply, parseRate, withSpread } from './rate.ts'

const amounts = fc.bigInt({ min: -(2n ** 63n - 1n), max: 2n ** 63n - 1n }).map(amountOf)
const rates = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.integer({ min: 0, max: 18 }))

describe('an amount', () => {
  it('survives being written and read again, in both forms', () => {
    fc.assert(
      fc.property(amounts, amount => {
        expect(parseAmount(formatAmount(amount))).toBe(amount)
        expect(parseAmount(formatLedgerAmount(amount))).toBe(amount)
      }),
    )
  })

  it('reads the JSON numbers that clients send', () => {
    expect(formatAmount(parseAmount(0.1))).toBe('0.1')
    expect(formatAmount(parseAmount(1e-7))).toBe('0.0000001')
    expect(formatAmount(parseAmount(88.5))).toBe('88.5')
  })

  it.each([
    '',
    'abc',
    '1e5',
    '0x10',
    '1.00000001',
    '9223372036854775808',
    '--1',
    ' 1',
    '1.',
    NaN,
    Infinity,
    1e30,
    1e-8,
  ])('refuses %s', input => {
    expect(() => parseAmount(input)).toThrow(AmountError)
  })

  it.each<[string | number]>([
    ['922337203685.4775808'],
    ['9'.repeat(26)],
    [`-${'9'.repeat(26)}.5`],
    [1e25],
    [-1.5e25],
  ])('says of %s that it is too large', input => {
    expect(() => parseAmount(input)).toThrow('is larger than the ledger can hold')
  })

  it.each<[string]>([['1e5'], [`${'9'.repeat(26)}x`], [''], ['0x10']])(
    'asks for a decimal number instead of %j',
    input => {
      expect(() => parseAmount(input)).toThrow('must be a decimal number')
    },
  )

  it('refuses zero and less where a positive one is asked', () => {
    expect(() => parsePositiveAmount('0')).toThrow(AmountError)
    expect(() => parsePositiveAmount('-1')).toThrow(AmountError)
  })
})

describe('a rate', () => {
  it('prints the shortest exact decimal', () => {
    expect(formatRate(parseRate('88.50'))).toBe('88.5')
    expect(formatRate(parseRate('0.005'))).toBe('0.005')
    expect(formatRate(parseRate(1))).toBe('1')
  })

  it('has a spread for the anchor, exactly, on the side that the customer pays or gets', () => {
    const quoted = (direction: 'deposit' | 'withdrawal', share: string) =>
      formatRate(withSpread(parseRate('88.5'), parseRate(share), direction))
    expect([quoted('deposit', '0.02'), quoted('withdrawal', '0.01')]).toEqual(['90.27', '87.615'])
    expect(quoted('deposit', '0')).toBe('88.5')
  })

  it('multiplies within half a unit of the exact product', () => {
    fc.assert(
      fc.property(amounts, rates, (amount, [numerator, digits]) => {
        const scale = 10n ** BigInt(digits)
        const error = 2n * (multiply(amount, { numerator, digits }) * scale - amount * numerator)
        expect(error <= scale && -error <= scale).toBe(true)
      }),
    )
  })

  it('rounds a half up', () => {
    expect(formatAmount(multiply(parseAmount('0.0000001'), parseRate('0.5')))).toBe('0.0000001')
    expect(formatAmount(multiply(parseAmount('0.0000001'), parseRate('0.4999')))).toBe('0')
  })
})

describe('a fee', () => {
  it('is the fixed part plus the fraction of the amount', () => {
    const schedule = { fixed: parseAmount('0.5'), percentage: parseRate('0.005') }
    expect(formatAmount(feeFor(schedule, parseAmount('100')))).toBe('1')
    expect(formatAmount(feeFor(schedule, parseAmount('0.0000001')))).toBe('0.5')
  })
})
