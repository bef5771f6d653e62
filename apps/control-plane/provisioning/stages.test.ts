import { stageNames } from '@windlass/contracts/platform/provisioning.ts'
import { openDatabase, sharedMigrations, type Database } from '@windlass/service/postgres/database.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { FAULT_POINTS } from '@windlass/testing/fault-points.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { migrations, type Tables } from '../tables.ts'
import { alignStages, completeStage, insertJob, readNextStage } from './journal.ts'
import { stages } from './stages.ts'

it('the control plane has exactly the stages of the contract, in its order', () => {
  expect(stages.map(({ name }) => name)).toEqual(stageNames)
  expect(new Set(stages.map(({ key }) => key)).size).toBe(stageNames.length)
})

it('each stage has points at which tests kill it', () => {
  const keys = new Set(FAULT_POINTS.map(point => point.split(':')[0]))
  expect([...keys]).toEqual(stages.map(({ key }) => key))
})

describe('a job that an earlier version of Windlass began', () => {
  let database: Database<Tables>
  let drop: () => Promise<void>
  beforeAll(async () => {
    const made = await testDatabase(sharedMigrations, migrations)
    drop = made.drop
    database = openDatabase<Tables>(made.url, { name: 'stages' })
  })
  afterAll(async () => {
    await database.close()
    await drop()
  })

  const jobId = 'job'
  const [keys, funding, configuration] = stageNames
  beforeEach(async () => {
    await sql`truncate anchors cascade`.execute(database.db)
    const anchor = {
      id: 'anchor',
      plan: '{}',
      data_key: Buffer.from(''),
      sep_port: null,
      business_port: null,
    }
    await database.db.insertInto('anchors').values(anchor).execute()
    await insertJob(database.db, jobId, anchor.id)
  })
  const align = () => database.db.transaction().execute(tx => alignStages(tx, jobId))
  const readStages = () =>
    database.db.selectFrom('job_stages').select(['name', 'status']).orderBy('position').execute()
  const complete = (name: (typeof stageNames)[number]) =>
    database.db.transaction().execute(tx => completeStage(tx, jobId, name))

  it('runs a stage that this version added, though later ones are completed, and then what was open', async () => {
    await sql`delete from job_stages where name = ${funding}`.execute(database.db)
    await sql`update job_stages set position = position - 1 where position > 1`.execute(database.db)
    await complete(keys)
    await complete(configuration)
    await align()
    expect((await readStages()).map(({ name }) => name)).toEqual(stageNames)
    expect(await readNextStage(database.db, jobId)).toMatchObject({ name: funding })
    await complete(funding)
    expect(await readNextStage(database.db, jobId)).toMatchObject({ name: stageNames[3] })
  })

  it('drops a stage that this version removed, even where it had failed, and completes without it', async () => {
    await sql`update job_stages set position = position + 100 where position > 2`.execute(database.db)
    await sql`insert into job_stages (job_id, position, name, status) values (${jobId}, 3, 'Ringing the bell', 'failed')`.execute(
      database.db,
    )
    await align()
    expect((await readStages()).map(({ name }) => name)).toEqual(stageNames)
    for (const name of stageNames) await complete(name)
    const { status } = await database.db.selectFrom('jobs').select('status').executeTakeFirstOrThrow()
    expect(status).toBe('completed')
  })

  it('follows this version’s order and keeps what is completed', async () => {
    await complete(keys)
    await sql`update job_stages set position = 100 - position`.execute(database.db)
    await align()
    const found = await readStages()
    expect(found.map(({ name }) => name)).toEqual(stageNames)
    expect(found.filter(({ status }) => status === 'completed')).toEqual([
      { name: keys, status: 'completed' },
    ])
  })

  it('is not completed while any stage is open, whichever was completed last', async () => {
    await complete('completed')
    const { status } = await database.db.selectFrom('jobs').select('status').executeTakeFirstOrThrow()
    expect(status).not.toBe('completed')
  })
})
