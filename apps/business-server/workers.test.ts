import { openDatabase } from '@windlass/service/postgres/database.ts'
import { createOutage } from '@windlass/service/observe/outage.ts'
import { pino } from 'pino'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Tables } from './tables.ts'
import { type BusinessApp, startBusinessApp } from './testing/business-app.ts'
import { startWorkers } from './workers.ts'

let app: BusinessApp
beforeAll(async () => {
  app = await startBusinessApp()
})
afterAll(() => app.close())

describe('what continues without a request', () => {
  it('takes three connections of the database at most', async () => {
    const workers = startWorkers(app.deps)
    const counts: number[] = []
    for (let look = 0; look < 10; look++) {
      await sleep(100)
      const { rows } = await app.deps.database.pool.query<{ count: string }>(
        'select count(*) from pg_stat_activity where datname = current_database()',
      )
      counts.push(Number(rows[0]?.count))
    }
    await workers.stop()
    expect(Math.max(...counts)).toBeLessThanOrEqual(3)
  })

  it('compares journal, ledger and rails once a server has run for some seconds', async () => {
    const clock = { now: () => new Date(Date.now() - 10_000) }
    const workers = startWorkers({ ...app.deps, clock })
    const compared = () => app.deps.database.pool.query('select by from reconciliations')
    await expect.poll(async () => (await compared()).rows).toEqual([{ by: 'schedule' }])
    await workers.stop()
  })

  it('says once that the database is away, not at every round', async () => {
    const lines: string[] = []
    const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) })
    const database = openDatabase<Tables>('postgres://nobody@127.0.0.1:1/none', { name: 'away' })
    const outage = createOutage(logger, 'the database does not answer')
    const workers = startWorkers({ ...app.deps, database, logger, outage, rails: new Map() })
    await sleep(1_800)
    await workers.stop()
    await database.close()
    expect(lines).toEqual(['the database does not answer'])
  })
})
