import { amountOf, parseAmount } from '@windlass/money/amount.ts'
import { feeFor } from '@windlass/money/fee.ts'
import { parseRate } from '@windlass/money/rate.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PriceError, depositFor, depositOf, ratio, withdrawalFor, withdrawalOf } from './price.ts'

const fees = { fixed: parseAmount('0.5'), percentage: parseRate('0.005') }
const rate = parseRate('88.50')
const units = (text: string) => parseAmount(text)

const amounts = fc.bigInt({ min: 10_000_000n, max: 10n ** 15n }).map(amountOf)
const schedules = fc.record({
  fixed: fc.bigInt({ min: 0n, max: 10n ** 9n }).map(amountOf),
  percentage: fc.integer({ min: 0, max: 500 }).map(thousandths => parseRate((thousandths / 1000).toFixed(3))),
})
const rates = fc.integer({ min: 1, max: 10_000_000 }).map(value => parseRate((value / 1000).toFixed(3)))
const cent = 100_000n

describe('a deposit', () => {
  it('costs amount and fee at the rate, as the aggregator quotes it', () => {
    expect(depositOf(units('100'), fees, rate)).toEqual({
      amount: units('100'),
      fee: units('1'),
      fiat: units('8938.50'),
    })
  })

  it('that money buys is the largest it pays for', () => {
    expect(depositFor(units('8938.50'), fees, rate).amount).toBe(units('100'))
    expect(() => depositFor(units('40'), fees, rate)).toThrow(PriceError)
    fc.assert(
      fc.property(amounts, schedules, rates, (amount, schedule, at) => {
        const { fiat } = depositOf(amount, schedule, at)
        fc.pre(fiat > 0n)
        const bought = depositFor(fiat, schedule, at)
        expect(bought.amount).toBeGreaterThanOrEqual(amount)
        expect(bought.fee).toBe(feeFor(schedule, bought.amount))
        const cost = (bought.amount + bought.fee) * at.numerator
        expect(cost).toBeLessThanOrEqual(fiat * 10n ** BigInt(at.digits))
      }),
    )
  })

  it('is never sold below its cost, and by less than a hundredth above it', () => {
    fc.assert(
      fc.property(amounts, schedules, rates, (amount, schedule, at) => {
        const { fee, fiat } = depositOf(amount, schedule, at)
        const scale = 10n ** BigInt(at.digits)
        const exact = (amount + fee) * at.numerator
        expect(fiat % cent).toBe(0n)
        expect(fiat * scale).toBeGreaterThanOrEqual(exact)
        expect((fiat - cent) * scale).toBeLessThan(exact)
      }),
    )
  })
})

describe('a withdrawal', () => {
  it('pays what is left after the fee at the rate', () => {
    expect(withdrawalOf(units('200'), fees, rate)).toEqual({
      amount: units('200'),
      fee: units('1.5'),
      fiat: units('17567.25'),
    })
    expect(() => withdrawalOf(units('0.5'), fees, rate)).toThrow(PriceError)
  })

  it('for an amount of money is the smallest that comes to it', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 9n }), schedules, rates, (cents, schedule, at) => {
        const fiat = amountOf(cents * cent)
        const { amount, fee } = withdrawalFor(fiat, schedule, at)
        const net = (candidate: bigint) => (candidate - feeFor(schedule, amountOf(candidate))) * at.numerator
        const wanted = fiat * 10n ** BigInt(at.digits)
        expect(fee).toBe(feeFor(schedule, amount))
        expect(net(amount)).toBeGreaterThanOrEqual(wanted)
        expect(net(amount - 1n)).toBeLessThan(wanted)
      }),
    )
  })

  it('never pays more than it is worth', () => {
    fc.assert(
      fc.property(amounts, schedules, rates, (amount, schedule, at) => {
        let price
        try {
          price = withdrawalOf(amount, schedule, at)
        } catch (error) {
          expect(error).toBeInstanceOf(PriceError)
          return
        }
        const exact = (amount - price.fee) * at.numerator
        expect(price.fiat * 10n ** BigInt(at.digits)).toBeLessThanOrEqual(exact)
      }),
    )
  })
})

it.each([
  [1n, 3n, '0.3333333333'],
  [2n, 3n, '0.6666666667'],
  [177n, 2n, '88.5'],
  [5n, 5n, '1'],
])('a price of %i to %i is %s', (numerator, denominator, text) => {
  expect(ratio(numerator, denominator)).toBe(text)
})
