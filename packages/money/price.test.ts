import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amountOf, parseAmount } from './amount.ts'
import { feeFor } from './fee.ts'
import { decimalsOf } from './number-text.ts'
import {
  PriceError,
  depositFor,
  depositOf,
  feeInMoney,
  forComparison,
  forPayment,
  ratio,
  withdrawalFor,
  withdrawalOf,
} from './price.ts'
import { parseRate } from './rate.ts'

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
const inCents = forPayment('EUR')
const currencies = fc.constantFrom('EUR', 'JPY', 'KWD', 'INR', 'EURC')
/** The smallest amount of a currency. */
const stepOf = (currency: string) => 10n ** BigInt(7 - decimalsOf(currency))

describe('a deposit', () => {
  it('costs amount and fee at the rate, as the aggregator quotes it', () => {
    expect(depositOf(units('100'), fees, rate, inCents)).toEqual({
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
        const { fiat } = depositOf(amount, schedule, at, inCents)
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
        const { fee, fiat } = depositOf(amount, schedule, at, inCents)
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
    expect(withdrawalOf(units('200'), fees, rate, inCents)).toEqual({
      amount: units('200'),
      fee: units('1.5'),
      fiat: units('17567.25'),
    })
    expect(() => withdrawalOf(units('0.5'), fees, rate, inCents)).toThrow(PriceError)
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
          price = withdrawalOf(amount, schedule, at, inCents)
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

describe('each rounding', () => {
  it('asks no more for the largest amount that money buys, whatever the money', () => {
    fc.assert(
      fc.property(amounts, schedules, rates, (money, schedule, at) => {
        const scale = 10n ** BigInt(at.digits)
        const cost = (amount: bigint) => (amount + feeFor(schedule, amountOf(amount))) * at.numerator
        let bought
        try {
          bought = depositFor(money, schedule, at).amount
        } catch (error) {
          expect(error).toBeInstanceOf(PriceError)
          expect(cost(1n)).toBeGreaterThan(money * scale)
          return
        }
        expect(cost(bought)).toBeLessThanOrEqual(money * scale)
        expect(cost(bought + 1n)).toBeGreaterThan(money * scale)
        expect(depositOf(bought, schedule, at, forComparison).fiat).toBeLessThanOrEqual(money)
      }),
    )
  })

  it('of payments is for the anchor, in amounts of the currency, and of quotes within half of a seventh digit', () => {
    fc.assert(
      fc.property(amounts, rates, currencies, (amount, at, currency) => {
        const free = { fixed: amountOf(0n), percentage: parseRate('0') }
        const [scale, step] = [10n ** BigInt(at.digits), stepOf(currency)]
        const exact = amount * at.numerator
        const { fiat: paid } = depositOf(amount, free, at, forPayment(currency))
        expect([paid % step, paid * scale >= exact, (paid - step) * scale < exact]).toEqual([0n, true, true])
        fc.pre(exact >= step * scale)
        const { fiat: got } = withdrawalOf(amount, free, at, forPayment(currency))
        expect([got % step, got * scale <= exact, (got + step) * scale > exact]).toEqual([0n, true, true])
        const { fiat: quoted } = depositOf(amount, free, at, forComparison)
        const error = 2n * (quoted * scale - exact)
        expect(error <= scale && -error <= scale).toBe(true)
      }),
    )
  })

  it('leaves a fee in money with the decimals of the currency, by which the amounts add up', () => {
    fc.assert(
      fc.property(amounts, schedules, rates, currencies, (amount, schedule, at, currency) => {
        const price = depositOf(amount, schedule, at, forPayment(currency))
        const fee = feeInMoney(price, at, currency)
        const [scale, step] = [10n ** BigInt(at.digits), stepOf(currency)]
        expect(fee % step).toBe(0n)
        expect(fee).toBeGreaterThanOrEqual(0n)
        const rest = 2n * (price.fiat * scale - amount * at.numerator - fee * scale)
        expect(rest <= step * scale && -rest <= step * scale).toBe(true)
      }),
    )
  })
})
