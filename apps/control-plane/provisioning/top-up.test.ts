import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import { openDatabase, sharedMigrations, type Database } from '@windlass/service/database.ts'
import { createLogger } from '@windlass/service/logger.ts'
import { fundFromAccount } from '@windlass/stellar/issuing.ts'
import { fundFromFaucet } from '@windlass/stellar/friendbot.ts'
import { createHorizon, type Horizon } from '@windlass/stellar/horizon.ts'
import { generateKey, seedSigner } from '@windlass/stellar/keys.ts'
import { memoryEnvelopes } from '@windlass/stellar/testing/memory-envelopes.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { migrations, type Tables } from '../tables.ts'
import { topUpIfLow } from './top-up.ts'

let network: LocalNetwork
let horizon: Horizon
let close: () => Promise<void>
let database: Database<Tables>
const payer = generateKey()
const plan = { anchorId: 'mumbai00000000000000' } as AnchorPlan
/** Where the process dies next. */
let dies: string | null
let distribution: string

beforeAll(async () => {
  const test = await testDatabase(sharedMigrations, migrations)
  database = openDatabase<Tables>(test.url, { name: 'top-up test', max: 3 })
  close = async () => {
    await database.close()
    await test.drop()
  }
  network = await startLocalNetwork({ closeEvery: 'at-once' })
  horizon = createHorizon(network.url)
  await fundFromFaucet(network.friendbotUrl, horizon, payer.publicKey)
})
afterAll(async () => {
  await network.stop()
  await close()
})

/** An anchor whose distribution account has 2 XLM: 1 beyond its reserve. */
beforeEach(async () => {
  dies = null
  distribution = generateKey().publicKey
  await fundFromAccount({
    horizon,
    networkPassphrase: network.passphrase,
    payer: seedSigner(payer.secret),
    accounts: [distribution],
    startingBalance: '2',
    reference: 'test',
    store: memoryEnvelopes(),
  })
  await database.pool.query('delete from envelopes')
  await database.pool.query('delete from anchor_secrets')
  await database.pool.query(
    `insert into anchors (id, plan, data_key) values ($1, '{}', '') on conflict do nothing`,
    [plan.anchorId],
  )
  await database.pool.query(
    `insert into anchor_secrets (anchor_id, role, public_key, sealed) values ($1, 'distribution', $2, '')`,
    [plan.anchorId, distribution],
  )
})

const deps = () =>
  ({
    config: {
      ledger: {
        funding: { kind: 'account', seed: payer.secret },
        networkPassphrase: network.passphrase,
        maxFee: 1_000_000n,
      },
    },
    database,
    horizon,
    routineHorizon: horizon,
    logger: createLogger('control-plane', 'silent'),
    faults: {
      at: (point: string) => {
        if (point === dies) {
          dies = null
          throw new Error('the process died')
        }
      },
    },
  }) as unknown as Deps
const topUp = () => topUpIfLow(deps(), plan, {} as Vault)
const xlm = async () =>
  (await horizon.account(distribution))?.balances.find(({ asset }) => asset === 'native')?.balance

it('an account that runs out of XLM is topped up once, and one that has enough is left alone', async () => {
  expect(await topUp()).toBe(true)
  expect(await xlm()).toBe('6.0000000')
  expect(await topUp()).toBe(false)
  expect(await xlm()).toBe('6.0000000')
})

it.each(['top-up-stored', 'top-up-applied'])(
  'a top-up is made once when the process dies at %s',
  async point => {
    dies = point
    await expect(topUp()).rejects.toThrow('the process died')
    for (let round = 0; round < 3; round++) await topUp()
    expect(await xlm()).toBe('6.0000000')
  },
)

it('nothing is sent twice where the answer to the submission was lost', async () => {
  const submit = horizon.submit
  horizon.submit = async xdr => {
    await submit(xdr)
    horizon.submit = submit
    throw new Error('the process died')
  }
  await expect(topUp()).rejects.toThrow('the process died')
  expect(await topUp()).toBe(true)
  expect(await topUp()).toBe(false)
  expect(await xlm()).toBe('6.0000000')
})

it('one anchor gets four top-ups a day', async () => {
  for (let count = 0; count < 4; count++) {
    await database.pool.query(
      `insert into envelopes (hash, anchor_id, purpose, xdr, source, sequence, max_time, ledger, state)
       values ($1, $2, 'top-up', '', '', '1', 0, '{}', 'retired')`,
      [`hash ${count}`, plan.anchorId],
    )
  }
  expect(await topUp()).toBe(false)
  expect(await xlm()).toBe('2.0000000')
})
