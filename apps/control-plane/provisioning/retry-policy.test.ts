import fc from 'fast-check'
import { expect, it } from 'vitest'
import { nextTry, type RetryPolicy } from './retry-policy.ts'
import { stages } from './stages.ts'

const policies = fc.record({
  attempts: fc.integer({ min: 1, max: 50 }),
  backoff: fc.integer({ min: 1, max: 10 }),
  maxBackoff: fc.integer({ min: 10, max: 60 }),
  budget: fc.integer({ min: 1, max: 600 }),
})
const chances = fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 60, maxLength: 60 })
const durations = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 60, maxLength: 60 })

/** The pauses of a round in which every try fails after so many seconds. */
function pausesOf(policy: RetryPolicy, took: readonly number[], random: readonly number[]): number[] {
  const pauses: number[] = []
  for (let failures = 0, spent = 0; ; failures++) {
    spent += took[failures] ?? 0
    const wait = nextTry(policy, { failures, spent }, random[failures] ?? 0)
    if (wait === null) return pauses
    pauses.push(wait)
    spent += wait
  }
}

it('a round has no more tries than allowed, and begins none when its time is used up', () => {
  fc.assert(
    fc.property(policies, durations, chances, (policy, took, random) => {
      const pauses = pausesOf(policy, took, random)
      expect(pauses.length).toBeLessThan(policy.attempts)
      const begun = pauses.reduce((sum, pause, index) => sum + pause + (took[index] ?? 0), 0)
      if (pauses.length > 0) expect(begun).toBeLessThan(policy.budget)
    }),
  )
})

it('pauses grow up to their longest and are never shorter than half of it', () => {
  fc.assert(
    fc.property(policies, chances, (policy, random) => {
      pausesOf({ ...policy, budget: Infinity }, [], random).forEach((pause, index) => {
        const ceiling = Math.min(policy.maxBackoff, policy.backoff * 2 ** index)
        expect(pause).toBeGreaterThanOrEqual(ceiling / 2)
        expect(pause).toBeLessThanOrEqual(ceiling)
      })
    }),
  )
})

it('a faucet that hangs for ten seconds a try fails its stage within a minute', () => {
  const funding = stages.find(stage => stage.key === 'funding')
  expect(funding?.retries.budget).toBeLessThanOrEqual(50)
  const pauses = pausesOf(
    funding?.retries ?? never,
    [10, 10, 10, 10, 10, 10],
    [0.999, 0.999, 0.999, 0.999, 0.999],
  )
  const total = pauses.reduce((sum, pause) => sum + pause, 0) + 10 * (pauses.length + 1)
  expect(total).toBeLessThan(60)
})

const never: RetryPolicy = { attempts: 0, backoff: 0, maxBackoff: 0, budget: 0 }
