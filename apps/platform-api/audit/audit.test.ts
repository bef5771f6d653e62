import { listAudit, verifyAudit } from '@windlass/contracts/platform/administrators.ts'
import { Account, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { type LocalNetwork, startLocalNetwork } from '@windlass/local-network/local-network.ts'
import { signerFromSeed } from '@windlass/stellar/ed25519.ts'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { generateKey, signTransaction } from '@windlass/stellar/keys.ts'
import { childEnvironment } from '@windlass/testing/processes.ts'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestApp, signInAdmin, testApp, testEnv } from '../testing/app.ts'
import { refusal } from '../testing/story.ts'
import { record } from './record.ts'
import { anchorHead } from './anchor.ts'
import { followChain, readHead, START } from './chain.ts'
import { ENTRY_NAME, readAnchored } from './ledger-entry.ts'
import { signHead, signPlace, TamperedLog } from './sign.ts'
import { verifyAudit as verify } from './verify.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  await tamper(
    `truncate audit_log; truncate audit_signature;
     update audit_head set sequence = 0, hash = decode(repeat('00', 32), 'hex')`,
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
/** As someone who owns the database and switches its triggers off. */
const tamper = (text: string) =>
  sql(`set session_replication_role = replica; ${text}; reset session_replication_role`)
const check = () => verify(app.database.db, { keyring: app.config.keyring })
const whole = (entries: number) => expect.objectContaining({ ok: true, entries })
const writeAll = async (...subjects: string[]) => {
  for (const subject of subjects) await write(subject)
}

describe('the audit log', () => {
  it('is a whole chain, also when many write at once', async () => {
    await Promise.all(Array.from({ length: 40 }, (_, index) => write(`thing:${index}`)))
    expect(await check()).toEqual(whole(40))
  })

  it('holds nothing of a transaction that failed', async () => {
    await write('thing:1')
    const failing = app.database.db.transaction().execute(async tx => {
      await record(tx, act('thing:2'), app.clock.now())
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow()
    await write('thing:3')
    expect(await check()).toEqual(whole(2))
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
    await tamper(tampering)
    expect(await check()).toMatchObject({ ok: false, brokenAt, problem: expect.any(String) })
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
    expect(await admin.call(verifyAudit)).toMatchObject({ ok: true, entries: 4 })
    expect(await refusal(app.client().call(listAudit))).toMatchObject({ status: 401 })
    expect(await refusal(app.client().call(verifyAudit))).toMatchObject({ status: 401 })
  })

  it.each([
    ['changes', `update audit_log set subject = 'x'`],
    ['deletes', `delete from audit_log where sequence = 1`],
    ['empties', `truncate audit_log`],
  ])('is not changed by a statement that %s entries', async (_what, statement) => {
    await write('a')
    await expect(sql(statement)).rejects.toThrow('permanent')
    expect(await check()).toEqual(whole(1))
  })

  it('is verified from the command line', async () => {
    await write('a')
    await signHead(app.deps)
    const run = (env: Record<string, string>, ...args: string[]) =>
      spawnSync(process.execPath, [fileURLToPath(new URL('./main.ts', import.meta.url)), ...args], {
        env: { PLATFORM_DATABASE_URL: app.database.url, ...childEnvironment(), ...env },
        encoding: 'utf8',
      })
    expect(run({ PLATFORM_KEY: testEnv.PLATFORM_KEY })).toMatchObject({
      status: 0,
      stdout:
        'The audit log is whole: 2 entries.\nSigned up to entry 2.\nNot checked: The ledger: no account is configured.\n',
    })
    await tamper(CUT)
    expect(run({ PLATFORM_KEY: testEnv.PLATFORM_KEY })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Entries 2 to 2 are missing'),
    })
    const { status, stdout } = run({ PLATFORM_KEY: testEnv.PLATFORM_KEY }, '--json')
    expect([status, JSON.parse(stdout)]).toMatchObject([1, { ok: false, entries: 1, brokenAt: '2' }])
    // The chain alone shows nothing, and it is said that nothing else was checked.
    expect(await verify(app.database.db, {})).toMatchObject({
      ok: true,
      unchecked: ['The signature: PLATFORM_KEY is not set.', 'The ledger: no account is configured.'],
    })
  })
})

/** Deletes the last entry and resets the head, so that the chain is whole. */
const CUT = `delete from audit_log where sequence = (select max(sequence) from audit_log);
  update audit_head set (sequence, hash) = (select sequence, hash from audit_log order by sequence desc limit 1)`

it('the audit log of a role of its own is added to by the platform’s login, and not changed', async () => {
  const name = randomBytes(6).toString('hex')
  const [owner, writer] = [`audit_owner_${name}`, `audit_writer_${name}`]
  const { pool } = app.database
  const client = await pool.connect()
  try {
    await client.query(
      `begin; create role ${owner}; create role ${writer}; grant usage on schema public to ${writer}`,
    )
    await client.query('select protect_audit_log($1, $2)', [owner, writer])
    await client.query(`set local role ${writer}`)
    const entry = "select 1, now(), 'a', 'b', 'c', '{}', hash, hash from audit_head"
    await client.query(`insert into audit_log ${entry}`)
    await client.query('select sequence from audit_log; update audit_head set sequence = 1')
    for (const statement of [
      'update audit_log set actor = actor',
      'delete from audit_log',
      'truncate audit_log',
      'alter table audit_log disable trigger all',
      'drop trigger permanent on audit_log',
      'delete from audit_signature',
      'delete from audit_head',
    ]) {
      await client.query('savepoint before')
      await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' })
      await client.query('rollback to savepoint before')
    }
  } finally {
    await client.query('rollback')
    client.release()
  }
})

describe('the signature of the audit log', () => {
  it('covers new entries, and is the same for every process', async () => {
    await writeAll('a', 'b')
    const places = await Promise.all([signHead(app.deps), signHead(app.deps)])
    expect(places.map(({ sequence }) => sequence)).toEqual(['3', '3'])
    await write('c')
    expect(await check()).toMatchObject({ ok: true, entries: 4, signedUpTo: '3' })
    await signHead(app.deps, places[0])
    expect(await check()).toMatchObject({ ok: true, entries: 4, signedUpTo: '4' })
  })

  it('shows a tail that was cut, also with its own row cut back, and is not given again', async () => {
    await writeAll('a', 'b')
    await signHead(app.deps)
    await write('c')
    const last = await signHead(app.deps)
    await tamper(CUT)
    expect(
      (await followChain(app.database.db, START, (await readHead(app.database.db)).sequence)).brokenAt,
    ).toBe(undefined)
    expect(await check()).toMatchObject({ ok: false, brokenAt: '4', problem: 'Entries 4 to 4 are missing.' })
    await expect(signHead(app.deps)).rejects.toThrow(TamperedLog)
    await sql(`update audit_signature set (sequence, hash) = (select sequence, hash from audit_head)`)
    expect(await check()).toMatchObject({ ok: false, problem: 'The signature of the log is not valid.' })
    await expect(signHead(app.deps, last)).rejects.toThrow('not valid')
  })

  it('shows that an older signature was put back', async () => {
    await writeAll('a', 'b')
    await signHead(app.deps)
    const [older] = (await sql('select * from audit_signature')).rows
    await write('c')
    const last = await signHead(app.deps)
    await tamper(CUT)
    await app.database.pool.query('update audit_signature set sequence = $1, hash = $2, mac = $3', [
      older.sequence,
      older.hash,
      older.mac,
    ])
    await expect(signHead(app.deps, last)).rejects.toThrow('was signed up to entry 4, and now to 3')
  })

  it('follows a new key', async () => {
    await write('a')
    await signHead(app.deps)
    const newer = new Map([[2, Buffer.alloc(32, 2)]])
    const config = { ...app.config, keyring: new Map([...newer, ...app.config.keyring]) }
    await signHead({ ...app.deps, config })
    expect(await verify(app.database.db, { keyring: newer })).toMatchObject({ ok: true, signedUpTo: '2' })
  })

  it('shows that it was removed', async () => {
    await writeAll('a', 'b')
    await signHead(app.deps)
    await tamper(`${CUT}; delete from audit_signature`)
    await signHead(app.deps)
    expect(await check()).toMatchObject({ ok: true })
    await tamper('delete from audit_signature')
    expect(await check()).toMatchObject({ ok: false, problem: 'The signature of the log was removed.' })
    await signHead(app.deps)
    expect(await check()).toMatchObject({
      ok: false,
      problem: expect.stringContaining('Signing started again'),
    })
  })

  it('cannot be made with another key, and one of a chain that was written again is refused', async () => {
    await writeAll('a', 'b')
    await signHead(app.deps)
    const head = await readHead(app.database.db)
    await app.database.pool.query('update audit_signature set mac = $1', [
      signPlace(Buffer.alloc(32, 1), head),
    ])
    expect(await check()).toMatchObject({ ok: false, problem: 'The signature of the log is not valid.' })
    await expect(signHead(app.deps)).rejects.toThrow(TamperedLog)
  })
})

describe('the audit log on the ledger', () => {
  let network: LocalNetwork
  let anchored: TestApp
  beforeAll(async () => {
    network = await startLocalNetwork({ closeEvery: 'at-once' })
    anchored = await testApp({ env: { HORIZON_URL: network.url, FRIENDBOT_URL: network.friendbotUrl } })
  })
  afterAll(async () => {
    await anchored.close()
    await network.stop()
  })

  it('shows what is missing even where the database and its signature were put back together', async () => {
    const { pool, db } = anchored.database
    const act = (subject: string) =>
      db
        .transaction()
        .execute(tx => record(tx, { actor: 'system', action: 'test.done', subject }, new Date()))
    await act('a')
    await signHead(anchored.deps)
    const { rows: before } = await pool.query('select * from audit_signature')
    await act('b')
    expect(await anchorHead(anchored.deps)).toMatchObject({ sequence: '3' })
    const account = signerFromSeed(anchored.config.audit.ledgerSeed ?? '').address
    const [data] = (await readAnchored(network, account)) ?? []
    expect(data).toEqual(await readHead(db))
    const admin = await signInAdmin(anchored)
    expect(await admin.call(verifyAudit)).toMatchObject({ ok: true, anchoredUpTo: '3' })
    // What is there already is not written again.
    await signHead(anchored.deps)
    await anchorHead(anchored.deps)
    const written = await anchorHead(anchored.deps)
    const entries = (await readAnchored(network, account)) ?? []
    expect(entries.filter(({ sequence }) => sequence === written?.sequence)).toHaveLength(2)

    // Back to a state that was whole and signed.
    await pool.query(
      `set session_replication_role = replica; delete from audit_log where sequence > 2; reset session_replication_role;
       update audit_head set (sequence, hash) = (select sequence, hash from audit_log where sequence = 2)`,
    )
    await pool.query('update audit_signature set sequence = $1, hash = $2, mac = $3', [
      before[0].sequence,
      before[0].hash,
      before[0].mac,
    ])
    const proofs = { keyring: anchored.config.keyring }
    expect(await verify(db, proofs)).toMatchObject({ ok: true })
    const ledger = { url: network.url, passphrase: network.passphrase, account }
    const stranger = generateKey().publicKey
    expect(await verify(db, { ...proofs, ledger: { ...ledger, account: stranger } })).toMatchObject({
      ok: true,
      unchecked: [`The ledger: ${stranger} names no entry yet.`],
    })
    const missing = `Entries 3 to ${written?.sequence} are missing.`
    expect(await verify(db, { ...proofs, ledger })).toMatchObject({
      ok: false,
      brokenAt: '3',
      problem: missing,
    })
    await expect(anchorHead(anchored.deps)).rejects.toThrow(TamperedLog)

    // A stolen key of the account can change its entry, and not its history.
    const horizon = createHorizon(network)
    const found = await horizon.account(account)
    const transaction = new TransactionBuilder(new Account(account, found?.sequence ?? '0'), {
      fee: '100',
      networkPassphrase: network.passphrase,
      timebounds: { minTime: 0, maxTime: 0 },
    })
      .addOperation(Operation.manageData({ name: ENTRY_NAME, value: null }))
      .build()
    signTransaction(transaction, anchored.config.audit.ledgerSeed ?? '')
    expect(await horizon.submit(transaction.toXdr())).toEqual({ outcome: 'applied' })
    expect(await verify(db, { ...proofs, ledger })).toMatchObject({ ok: false, problem: missing })

    expect(await verify(db, { ...proofs, ledger: { ...ledger, url: 'http://127.0.0.1:1' } })).toMatchObject({
      ok: true,
      unchecked: [expect.stringContaining('The ledger: Horizon does not answer')],
    })
  })
})
