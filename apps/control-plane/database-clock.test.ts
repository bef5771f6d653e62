import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createDatabaseClock } from './database-clock.ts'

/** A database whose clock is ahead of the machine's, and that takes a while to answer. All in milliseconds. */
function databaseOf({ ahead }: { ahead: number }) {
  let present = 0
  let machineAhead = 0
  /** The two parts of each reading: until the database reads its clock, and from there until the answer is here. */
  const delays: [number, number][] = []
  const read = async (): Promise<Date> => {
    const [there, back] = delays.shift() ?? [0, 0]
    present += there
    const time = new Date(present + ahead)
    present += back
    return time
  }
  const clock = createDatabaseClock(
    read,
    () => present,
    () => present + machineAhead,
  )
  return {
    clock,
    delays,
    error: () => Math.abs(clock.now().getTime() - (present + ahead)),
    pass: (ms: number) => (present += ms),
    set: (to: number) => (ahead = to),
    setMachine: (to: number) => (machineAhead = to),
  }
}

const delay = fc.tuple(fc.nat(20_000), fc.nat(20_000))
/** So that no answer is good enough, and all are compared. */
const slowDelay = fc.tuple(fc.integer({ min: 21, max: 20_000 }), fc.nat(20_000))

it('a slow answer never spoils what a fast one told', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(delay, { minLength: 1, maxLength: 20 }), async delays => {
      const database = databaseOf({ ahead: 600_000 })
      await database.clock.compare()
      expect(database.error()).toBeLessThanOrEqual(1)
      database.delays.push(...delays)
      while (database.delays.length > 0) {
        await database.clock.compare()
        expect(database.error()).toBeLessThanOrEqual(100)
      }
    }),
  )
})

it('where every answer is slow the error is at most half of the fastest one, and the drift meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(slowDelay, { minLength: 5, maxLength: 5 }), async delays => {
      const database = databaseOf({ ahead: -600_000 })
      database.delays.push(...delays)
      await database.clock.compare()
      const trips = delays.map(([there, back]) => there + back)
      const drift = 1e-4 * trips.reduce((sum, trip) => sum + trip)
      expect(database.error()).toBeLessThanOrEqual(Math.min(...trips) / 2 + drift + 1)
    }),
  )
})

it('a database whose clock was set is followed at once', async () => {
  const database = databaseOf({ ahead: 0 })
  await database.clock.compare()
  database.pass(60_000)
  database.set(-90_000)
  for (let n = 0; n < 5; n++) database.delays.push([100, 100])
  await database.clock.compare()
  expect(database.error()).toBeLessThanOrEqual(100)
})

it.each([7_200_000, -7_200_000])(
  'once the machine’s clock was set by %d ms the database is asked at the next look',
  async step => {
    const database = databaseOf({ ahead: 0 })
    await database.clock.compare()
    database.set(step)
    database.setMachine(step)
    database.clock.now()
    await expect.poll(database.error).toBeLessThanOrEqual(1)
  },
)

it.each([7_200_000, -7_200_000])(
  'the first who asks finds a clock that was set by %d ms before, and followed since',
  async step => {
    const database = databaseOf({ ahead: 0 })
    await database.clock.compare()
    database.set(step)
    database.setMachine(step)
    await database.clock.follow()
    expect(database.error()).toBeLessThanOrEqual(1)
  },
)

it('a database whose clock alone was set is followed within a minute', async () => {
  const database = databaseOf({ ahead: 0 })
  await database.clock.compare()
  database.set(-90_000)
  await database.clock.follow()
  expect(database.error()).toBeGreaterThan(60_000)
  database.pass(60_000)
  await database.clock.follow()
  expect(database.error()).toBeLessThanOrEqual(10)
})

it('a database that does not answer is asked again at the next look after a step, and nothing throws', async () => {
  let isDown = true
  let asked = 0
  let machineAhead = 0
  const read = async () => {
    asked++
    if (isDown) throw new Error('down')
    return new Date(machineAhead)
  }
  const clock = createDatabaseClock(
    read,
    () => 0,
    () => machineAhead,
  )
  clock.now()
  expect(asked).toBe(0)
  machineAhead = 60_000
  expect(clock.now().getTime()).toBe(0)
  await Promise.resolve()
  clock.now()
  expect(asked).toBe(1)
  isDown = false
  await expect.poll(() => clock.now().getTime()).toBe(60_000)
})
