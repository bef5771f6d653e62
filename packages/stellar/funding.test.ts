import { Asset, Operation, TransactionBuilder, Account } from '@stellar/stellar-sdk/base'
import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { fundFromAccount, topUp } from './funding.ts'
import { createHorizon, type Horizon } from './horizon.ts'
import { issueAsset } from './issuing.ts'
import { generateKey, seedSigner, signTransaction } from './keys.ts'
import type { EnvelopeStore } from './settle.ts'
import { memoryEnvelopes } from './testing/memory-envelopes.ts'

let network: LocalNetwork
let horizon: Horizon
afterEach(() => network.stop())

/** A network of today, with an account that has so much XLM. */
async function open(lumens: string, closeEvery: number | 'at-once' = 500) {
  const payer = generateKey()
  network = await startLocalNetwork({
    closeEvery,
    genesis: { accounts: [{ address: payer.publicKey, lumens }] },
  })
  horizon = createHorizon(network)
  return payer
}

const fundingOf = (payer: { secret: string }, name: string, store: EnvelopeStore = memoryEnvelopes()) => ({
  horizon,
  networkPassphrase: network.passphrase,
  payer: seedSigner(payer.secret),
  accounts: [generateKey().publicKey, generateKey().publicKey],
  startingBalance: '5',
  reference: name,
  store,
})

const ledgerOfCreation = async (account: string) => {
  const [created] = await horizon.transactionsOf(account, '', 'asc')
  return created?.ledger ?? 0
}

describe('eight anchors that are raised at once from one account', () => {
  it('get their accounts within three ledgers of each other', async () => {
    const payer = await open('1000')
    const fundings = Array.from({ length: 8 }, (_, number) => fundingOf(payer, `anchor ${number}`))
    const outcomes = await Promise.all(fundings.map(fundFromAccount))
    expect(outcomes).toEqual(Array.from({ length: 8 }, () => 'applied'))
    const ledgers = await Promise.all(
      fundings.flatMap(({ accounts }) => accounts).map(account => ledgerOfCreation(account)),
    )
    expect(Math.max(...ledgers) - Math.min(...ledgers)).toBeLessThanOrEqual(3)
    // The first does not wait for others, and the others go together.
    expect(await horizon.transactionsOf(payer.publicKey)).toHaveLength(new Set(ledgers).size)
    expect(new Set(ledgers).size).toBeLessThanOrEqual(2)
  })

  it('have their asset issued within three ledgers of each other', async () => {
    const payer = await open('1000', 1_500)
    const issued = await Promise.all(
      Array.from({ length: 8 }, async (_, number) => {
        const [issuer, distribution] = [generateKey(), generateKey()]
        const funding = fundingOf(payer, `anchor ${number}`)
        await fundFromAccount({ ...funding, accounts: [issuer.publicKey, distribution.publicKey] })
        const { networkPassphrase, reference } = funding
        await issueAsset({
          ...{ horizon, networkPassphrase, reference, store: memoryEnvelopes() },
          ...{ issuer: seedSigner(issuer.secret), distribution: seedSigner(distribution.secret) },
          ...{ assetCode: `EIGHT${number}`, amount: '1000', homeDomain: 'eight.example' },
        })
        const [last] = await horizon.transactionsOf(distribution.publicKey)
        return last?.ledger ?? 0
      }),
    )
    expect(Math.max(...issued) - Math.min(...issued)).toBeLessThanOrEqual(3)
  })

  it('are topped up one after another, and wait for no timeout', async () => {
    const payer = await open('1000')
    const accounts = Array.from({ length: 4 }, () => generateKey().publicKey)
    await fundFromAccount({ ...fundingOf(payer, 'all'), accounts, startingBalance: '1' })
    const before = network.latestLedger
    const common = { horizon, networkPassphrase: network.passphrase, payer: seedSigner(payer.secret) }
    const wanted = { ...common, least: 10_000_000n, target: 50_000_000n }
    await Promise.all(
      accounts.map(account => topUp({ ...wanted, account, reference: account, store: memoryEnvelopes() })),
    )
    expect(network.latestLedger - before).toBeLessThan(20)
    for (const account of accounts)
      expect((await horizon.account(account))?.balances[0]?.balance).toBe('6.0000000')
  })
})

describe('where the account cannot pay for all', () => {
  it('pays for those for whom it can, and each of the others knows why not', async () => {
    const payer = await open('26', 'at-once')
    const fundings = Array.from({ length: 4 }, (_, number) => fundingOf(payer, `anchor ${number}`))
    const outcomes = await Promise.allSettled(fundings.map(fundFromAccount))
    const failed = outcomes.filter(({ status }) => status === 'rejected')
    expect(failed).toHaveLength(2)
    expect(failed).toEqual(
      failed.map(() =>
        expect.objectContaining({ reason: expect.objectContaining({ code: 'funding-account-empty' }) }),
      ),
    )
  })
})

describe('after a crash', () => {
  it('those who share an envelope settle it together, and once', async () => {
    const payer = await open('1000', 'at-once')
    const dead: Horizon = { ...horizon, submit: () => Promise.reject(new Error('the process died')) }
    const fundings = Array.from({ length: 3 }, (_, number) => fundingOf(payer, `anchor ${number}`))
    const died = await Promise.allSettled(fundings.map(each => fundFromAccount({ ...each, horizon: dead })))
    expect(died.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    const hashes = await Promise.all(fundings.map(async ({ store }) => (await store.current())?.hash))
    await Promise.all(fundings.map(fundFromAccount))
    expect(new Set(hashes).size).toBeLessThanOrEqual(2)
    expect(await horizon.transactionsOf(payer.publicKey)).toHaveLength(new Set(hashes).size)
  })
})

describe('two servers with one key', () => {
  it('both get done: the one that is late signs again', async () => {
    const payer = await open('1000')
    const account = await horizon.account(payer.publicKey)
    const other = new TransactionBuilder(new Account(payer.publicKey, account?.sequence ?? ''), {
      fee: '100',
      networkPassphrase: network.passphrase,
      timebounds: { minTime: 0, maxTime: Math.floor(Date.now() / 1_000) + 60 },
    })
      .addOperation(Operation.payment({ destination: payer.publicKey, asset: Asset.native(), amount: '1' }))
      .build()
    signTransaction(other, payer.secret)
    const store = memoryEnvelopes()
    const [outcome, submission] = await Promise.all([
      fundFromAccount(fundingOf(payer, 'anchor', store)),
      horizon.submit(other.toXdr()),
    ])
    expect([outcome, store.confirmed.length]).toEqual(['applied', 1])
    expect(['applied', 'refused']).toContain(submission.outcome)
  })
})
