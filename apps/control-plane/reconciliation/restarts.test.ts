import { expect, it } from 'vitest'
import { createPatience, createPauses, type Symptoms } from './restarts.ts'

const well: Symptoms = { silent: false, unhealthy: false }

/** Seconds after which a server with these symptoms is given up, looked at each five. */
function givenUpAfter(symptomsAt: (second: number) => Symptoms, within = 900): number | null {
  let now = 0
  const patience = createPatience(() => now)
  for (let second = 0; second <= within; second += 5) {
    now = second * 1_000
    if (patience.isOver('one', symptomsAt(second))) return second
  }
  return null
}

it('a server that does not answer is restarted after a minute, one that its engine reports as unhealthy after five', () => {
  expect(givenUpAfter(() => ({ ...well, silent: true }))).toBe(60)
  expect(givenUpAfter(() => ({ ...well, unhealthy: true }))).toBe(300)
  expect(givenUpAfter(() => ({ silent: true, unhealthy: true }))).toBe(60)
  expect(givenUpAfter(() => well)).toBeNull()
})

it('one healthy answer starts the wait again, and so does a restart', () => {
  expect(givenUpAfter(second => ({ ...well, silent: second % 55 !== 0 }))).toBeNull()
  let now = 0
  const patience = createPatience(() => now)
  const silent = { ...well, silent: true }
  expect(patience.isOver('one', silent)).toBe(false)
  now = 60_000
  expect(patience.isOver('two', silent)).toBe(false)
  expect(patience.isOver('one', silent)).toBe(true)
  expect(patience.isOver('one', silent)).toBe(false)
})

it('of many servers that do not answer one is restarted every 30 seconds', () => {
  let now = 0
  const patience = createPatience(() => now)
  const restarts: number[] = []
  for (; now <= 180_000; now += 5_000)
    for (let server = 0; server < 64; server++)
      if (patience.isOver(`${server}`, { ...well, silent: true })) restarts.push(now / 1_000)
  expect(restarts).toEqual([60, 90, 120, 150, 180])
})

it('a server that keeps dying is restarted at growing intervals, up to a minute', () => {
  let now = 0
  const pauses = createPauses(() => now)
  const tries: number[] = []
  for (; now < 400_000; now += 500) if (pauses.isOver('a')) tries.push(now)
  const gaps = tries.slice(1).map((at, index) => at - (tries[index] ?? 0))
  expect(gaps.slice(0, 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
})

it('a quiet minute makes the next pause short again, and one does not hold up another', () => {
  let now = 0
  const pauses = createPauses(() => now)
  for (; now < 30_000; now += 500) pauses.isOver('a')
  expect(pauses.isOver('b')).toBe(true)
  now += 200_000
  expect(pauses.isOver('a')).toBe(true)
  now += 1_000
  expect(pauses.isOver('a')).toBe(true)
})
