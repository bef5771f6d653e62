import { amountOf, formatAmount } from '@windlass/money/amount.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonBytes } from './json-bytes.ts'

const bytes = new JsonBytes()
const written = (write: () => void): string => {
  bytes.start('')
  write()
  return bytes.take().toString()
}

describe('JSON that is put together as bytes', () => {
  it('has amounts as they are formatted elsewhere', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 63n - 1n), fc.integer({ min: 0, max: 18 }), (units, fewer) => {
        const amount = amountOf(units / 10n ** BigInt(fewer))
        expect(written(() => bytes.amount(amount))).toBe(formatAmount(amount))
      }),
      { numRuns: 2_000 },
    )
  })

  it('has scores as JSON has numbers of four digits', () => {
    for (let parts = 0; parts <= 1_000_000; parts += 7) {
      const score = parts / 10_000
      if (written(() => bytes.score(score)) !== JSON.stringify(score)) expect.fail(`${score}`)
    }
  })

  it('has texts of any length in UTF-8, in their order', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 0, max: 99 }), (texts, n) => {
        const long = texts.join('').repeat(n * n)
        const all = written(() => {
          bytes.start('start')
          bytes.piece(Buffer.from(long))
          bytes.whole(n)
          bytes.text(long)
        })
        expect(all === `start${long}${n}${long}`).toBe(true)
      }),
    )
  })

  it('keeps what was taken when the next is put together', () => {
    bytes.start('one')
    const one = bytes.take()
    bytes.start('two')
    expect([one.toString(), bytes.take().toString()]).toEqual(['one', 'two'])
  })
})
