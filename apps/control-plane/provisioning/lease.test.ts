import { stageNames } from '@windlass/contracts/platform/provisioning.ts'
import { openDatabase, sharedMigrations, type Database } from '@windlass/service/postgres/database.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { migrations, type Tables } from '../tables.ts'
import { beginStage, completeStage, dueJobs, insertJob, readNextStage } from './journal.ts'
import { claim } from './lease.ts'
import { LeaseLost } from './stage.ts'

let database: Database<Tables>
let drop: () => Promise<void>
beforeAll(async () => {
  const made = await testDatabase(sharedMigrations, migrations)
  drop = made.drop
  database = openDatabase<Tables>(made.url, { name: 'leases' })
})
afterAll(async () => {
  await database.close()
  await drop()
})

let jobId: string
let number = 0
beforeEach(async () => {
  jobId = `job-${++number}`
  const anchor = { id: `anchor-${number}`, plan: '{}', data_key: Buffer.from('') }
  await database.db
    .insertInto('anchors')
    .values({ ...anchor, sep_port: null, business_port: null })
    .execute()
  await insertJob(database.db, jobId, anchor.id)
})

const take = (seconds = 30) => claim(database.db, jobId, seconds, createLogger('test', 'silent'))
/** As when the holder was silent for too long. */
const expire = () =>
  sql`update jobs set lease_until = clock_timestamp() - interval '1 second' where id = ${jobId}`.execute(
    database.db,
  )

describe('the lease of a job', () => {
  it('goes to one of many who ask at once', async () => {
    const leases = await Promise.all(Array.from({ length: 20 }, () => take()))
    const won = leases.filter(lease => lease !== null)
    expect(won).toHaveLength(1)
    expect(await dueJobs(database.db)).not.toContain(jobId)
    await won[0]?.release()
    expect(await dueJobs(database.db)).toContain(jobId)
  })

  it('fences a worker that wakes after its lease: its write changes nothing', async () => {
    const stale = await take()
    await stale?.fenced(tx => beginStage(tx, jobId, stageNames[0]))
    await expire()
    const fresh = await take()
    expect(fresh).not.toBeNull()
    await expect(stale?.fenced(tx => completeStage(tx, jobId, stageNames[0]))).rejects.toBeInstanceOf(
      LeaseLost,
    )
    expect(stale?.lost.aborted).toBe(true)
    expect(await readNextStage(database.db, jobId)).toMatchObject({ name: stageNames[0] })
    // Nor does it take the lease from its present holder.
    await stale?.release()
    await fresh?.fenced(tx => completeStage(tx, jobId, stageNames[0]))
    expect(await readNextStage(database.db, jobId)).toMatchObject({ name: stageNames[1] })
    await fresh?.release()
  })

  it('is not for writing once it has run out, even where nobody took it', async () => {
    const lease = await take()
    await expire()
    await expect(lease?.fenced(tx => beginStage(tx, jobId, stageNames[0]))).rejects.toBeInstanceOf(LeaseLost)
    await lease?.release()
  })

  it('of a worker that died before the clock was set back is over', async () => {
    const dead = await take()
    await sql`update jobs set lease_until = clock_timestamp() + interval '2 hours',
      next_run_at = clock_timestamp() + interval '2 hours' where id = ${jobId}`.execute(database.db)
    expect(await dueJobs(database.db)).toContain(jobId)
    const next = await take()
    expect(next).not.toBeNull()
    await expect(dead?.fenced(tx => beginStage(tx, jobId, stageNames[0]))).rejects.toBeInstanceOf(LeaseLost)
    await next?.release()
  })

  it('is renewed while its holder lives', async () => {
    const lease = await take(1)
    await expect
      .poll(
        async () => {
          const row = await database.db
            .selectFrom('jobs')
            .select(sql<number>`extract(epoch from clock_timestamp() - created_at)::float8`.as('age'))
            .where('id', '=', jobId)
            .executeTakeFirstOrThrow()
          return row.age > 1.5
        },
        { timeout: 15_000 },
      )
      .toBe(true)
    expect(await take()).toBeNull()
    await lease?.fenced(tx => beginStage(tx, jobId, stageNames[0]))
    await lease?.release()
  })

  it('tells its holder when it is lost', async () => {
    const lease = await take(1)
    await expire()
    await expect.poll(() => lease?.lost.aborted).toBe(true)
    await lease?.release()
  })
})
