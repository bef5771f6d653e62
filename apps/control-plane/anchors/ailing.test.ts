import { expect, it } from 'vitest'
import { createAiling, type Symptoms } from './ailing.ts'

const well: Symptoms = { silent: false, unhealthy: false }

/** Seconds after which a server with these symptoms is given up, looked at each five. */
function givenUpAfter(symptomsAt: (second: number) => Symptoms, within = 900): number | null {
  let now = 0
  const ailing = createAiling(() => now)
  for (let second = 0; second <= within; second += 5) {
    now = second * 1_000
    if (ailing.tooLong('one', symptomsAt(second))) return second
  }
  return null
}

it('a server that does not answer is given up after a minute, one that its engine finds unhealthy after five', () => {
  expect(givenUpAfter(() => ({ ...well, silent: true }))).toBe(60)
  expect(givenUpAfter(() => ({ ...well, unhealthy: true }))).toBe(300)
  expect(givenUpAfter(() => ({ silent: true, unhealthy: true }))).toBe(60)
  expect(givenUpAfter(() => well)).toBeNull()
})

it('one good look begins the wait anew, and so does a new start', () => {
  expect(givenUpAfter(second => ({ ...well, silent: second % 55 !== 0 }))).toBeNull()
  let now = 0
  const ailing = createAiling(() => now)
  const silent = { ...well, silent: true }
  expect(ailing.tooLong('one', silent)).toBe(false)
  now = 60_000
  expect(ailing.tooLong('two', silent)).toBe(false)
  expect(ailing.tooLong('one', silent)).toBe(true)
  expect(ailing.tooLong('one', silent)).toBe(false)
})
