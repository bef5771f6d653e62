import { expect, it } from 'vitest'
import { createPauses } from './pauses.ts'

it('what keeps dying is tried at growing intervals, up to a minute', () => {
  let now = 0
  const pauses = createPauses(() => now)
  const tries: number[] = []
  for (; now < 400_000; now += 500) if (pauses.over('a')) tries.push(now)
  const gaps = tries.slice(1).map((at, index) => at - (tries[index] ?? 0))
  expect(gaps.slice(0, 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
})

it('a quiet minute makes the next pause short again, and one does not hold up another', () => {
  let now = 0
  const pauses = createPauses(() => now)
  for (; now < 30_000; now += 500) pauses.over('a')
  expect(pauses.over('b')).toBe(true)
  now += 200_000
  expect(pauses.over('a')).toBe(true)
  now += 1_000
  expect(pauses.over('a')).toBe(true)
})
