import { startPostgres } from '@windlass/postgres/start.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, it } from 'vitest'
import { homeAt } from '../home.ts'
import type { News } from './state.ts'
import { startBackups } from './schedule.ts'

it('says what failed and why where a scheduled backup fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-schedule-'))
  const home = homeAt(join(folder, 'home'))
  const failures: News[] = []
  const report = (news: News) => void (news.event === 'failed' && failures.push(news))
  const place = join(folder, 'backups')
  const schedule = { place, recipients: [], everyHours: 24, keep: 7, logEverySeconds: 0 }
  const backups = startBackups(schedule, {}, home, report)
  await expect.poll(() => failures).toHaveLength(1)
  expect(failures).toEqual([
    { event: 'failed', task: 'backup', error: expect.stringContaining('There are no databases in') },
  ])
  await backups.stop()
  rmSync(folder, { recursive: true })
})

it('gives up the log that an earlier start kept, and stops after that', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-schedule-'))
  const home = homeAt(join(folder, 'home'))
  const password = 'superuser-of-the-test'
  const postgres = await startPostgres({ dataFolder: home.postgres, port: 0, superuserPassword: password })
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query("select pg_create_physical_replication_slot('windlass_archive', true)")
  const variables = { POSTGRES_PORT: String(postgres.port), POSTGRES_PASSWORD: password }
  await startBackups(null, variables, home, () => undefined).stop()
  const { rows } = await client.query('select slot_name from pg_replication_slots')
  await client.end()
  await postgres.stop()
  rmSync(folder, { recursive: true })
  expect(rows).toEqual([])
})
