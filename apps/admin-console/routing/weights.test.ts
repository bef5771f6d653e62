import { fillScores } from '@windlass/contracts/aggregator/routing.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isWhole, millionths, sumOf } from './weights.ts'

describe('the weights of a routing policy', () => {
  test('0.1 and 0.2 and 0.3 and 0.4 are exactly 1', () => {
    expect(isWhole(fillScores({ fee: '0.1', speed: '0.2', uptime: '0.3', liquidity: '0.4' }, '0'))).toBe(true)
    expect(
      isWhole(
        fillScores({ fee: '0.333333', speed: '0.333333', uptime: '0.333333', liquidity: '0.000001' }, '0'),
      ),
    ).toBe(true)
    expect(
      isWhole(fillScores({ fee: '0.333333', speed: '0.333333', uptime: '0.333333', liquidity: '0' }, '0')),
    ).toBe(false)
  })

  test('whatever four parts a million is cut into, they are whole', () => {
    const cuts = fc.tuple(fc.nat(1_000_000), fc.nat(1_000_000), fc.nat(1_000_000))
    fc.assert(
      fc.property(cuts, given => {
        const [a = 0, b = 0, c = 0] = [...given].sort((x, y) => x - y)
        const text = (part: number) => (part === 1_000_000 ? '1' : `0.${String(part).padStart(6, '0')}`)
        expect(
          isWhole(
            fillScores(
              { fee: text(a), speed: text(b - a), uptime: text(c - b), liquidity: text(1_000_000 - c) },
              '0',
            ),
          ),
        ).toBe(true)
      }),
    )
  })

  test.each(['', '-0.1', '1.1', '2', '0.1234567', '1e-1', '.5', 'a'])('%s is no weight', text => {
    expect(millionths(text)).toBeUndefined()
    expect(sumOf(fillScores({ fee: text, speed: '0', uptime: '0', liquidity: '1' }, '0'))).toBeUndefined()
  })
})
