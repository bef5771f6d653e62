import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UptimeWindow } from './uptime-window.ts'

const HOUR = 3_600_000
const START = Date.UTC(2026, 2, 1)

const steps = fc.array(
  fc.record({
    /** Time passes by this much; often within a second, sometimes by hours. */
    pass: fc.oneof(fc.nat(1_500), fc.nat(60_000), fc.nat(HOUR), fc.nat(5 * HOUR)),
    slot: fc.nat(3),
    good: fc.boolean(),
    /** How long before the present the check was made: other processes' checks arrive late. */
    ago: fc.oneof(fc.constant(0), fc.nat(2_000), fc.nat(HOUR + 10)),
    asks: fc.boolean(),
  }),
  { maxLength: 120 },
)

describe('the uptime window', () => {
  it('always counts what a query over all checks would count', () => {
    fc.assert(
      fc.property(steps, moves => {
        const window = new UptimeWindow()
        const all: { slot: number; at: number; good: boolean }[] = []
        let now = START
        for (const { pass, slot, good, ago, asks } of moves) {
          now += pass
          const at = now - ago
          window.record(slot, at, good)
          all.push({ slot, at, good })
          if (!asks) continue
          window.advance(now)
          for (let s = 0; s <= 3; s += 1) {
            const inside = all.filter(check => check.slot === s && check.at > now - HOUR)
            expect([window.good[s], window.checks[s]]).toEqual([
              inside.filter(check => check.good).length,
              inside.length,
            ])
          }
        }
      }),
      { numRuns: 300 },
    )
  })

  it('does not run back', () => {
    const window = new UptimeWindow()
    window.record(0, START, true)
    window.advance(START + HOUR)
    window.advance(START)
    expect(window.checks[0]).toBe(0)
  })

  it('counts from the new time on where the clock was set back', () => {
    const window = new UptimeWindow()
    window.record(0, START + 2 * HOUR, true)
    window.advance(START + 2 * HOUR)
    window.advance(START)
    window.record(0, START + 1_000, true)
    window.advance(START + 1_000)
    expect([window.good[0], window.checks[0]]).toEqual([1, 1])
  })

  it('grows with the registry', () => {
    const window = new UptimeWindow()
    window.record(0, START, true)
    window.record(50_000, START, true)
    expect([window.good[0], window.good[50_000]]).toEqual([1, 1])
  })
})
