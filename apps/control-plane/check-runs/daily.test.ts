import type { WalletCheckReport } from '@windlass/contracts/platform/wallet-checks.ts'
import { openDatabase, sharedMigrations, type Database } from '@windlass/service/postgres/database.ts'
import type { Loop } from '@windlass/service/work/loop.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { createSealer } from '@windlass/service/seals/seal.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { fakeClock } from '@windlass/testing/fake-clock.ts'
import fc from 'fast-check'
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { migrations, type Tables } from '../tables.ts'
import type { Deps } from '../deps.ts'
import { sealNewDataKey } from '../anchors/vault.ts'
import { startDailyChecks, type Checks } from './daily.ts'
import { requestCheck } from './reports.ts'
import { nextCheck } from './time-of-day.ts'

const HOUR = 3_600_000

describe('the time of an anchor’s check', () => {
  it('comes once in every day, never within two hours after a check, and within one after a failure', () => {
    const times = fc.date({ min: new Date('2026-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), times, (anchorId, now) => {
        const wait = nextCheck(anchorId, now).getTime() - now.getTime()
        expect(wait).toBeGreaterThanOrEqual(2 * HOUR)
        expect(wait).toBeLessThan(26 * HOUR)
        const first = nextCheck(anchorId, now)
        expect(nextCheck(anchorId, first).getTime() - first.getTime()).toBe(24 * HOUR)
        expect(nextCheck(anchorId, now, true).getTime() - now.getTime()).toBe(HOUR)
      }),
    )
  })

  it('spreads many anchors over the day', () => {
    const hours = Array.from({ length: 2_000 }, (_, n) =>
      nextCheck(`anchor${n}`, new Date('2026-03-01T00:00:00Z')).getUTCHours(),
    )
    for (let hour = 0; hour < 24; hour++) {
      expect(hours.filter(each => each === hour).length).toBeGreaterThan(40)
    }
  })
})

describe('the daily checks', () => {
  let database: Database<Tables>
  let drop: () => Promise<void>
  let deps: Deps
  const clock = { ...fakeClock(), compare: async () => undefined, follow: async () => undefined }
  const master = createSealer(new Map([[1, randomBytes(32)]]))
  let visited: string[] = []
  let passed = true
  const lives: Loop[] = []

  beforeAll(async () => {
    const made = await testDatabase(sharedMigrations, migrations)
    drop = made.drop
    database = openDatabase<Tables>(made.url, { name: 'daily-checks' })
    // What the checks do not touch is not there.
    deps = { database, clock, master, logger: createLogger('test', 'silent') } as Partial<Deps> as Deps
  })
  afterEach(async () => {
    await Promise.all(lives.splice(0).map(life => life.stop()))
    await database.db.deleteFrom('outbox' as never).execute()
    await database.db.deleteFrom('anchors').execute()
    visited = []
    passed = true
  })
  afterAll(async () => {
    await database.close()
    await drop()
  })

  const report = (): WalletCheckReport => ({
    checkedAt: clock.now().toISOString(),
    results: [
      {
        name: 'a',
        sep: 1,
        requirement: 'A.',
        impact: 'B.',
        passed,
        detail: passed ? null : 'C.',
        durationMs: 1,
      },
    ],
  })
  const visit = async (_: unknown, { anchorId }: { anchorId: string }) => {
    visited.push(anchorId)
    return report()
  }
  const life = (run: Checks['run'] = visit) => {
    const loop = startDailyChecks(deps, { wake: async () => undefined, isHealthy: async () => true, run })
    lives.push(loop)
    return {
      wake: async () => {
        loop.wake()
        await loop.idle()
      },
    }
  }
  const addAnchor = async (id: string, change: { running?: boolean; provisioned_at?: Date | null } = {}) => {
    await database.db
      .insertInto('anchors')
      .values({
        id,
        plan: JSON.stringify({ anchorId: id }),
        data_key: sealNewDataKey(master, id),
        sep_port: null,
        business_port: null,
        provisioned_at: clock.now(),
        ...change,
      })
      .execute()
    return id
  }
  const sent = () =>
    database.pool.query("select payload from outbox where topic = 'wallet-checks' order by id")

  it('visit each running anchor once a day at its own time, whatever process lives', async () => {
    const ids = await Promise.all(['one', 'two', 'three'].map(id => addAnchor(id)))
    await addAnchor('suspended', { running: false })
    await addAnchor('unborn', { provisioned_at: null })
    await life().wake()
    expect(visited).toEqual([])
    for (let hour = 0; hour < 49; hour++) {
      clock.advance(HOUR)
      // Two processes, each of which may be a new one.
      await Promise.all([life().wake(), life().wake()])
    }
    for (const id of ids) expect([2, 3]).toContain(visited.filter(each => each === id).length)
    expect(visited.every(id => ids.includes(id))).toBe(true)
    expect((await sent()).rows).toHaveLength(visited.length)
  })

  it('visit an anchor on request, and again within the hour if a check failed', async () => {
    await addAnchor('one')
    const checks = life()
    await checks.wake()
    passed = false
    await requestCheck(deps, 'one')
    await checks.wake()
    expect(visited).toEqual(['one'])
    clock.advance(HOUR)
    passed = true
    await checks.wake()
    expect(visited).toEqual(['one', 'one'])
    clock.advance(HOUR)
    await checks.wake()
    expect(visited).toHaveLength(2)
    const { rows } = await sent()
    expect(rows.map(row => row.payload.report.results[0].passed)).toEqual([false, true])
  })

  it('come back to a check that died, and do not let it hold up others', async () => {
    await addAnchor('one')
    await addAnchor('two')
    for (const id of ['one', 'two']) await requestCheck(deps, id)
    const checks = life(async (given, plan) => {
      const found = await visit(given, plan)
      if (plan.anchorId === 'one' && visited.filter(id => id === 'one').length === 1) throw new Error('dies')
      return found
    })
    await checks.wake()
    expect(visited.toSorted()).toEqual(['one', 'two'])
    clock.advance(16 * 60_000)
    await checks.wake()
    expect(visited.toSorted()).toEqual(['one', 'one', 'two'])
  })

  it('are refused for an anchor that is not there, or does not run', async () => {
    await addAnchor('suspended', { running: false })
    await expect(requestCheck(deps, 'nobody')).rejects.toMatchObject({ code: 'anchor-not-found' })
    await expect(requestCheck(deps, 'suspended')).rejects.toMatchObject({ code: 'anchor-wrong-state' })
  })
})
