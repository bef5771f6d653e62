import { listAudit, verifyAudit } from '@windlass/contracts/administrators.ts'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestApp, signInAdmin, testApp } from '../test-app.ts'
import { refusal } from '../test-story.ts'
import { record } from './record.ts'
import { verifyChain } from './verify.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  await app.database.pool.query(
    `truncate audit_log; update audit_head set sequence = 0, hash = decode(repeat('00', 32), 'hex')`,
  )
})

const act = (subject: string) => ({
  actor: 'system',
  action: 'test.done',
  subject,
  details: { note: 'ä "quoted"' },
})
const write = (subject: string) =>
  app.database.db.transaction().execute(tx => record(tx, act(subject), app.clock.now()))
const sql = (text: string) => app.database.pool.query(text)

describe('the audit log', () => {
  it('is a whole chain, also when many write at once', async () => {
    await Promise.all(Array.from({ length: 40 }, (_, index) => write(`thing:${index}`)))
    expect(await verifyChain(app.database.db)).toEqual({ ok: true, entries: 40 })
  })

  it('holds nothing of a transaction that failed', async () => {
    await write('thing:1')
    const failing = app.database.db.transaction().execute(async tx => {
      await record(tx, act('thing:2'), app.clock.now())
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow()
    await write('thing:3')
    expect(await verifyChain(app.database.db)).toEqual({ ok: true, entries: 2 })
  })

  it.each([
    ['an edited subject', `update audit_log set subject = 'thing:x' where sequence = 3`, '3'],
    ['edited details', `update audit_log set details = '{}' where sequence = 1`, '1'],
    ['an edited time', `update audit_log set at = at + interval '1 second' where sequence = 2`, '2'],
    [
      'a text moved from one field to the next',
      `update audit_log set actor = 'sys', action = 'temtest.done' where sequence = 2`,
      '2',
    ],
    ['a deleted entry', `delete from audit_log where sequence = 2`, '3'],
    ['a deleted first entry', `delete from audit_log where sequence = 1`, '2'],
    ['a deleted last entry', `delete from audit_log where sequence = 4`, '4'],
    ['everything deleted', `delete from audit_log`, '1'],
    [
      'an entry of someone’s own',
      `insert into audit_log select 5, at, actor, action, 'forged', details, hash, hash from audit_log where sequence = 4; update audit_head set sequence = 5`,
      '5',
    ],
  ])('shows %s', async (_what, tampering, brokenAt) => {
    for (const subject of ['a', 'b', 'c', 'd']) await write(subject)
    await sql(tampering)
    expect(await verifyChain(app.database.db)).toMatchObject({ ok: false, brokenAt })
  })

  it('is read newest first, by subject and actor, page by page', async () => {
    for (const subject of ['a', 'b', 'a']) await write(subject)
    const admin = await signInAdmin(app)
    const all = await admin.call(listAudit)
    expect(all.map(({ id, subject }) => [id, subject.slice(0, 3)])).toEqual([
      ['4', 'ses'],
      ['3', 'a'],
      ['2', 'b'],
      ['1', 'a'],
    ])
    expect(all[3]).toMatchObject({
      details: { note: 'ä "quoted"' },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(await admin.call(listAudit, { query: { subject: 'a' } })).toHaveLength(2)
    expect(
      await admin.call(listAudit, { query: { actor: `admin:${app.config.admin.username}` } }),
    ).toHaveLength(1)
    const page = await admin.send(listAudit, { query: { limit: 3 } })
    const cursor = /cursor=([^>&]+)/.exec(page.headers.get('link') ?? '')?.[1]
    expect((await admin.call(listAudit, { query: { limit: 3, cursor } })).map(({ id }) => id)).toEqual(['1'])
    expect(await refusal(admin.call(listAudit, { query: { cursor: 'MjAyNi0wMS0wMXxub3Bl' } }))).toMatchObject(
      { status: 400 },
    )
    expect(await admin.call(verifyAudit)).toEqual({ ok: true, entries: 4 })
    expect(await refusal(app.client().call(listAudit))).toMatchObject({ status: 401 })
    expect(await refusal(app.client().call(verifyAudit))).toMatchObject({ status: 401 })
  })

  it('is verified from the command line', async () => {
    await write('a')
    const verify = () =>
      spawnSync(process.execPath, [fileURLToPath(new URL('./main.ts', import.meta.url))], {
        env: { PLATFORM_DATABASE_URL: app.database.url, PATH: process.env.PATH },
        encoding: 'utf8',
      })
    expect(verify()).toMatchObject({ status: 0, stdout: 'The audit log is whole: 1 entries.\n' })
    await sql(`update audit_log set action = 'nothing'`)
    expect(verify()).toMatchObject({ status: 1, stderr: expect.stringContaining('entry 1 does not fit') })
  })
})
