import { stageNames } from '@windlass/contracts/provisioning.ts'
import { openDatabase, sharedMigrations, type Database } from '@windlass/service/database.ts'
import { createLogger } from '@windlass/service/logger.ts'
import type { Horizon } from '@windlass/stellar/horizon.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { migrations, type Tables } from '../tables.ts'
import { failStage, insertJob } from './journal.ts'
import { resumeJobs, retryJob } from './retry.ts'

let database: Database<Tables>
let drop: () => Promise<void>
let ledger: 'up' | 'down'
let deps: Deps
let answers: Map<string, number>
beforeAll(async () => {
  const made = await testDatabase(sharedMigrations, migrations)
  drop = made.drop
  database = openDatabase<Tables>(made.url, { name: 'resume' })
  const head = async () => {
    if (ledger === 'down') throw new LedgerError('ledger-unavailable', 'It is down.')
    return { sequence: 1, hash: '', closedAt: new Date(), baseReserve: 5_000_000n }
  }
  const horizon: Partial<Horizon> = { head }
  const some: Partial<Deps> = {
    database,
    logger: createLogger('test', 'silent'),
    horizon: horizon as Horizon,
  }
  deps = some as Deps
})
afterAll(async () => {
  await database.close()
  await drop()
})

const jobId = 'job'
beforeEach(async () => {
  await sql`truncate anchors cascade`.execute(database.db)
  const anchor = { id: 'anchor', plan: '{}', data_key: Buffer.from(''), sep_port: null, business_port: null }
  await database.db.insertInto('anchors').values(anchor).execute()
  await insertJob(database.db, jobId, anchor.id)
  ledger = 'down'
  answers = new Map()
})

async function fail(code: string): Promise<void> {
  const error = { code, detail: 'It is down.', retryable: true }
  const failure = { stage: stageNames[0], error, took: 1, again: null }
  await database.db.transaction().execute(tx => failStage(tx, jobId, failure))
}
/** As when so much time has passed since the failure. */
const pass = (seconds: number) =>
  sql`update jobs set updated_at = updated_at - ${seconds} * interval '1 second'`.execute(database.db)
const notRemoved = async () => false
const probe = () => resumeJobs(deps, answers, notRemoved)
const read = () =>
  database.db.selectFrom('jobs').select(['status', 'attempts', 'resumes']).executeTakeFirstOrThrow()

describe('a job that failed because a dependency was down', () => {
  it('continues by itself when the dependency has answered twice in a row, and not before', async () => {
    await fail('ledger-unavailable')
    await pass(10)
    await probe()
    await probe()
    ledger = 'up'
    await probe()
    ledger = 'down'
    await probe()
    ledger = 'up'
    await probe()
    expect((await read()).status).toBe('failed')
    await probe()
    expect(await read()).toMatchObject({ status: 'pending', resumes: 1 })
    const lines = await database.db.selectFrom('job_log').select(['stage', 'text']).execute()
    expect(lines).toEqual([{ stage: stageNames[0], text: 'The Stellar network answers again: continuing.' }])
  })

  it('waits longer each time it fails again', async () => {
    ledger = 'up'
    await sql`update jobs set resumes = 4`.execute(database.db)
    await fail('submission-unconfirmed')
    await pass(60)
    await probe()
    await probe()
    expect((await read()).status).toBe('failed')
    await pass(60)
    await probe()
    await probe()
    expect(await read()).toMatchObject({ status: 'pending', resumes: 5 })
  })

  it('answers one retry that comes after it has continued as if that had woken it', async () => {
    ledger = 'up'
    await fail('ledger-unavailable')
    await pass(10)
    await probe()
    await probe()
    const { attempts } = await read()
    expect(await retryJob(deps, jobId, notRemoved)).toEqual({ jobId, status: 'pending', attempts })
    await expect(retryJob(deps, jobId, notRemoved)).rejects.toMatchObject({ code: 'job-not-retryable' })
  })

  it('stays failed where its anchor is removed', async () => {
    ledger = 'up'
    await fail('ledger-unavailable')
    await pass(10)
    await resumeJobs(deps, answers, async () => true)
    await resumeJobs(deps, answers, async () => true)
    expect((await read()).status).toBe('failed')
  })
})

it('a job that failed for another reason waits for a retry', async () => {
  ledger = 'up'
  await fail('server-exited')
  await pass(3_600)
  await probe()
  await probe()
  expect((await read()).status).toBe('failed')
})
