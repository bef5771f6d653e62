import { stageNames } from '@windlass/contracts/platform/provisioning.ts'
import { openDatabase, sharedMigrations, type Database } from '@windlass/service/postgres/database.ts'
import { createFaults } from '@windlass/service/process/faults.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { createSealer } from '@windlass/service/seals/seal.ts'
import type { Horizon } from '@windlass/stellar/horizon.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { sql } from 'kysely'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sealNewDataKey } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { migrations, type Tables } from '../tables.ts'
import { failStage, insertJob } from './journal.ts'
import { resumeJobs, retryJob } from './retry.ts'
import { runJob } from './run-job.ts'

let database: Database<Tables>
let drop: () => Promise<void>
let ledger: 'up' | 'down'
let deps: Deps
let answers: Map<string, number>
const master = createSealer(new Map([[1, randomBytes(32)]]))
/** As a machine whose packets are dropped: calls of it do not end, and its probe succeeds once it is up. */
let signer: 'up' | 'hangs'
beforeAll(async () => {
  const made = await testDatabase(sharedMigrations, migrations)
  drop = made.drop
  database = openDatabase<Tables>(made.url, { name: 'resume' })
  const head = async () => {
    if (ledger === 'down') throw new LedgerError('ledger-unavailable', 'It is down.')
    return { sequence: 1, hash: '', closedAt: new Date(), baseReserve: 5_000_000n }
  }
  const horizon: Partial<Horizon> = { head }
  const signerClient: Partial<Deps['signer']> = {
    call: () => (signer === 'up' ? Promise.resolve({} as never) : new Promise<never>(() => undefined)),
  }
  const some: Partial<Deps> = {
    database,
    master,
    logger: createLogger('test', 'silent'),
    horizon: horizon as Horizon,
    signer: signerClient as Deps['signer'],
    faults: createFaults(undefined),
    config: { work: { leaseSeconds: 30 } } as Deps['config'],
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
  const anchor = { id: 'anchor', plan: '{"asset":{}}', sep_port: null, business_port: null }
  const data_key = sealNewDataKey(master, anchor.id)
  await database.db
    .insertInto('anchors')
    .values({ ...anchor, data_key })
    .execute()
  await insertJob(database.db, jobId, anchor.id)
  ledger = 'down'
  signer = 'hangs'
  answers = new Map()
})

/** By default for good; `took` is seconds of the stage's budget, `again` those until its next attempt. */
async function fail(code: string, took = 1, again: number | null = null): Promise<void> {
  const error = { code, detail: 'It is down.', retryable: true }
  const failure = { stage: stageNames[0], error, took, again }
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

  it('continues too where the clock was set back since', async () => {
    await fail('ledger-unavailable')
    await pass(-7_200)
    ledger = 'up'
    await probe()
    await probe()
    expect((await read()).status).toBe('pending')
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

describe('an attempt that uses up the time of its stage', () => {
  const attempt = () => runJob(deps, jobId, new AbortController().signal)
  const readError = async () =>
    (
      await database.db
        .selectFrom('job_stages')
        .select('error')
        .where('position', '=', 0)
        .executeTakeFirstOrThrow()
    ).error

  it('fails with the outage that the attempt before it met, and its job continues when that ends', async () => {
    await fail('signer-unavailable', 3_600, 0)
    await attempt()
    expect((await read()).status).toBe('failed')
    expect(await readError()).toMatchObject({ code: 'signer-unavailable', detail: 'It is down.' })
    await pass(10)
    signer = 'up'
    await probe()
    await probe()
    expect(await read()).toMatchObject({ status: 'pending', resumes: 1 })
  })

  it('says so where no attempt before it met an outage', async () => {
    await fail('internal-error', 3_600, 0)
    await attempt()
    expect((await read()).status).toBe('failed')
    expect(await readError()).toMatchObject({ code: 'stage-timed-out' })
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
