import { openDatabase, sharedMigrations, type Database } from '@windlass/service/postgres/database.ts'
import type { Loop } from '@windlass/service/work/loop.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { createSealer } from '@windlass/service/seals/seal.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { fakeClock } from '@windlass/testing/fake-clock.ts'
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { sealNewDataKey } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { migrations, type Tables } from '../tables.ts'
import { findDeposit, recordRequest, requestDeposit, testWallet } from './records.ts'
import { startTestDeposits } from './run.ts'

describe('the test deposits', () => {
  let database: Database<Tables>
  let drop: () => Promise<void>
  let deps: Deps
  const clock = { ...fakeClock(), compare: async () => undefined, follow: async () => undefined }
  const master = createSealer(new Map([[1, randomBytes(32)]]))
  const loops: Loop[] = []

  beforeAll(async () => {
    const made = await testDatabase(sharedMigrations, migrations)
    drop = made.drop
    database = openDatabase<Tables>(made.url, { name: 'test-deposits' })
    // What the queue does not use is not there.
    deps = { database, clock, master, logger: createLogger('test', 'silent') } as Partial<Deps> as Deps
    for (const [id, running] of Object.entries({ one: true, two: true, suspended: false }))
      await database.db
        .insertInto('anchors')
        .values({
          id,
          running,
          plan: JSON.stringify({ anchorId: id, limits: { min: '5' } }),
          data_key: sealNewDataKey(master, id),
          sep_port: null,
          business_port: null,
          provisioned_at: clock.now(),
        })
        .execute()
  })
  afterEach(() => Promise.all(loops.splice(0).map(each => each.stop())))
  afterAll(async () => {
    await database.close()
    await drop()
  })

  const work = async (run?: Parameters<typeof startTestDeposits>[1]) => {
    const loop = startTestDeposits(deps, run)
    loops.push(loop)
    await loop.idle()
  }
  const request = {
    ...{ step: 'discovery' as const, method: 'GET', url: 'http://one/.well-known/stellar.toml' },
    ...{ body: null, status: 200, answer: 'VERSION = "2.7.0"', durationMs: 3 },
  }

  it('are one at a time for an anchor, whose wallet stays the same', async () => {
    const first = await requestDeposit(deps, 'one', 'UPI')
    expect(first).toMatchObject({ state: 'waiting', amount: '5', rail: 'UPI', requests: [] })
    expect((await requestDeposit(deps, 'one', 'UPI')).id).toBe(first.id)
    await work(async (_, row) => {
      await recordRequest(database.db, row.id, request, 'tx_1')
      return null
    })
    const done = await findDeposit(database.db, 'one')
    expect(done).toMatchObject({ state: 'completed', transactionId: 'tx_1', requests: [request] })
    const second = await requestDeposit(deps, 'one', 'UPI')
    expect(second.id).not.toBe(first.id)
    expect(second).toMatchObject({ account: first.account, requests: [], endedAt: null })
    expect((await testWallet(deps, 'one')).publicKey).toBe(first.account)
    expect((await testWallet(deps, 'two')).publicKey).not.toBe(first.account)
    await work(async () => 'The page refused the form.')
    expect(await findDeposit(database.db, 'one')).toMatchObject({
      state: 'failed',
      failure: 'The page refused the form.',
    })
  })

  it('whose process died end as failed, without a second deposit', async () => {
    await requestDeposit(deps, 'two', 'UPI')
    await work(async () => {
      throw new Error('dies')
    })
    expect(await findDeposit(database.db, 'two')).toMatchObject({ state: 'running' })
    clock.advance(6 * 60_000)
    await work()
    expect(await findDeposit(database.db, 'two')).toMatchObject({
      state: 'failed',
      failure: expect.stringContaining('restarted'),
    })
  })

  it('list no more requests than people read', async () => {
    const { id } = await requestDeposit(deps, 'one', 'UPI')
    for (let count = 0; count < 62; count++) await recordRequest(database.db, id, request, null)
    expect((await findDeposit(database.db, 'one'))?.requests).toHaveLength(60)
  })

  it('are refused for an anchor that is not there or does not run', async () => {
    await expect(requestDeposit(deps, 'nobody', 'UPI')).rejects.toMatchObject({ code: 'anchor-not-found' })
    await expect(requestDeposit(deps, 'suspended', 'UPI')).rejects.toMatchObject({
      code: 'anchor-wrong-state',
    })
  })
})
