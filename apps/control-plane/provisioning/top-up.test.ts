import { Account, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { getFundingAccount } from '@windlass/contracts/internal/signer.ts'
import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import { openDatabase, sharedMigrations, type Database } from '@windlass/service/postgres/database.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { fundFromAccount } from '@windlass/stellar/funding.ts'
import { issueAsset } from '@windlass/stellar/issuing.ts'
import { fundFromFaucet } from '@windlass/stellar/friendbot.ts'
import { createHorizon, type Horizon } from '@windlass/stellar/horizon.ts'
import { generateKey, seedSigner, signTransaction } from '@windlass/stellar/keys.ts'
import { memoryEnvelopes } from '@windlass/stellar/testing/memory-envelopes.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { migrations, type Tables } from '../tables.ts'
import { restoreAfterReset } from './ledger-reset.ts'
import { ensureMemoRequired } from './memo-requirement.ts'
import type { NotificationReport } from '@windlass/contracts/platform/notifications.ts'
import type { HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import { createFundingWatch } from './funding.ts'
import { topUpIfLow } from './top-up.ts'

let network: LocalNetwork
let horizon: Horizon
let close: () => Promise<void>
let database: Database<Tables>
const payer = generateKey()
const plan = { anchorId: 'mumbai00000000000000', asset: { code: 'MUMBAI' } } as AnchorPlan
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
  horizon = createHorizon(network)
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

/** Has the funding account's key, as the signer does. */
const signer = {
  call: async (endpoint: unknown, { body }: { body?: { transaction: string } }) => {
    if (endpoint === getFundingAccount) return { account: payer.publicKey }
    const transaction = TransactionBuilder.fromXdr(body?.transaction ?? '', network.passphrase)
    return { signature: (await seedSigner(payer.secret).sign(transaction)).toString('base64') }
  },
}

const deps = () =>
  ({
    config: {
      ledger: {
        networkPassphrase: network.passphrase,
        maxFee: 1_000_000n,
      },
    },
    signer,
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

it('an anchor of XLM is not topped up, which would pay its customers with it', async () => {
  const xlmPlan = { ...plan, asset: { ...plan.asset, code: 'XLM', issuer: 'native' } }
  expect(await topUpIfLow(deps(), xlmPlan, {} as Vault)).toBe(false)
  expect(await xlm()).toBe('2.0000000')
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

it('administrators are notified once when the funding account lacks XLM, and once when it has enough', async () => {
  const poor = generateKey()
  const account = { ...(await horizon.account(payer.publicKey)), id: poor.publicKey } as HorizonAccount
  let balance = '50'
  const reports: NotificationReport[] = []
  const watch = createFundingWatch({
    ...deps(),
    signer: { call: async () => ({ account: poor.publicKey }) } as unknown as Deps['signer'],
    routineHorizon: {
      ...horizon,
      account: async () => ({
        ...account,
        balances: account.balances.map(each => ({ ...each, balance })),
      }),
    },
    platform: {
      call: async (_: unknown, { body }: { body: NotificationReport }) => void reports.push(body),
    } as unknown as Deps['platform'],
  })
  await watch()
  await watch()
  balance = '1000'
  await watch()
  await watch()
  const detail = `The funding account ${poor.publicKey} can spend 49 XLM. The limit is 50 XLM.`
  expect(reports.map(({ conditions }) => conditions)).toEqual([
    [{ kind: 'funding-low', subject: poor.publicKey, detail }],
    [],
  ])
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

it('asks for nothing urgently about an anchor that lacks nothing, so that idle anchors use up no rate limit', async () => {
  await topUp()
  const urgent = new Proxy({} as Horizon, {
    get: (_, name) => () => Promise.reject(new Error(`${String(name)} was asked urgently`)),
  })
  const account: Horizon['account'] = async id => {
    const found = await horizon.account(id)
    const line = {
      ...found?.balances[0],
      asset: `MUMBAI:${payer.publicKey}`,
    } as HorizonAccount['balances'][0]
    return found && { ...found, memoRequired: true, balances: [...found.balances, line] }
  }
  await database.pool.query(
    "insert into anchor_secrets (anchor_id, role, public_key, sealed) values ($1, 'issuer', $2, ''), ($1, 'signing', $2, '')",
    [plan.anchorId, payer.publicKey],
  )
  const idle = { ...deps(), horizon: urgent, routineHorizon: { ...horizon, account } }
  expect(await restoreAfterReset(idle, plan, {} as Vault)).toBe('same')
  expect(await topUpIfLow(idle, plan, {} as Vault)).toBe(false)
  expect(await ensureMemoRequired(idle, plan, {} as Vault)).toBe(false)
})

describe('an anchor that was issued without requiring memos', () => {
  const keys = { issuer: generateKey(), distribution: generateKey(), signing: generateKey() }

  beforeAll(async () => {
    for (const { publicKey } of [keys.issuer, keys.distribution])
      await fundFromFaucet(network.friendbotUrl, horizon, publicKey)
    await issueAsset({
      horizon,
      networkPassphrase: network.passphrase,
      store: memoryEnvelopes(),
      issuer: seedSigner(keys.issuer.secret),
      distribution: seedSigner(keys.distribution.secret),
      assetCode: 'MUMBAI',
      amount: '1000',
      homeDomain: 'mumbai.anchors.localhost',
      reference: 'anchor',
    })
  })
  beforeEach(async () => {
    await applyOwn(Operation.manageData({ name: 'config.memo_required', value: null }))
    await database.pool.query('delete from anchor_secrets')
    for (const [role, { publicKey }] of Object.entries(keys)) {
      await database.pool.query(
        'insert into anchor_secrets (anchor_id, role, public_key) values ($1, $2, $3)',
        [plan.anchorId, role, publicKey],
      )
    }
  })

  /** A transaction of the distribution account. */
  async function applyOwn(operation: ReturnType<typeof Operation.manageData>): Promise<void> {
    const { publicKey, secret } = keys.distribution
    const sequence = (await horizon.account(publicKey))?.sequence ?? '0'
    const transaction = new TransactionBuilder(new Account(publicKey, sequence), {
      fee: '1000',
      networkPassphrase: network.passphrase,
    })
      .addOperation(operation)
      .setTimeout(0)
      .build()
    signTransaction(transaction, secret)
    expect(await horizon.submit(transaction.toXdr())).toEqual({ outcome: 'applied' })
  }

  const signer = {
    call: async (_: unknown, { body }: { body: { account: string; transaction: string } }) => {
      const key = Object.values(keys).find(({ publicKey }) => publicKey === body.account)
      const transaction = TransactionBuilder.fromXdr(body.transaction, network.passphrase)
      return { signature: (await seedSigner(key?.secret ?? '').sign(transaction)).toString('base64') }
    },
  } as unknown as Deps['signer']
  const ensure = () => ensureMemoRequired({ ...deps(), signer }, plan, {} as Vault)
  const required = async () => (await horizon.account(keys.distribution.publicKey))?.memoRequired
  const sent = async () => (await horizon.transactionsOf(keys.issuer.publicKey)).length

  it.each([null, 'memo-stored', 'memo-applied'])(
    'requires them once, also when the process dies at %s',
    async point => {
      const before = await sent()
      expect(await required()).toBe(false)
      dies = point
      if (point === null) expect(await ensure()).toBe(true)
      else await expect(ensure()).rejects.toThrow('the process died')
      for (let round = 0; round < 3; round++) await ensure()
      expect(await required()).toBe(true)
      expect(await sent()).toBe(before + 1)
    },
  )

  it('signs nothing while the distribution account lacks XLM for the entry', async () => {
    const before = await sent()
    const head = { ...(await horizon.head()), baseReserve: 40_000_000_000n }
    const poor = { ...horizon, head: async () => head }
    const act = ensureMemoRequired({ ...deps(), signer, horizon: poor }, plan, {} as Vault)
    await expect(act).rejects.toThrow('too little XLM')
    expect(await database.pool.query('select 1 from envelopes')).toMatchObject({ rowCount: 0 })
    expect(await sent()).toBe(before)
  })
})
