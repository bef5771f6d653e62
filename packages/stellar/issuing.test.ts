import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fundFromFaucet } from './friendbot.ts'
import { createHorizon, type Horizon } from './horizon.ts'
import { fundFromAccount } from './funding.ts'
import { issueAsset, trustAsset, type Issue } from './issuing.ts'
import { generateKey, seedSigner } from './keys.ts'
import { LedgerError } from './ledger-error.ts'
import type { EnvelopeStore } from './settle.ts'
import { memoryEnvelopes } from './testing/memory-envelopes.ts'

let network: LocalNetwork
let horizon: Horizon
/** The ledger's own time in Unix milliseconds, which tests move. */
let ledgerTime: number
beforeEach(async () => {
  ledgerTime = Date.UTC(2026, 2, 1)
  network = await startLocalNetwork({ closeEvery: 'at-once', clock: () => ledgerTime })
  horizon = createHorizon(network)
})
afterEach(() => network.stop())

const issuer = generateKey()
const distribution = generateKey()

describe('issuing an asset', () => {
  it('opens the trustline, pays the amount, requires memos and sets the home domain, in one transaction', async () => {
    await fund()
    expect(await issueAsset(issueWith(memoryEnvelopes()))).toBe('applied')
    const account = await horizon.account(distribution.publicKey)
    expect(account?.balances).toContainEqual(
      expect.objectContaining({ asset: `MUMBAI:${issuer.publicKey}`, balance: '1000000.0000000' }),
    )
    expect(account?.homeDomain).toBe('mumbai.anchors.localhost')
    expect((await horizon.account(issuer.publicKey))?.homeDomain).toBe('mumbai.anchors.localhost')
    const data = await fetch(`${network.url}/accounts/${distribution.publicKey}/data/config.memo_required`)
    expect(await data.json()).toEqual({ value: Buffer.from('1').toString('base64') })
  })

  it('offers what the network charges: a base fee of 20,000 stroops hinders nothing', async () => {
    await fund()
    await network.setFaults({ baseFee: 20_000 })
    const store = memoryEnvelopes()
    await expect(issueAsset({ ...issueWith(store), maxFee: 19_999n })).rejects.toMatchObject({
      code: 'fee-above-maximum',
    })
    expect(await store.current()).toBeNull()
    expect(await issueAsset(issueWith(store))).toBe('applied')
  })

  it('does nothing the second time, with what was stored or without', async () => {
    await fund()
    const store = memoryEnvelopes()
    await issueAsset(issueWith(store))
    expect(await issueAsset(issueWith(store))).toBe('found')
    expect(await issueAsset(issueWith(memoryEnvelopes()))).toBe('found')
    expect(await issued()).toEqual(['1000000.0000000'])
  })

  it('submits the stored envelope again after a crash before its submission', async () => {
    await fund()
    const store = memoryEnvelopes()
    const crashed = { ...horizon, submit: () => Promise.reject(new Error('the process died')) }
    await expect(issueAsset(issueWith(store, crashed))).rejects.toThrow('the process died')
    const [envelope] = store.all
    expect(await issueAsset(issueWith(store))).toBe('applied')
    expect(store.all).toEqual([envelope])
    expect(store.confirmed).toEqual([envelope?.hash])
  })

  it('finds by its hash what was applied and whose answer was lost', async () => {
    await fund()
    const store = memoryEnvelopes()
    const lossy: Horizon = {
      ...horizon,
      submit: async xdr => {
        await horizon.submit(xdr)
        return { outcome: 'unknown', detail: 'HTTP 504' }
      },
    }
    expect(await issueAsset(issueWith(store, lossy))).toBe('applied')
    expect(await issued()).toEqual(['1000000.0000000'])
  })

  it('builds another when the stored envelope has expired unsubmitted', async () => {
    await fund()
    const store = memoryEnvelopes()
    const crashed = { ...horizon, submit: () => Promise.reject(new Error('the process died')) }
    await issueAsset(issueWith(store, crashed)).catch(() => undefined)
    ledgerTime += 600_000
    network.close()
    expect(await issueAsset(issueWith(store))).toBe('applied')
    expect(store.all).toHaveLength(2)
    expect(store.retired).toEqual(['its time bounds have passed'])
    expect(await issued()).toEqual(['1000000.0000000'])
  })

  it('issues again with the same keys on a network that was reset', async () => {
    await fund()
    const store = memoryEnvelopes(() => horizon)
    await issueAsset(issueWith(store))
    await network.stop()
    network = await startLocalNetwork({ closeEvery: 'at-once', clock: () => ledgerTime + 3_600_000 })
    horizon = createHorizon(network)
    await fund()
    expect(await issueAsset(issueWith(store))).toBe('applied')
    expect(store.retired).toEqual(['the network was reset'])
    expect(await issued()).toEqual(['1000000.0000000'])
  })

  it('leaves a home domain off the ledger that does not fit there', async () => {
    await fund()
    const homeDomain = 'a-very-long-subdomain.anchors.localhost'
    await issueAsset({ ...issueWith(memoryEnvelopes()), homeDomain })
    expect((await horizon.account(issuer.publicKey))?.homeDomain).toBeNull()
  })

  it('fails at once where the ledger refuses, and keeps the envelope until it is proven to be over', async () => {
    await fund()
    const store = memoryEnvelopes()
    const failure = await issueAsset({ ...issueWith(store), networkPassphrase: 'another network' }).catch(
      (error: unknown) => error,
    )
    expect(failure).toMatchObject({ code: 'transaction-refused', retryable: false })
    expect(store.retired).toEqual([])
    await expect(issueAsset(issueWith(store))).rejects.toMatchObject({ code: 'transaction-refused' })
    expect(store.all).toHaveLength(1)
    ledgerTime += 600_000
    network.close()
    expect(await issueAsset(issueWith(store))).toBe('applied')
    expect(store.retired).toEqual(['its time bounds have passed'])
  })

  it('waits to be tried again while the network is away', async () => {
    const away = createHorizon({ ...network, url: 'http://127.0.0.1:9' })
    await expect(issueAsset(issueWith(memoryEnvelopes(), away))).rejects.toMatchObject({
      code: 'ledger-unavailable',
      retryable: true,
    })
  })
})

describe('trusting an asset that exists', () => {
  const trust = (store: EnvelopeStore, through: Horizon = horizon) =>
    trustAsset({
      horizon: through,
      networkPassphrase: network.passphrase,
      store,
      distribution: seedSigner(distribution.secret),
      assets: ['USDC', 'EURC'].map(code => ({ code, issuer: issuer.publicKey })),
      homeDomain: 'mumbai.anchors.localhost',
      reference: 'anchor',
    })

  it('opens a trustline for each, requires memos and sets the home domain, once, and changes nothing of the issuer', async () => {
    await fund()
    const before = await horizon.account(issuer.publicKey)
    expect(await trust(memoryEnvelopes())).toBe('applied')
    expect(await horizon.account(distribution.publicKey)).toMatchObject({
      homeDomain: 'mumbai.anchors.localhost',
      memoRequired: true,
      balances: expect.arrayContaining([
        expect.objectContaining({ asset: `USDC:${issuer.publicKey}`, balance: '0.0000000' }),
        expect.objectContaining({ asset: `EURC:${issuer.publicKey}`, balance: '0.0000000' }),
      ]),
    })
    expect(await horizon.account(issuer.publicKey)).toEqual({ ...before, ledger: expect.any(Number) })
    expect(await trust(memoryEnvelopes())).toBe('found')
  })

  it('submits the stored envelope again after a crash before its submission', async () => {
    await fund()
    const store = memoryEnvelopes()
    const crashed = { ...horizon, submit: () => Promise.reject(new Error('the process died')) }
    await expect(trust(store, crashed)).rejects.toThrow('the process died')
    const [envelope] = store.all
    expect(await trust(store)).toBe('applied')
    expect(store.all).toEqual([envelope])
  })
})

describe('funding', () => {
  it('creates an account from the faucet once', async () => {
    const { publicKey } = generateKey()
    expect(await fundFromFaucet(network.friendbotUrl, horizon, publicKey)).toBe('funded')
    expect(await fundFromFaucet(network.friendbotUrl, horizon, publicKey)).toBe('already-funded')
  })

  it('says that the faucet is not available, so that it is tried again', async () => {
    const { publicKey } = generateKey()
    const attempt = fundFromFaucet('http://127.0.0.1:9/friendbot', horizon, publicKey)
    await expect(attempt).rejects.toBeInstanceOf(LedgerError)
    await expect(attempt).rejects.toMatchObject({ code: 'faucet-unavailable', retryable: true })
  })

  it('is paid by an account of ours where there is no faucet, also for several anchors at once', async () => {
    const payer = generateKey()
    await fundFromFaucet(network.friendbotUrl, horizon, payer.publicKey)
    const groups = Array.from({ length: 3 }, () => [generateKey().publicKey, generateKey().publicKey])
    const funding = {
      horizon,
      networkPassphrase: network.passphrase,
      payer: seedSigner(payer.secret),
      startingBalance: '5',
    }
    await Promise.all(
      groups.map((accounts, number) =>
        fundFromAccount({ ...funding, accounts, reference: `anchor ${number}`, store: memoryEnvelopes() }),
      ),
    )
    for (const account of groups.flat()) {
      expect((await horizon.account(account))?.balances).toContainEqual(
        expect.objectContaining({ asset: 'native', balance: '5.0000000' }),
      )
    }
  })
})

async function fund(): Promise<void> {
  for (const { publicKey } of [issuer, distribution]) {
    await fundFromFaucet(network.friendbotUrl, horizon, publicKey)
  }
}

function issueWith(store: EnvelopeStore, by: Horizon = horizon): Issue {
  return {
    horizon: by,
    networkPassphrase: network.passphrase,
    store,
    issuer: seedSigner(issuer.secret),
    distribution: seedSigner(distribution.secret),
    assetCode: 'MUMBAI',
    amount: '1000000',
    homeDomain: 'mumbai.anchors.localhost',
    reference: 'anchor',
  }
}

async function issued(): Promise<string[]> {
  const answer = await fetch(`${network.url}/accounts/${distribution.publicKey}/payments?limit=50`)
  const page = (await answer.json()) as { _embedded: { records: { from?: string; amount: string }[] } }
  return page._embedded.records.filter(each => each.from === issuer.publicKey).map(each => each.amount)
}
