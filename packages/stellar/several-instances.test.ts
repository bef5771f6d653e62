import { Account, Asset, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fundFromFaucet } from './friendbot.ts'
import { createHorizon, type Horizon } from './horizon.ts'
import { issueAsset } from './issuing.ts'
import { generateKey, seedSigner, signTransaction, type AccountKey } from './keys.ts'
import { LedgerError } from './ledger-error.ts'
import { settle, type EnvelopeStore } from './settle.ts'
import { memoryEnvelopes } from './testing/memory-envelopes.ts'

let network: LocalNetwork
/** Reaches another instance with each request. */
let horizon: Horizon
beforeEach(async () => {
  network = await startLocalNetwork({ closeEvery: 50 })
})
afterEach(() => network.stop())

const lost = { submissions: { answer: 'none' as const } }
const timeout = { submissions: { answer: '504' as const } }

describe('two Horizon instances behind one address, one of which lags while answers to submissions are lost', () => {
  it.each([
    ['closes the connection, some ledgers behind', { main: lost, behind: { ...lost, lag: { ledgers: 20 } } }],
    ['answers 504, some ledgers behind', { main: timeout, behind: { ...timeout, lag: { ledgers: 20 } } }],
    [
      'stalls for a second of each one and a half',
      { main: lost, behind: { ...timeout, lag: { seconds: 1, every: 1.5 } } },
    ],
  ])(
    'issues an asset once and pays each payment once: it %s',
    async (_, instances) => {
      const [issuer, distribution, customer] = [generateKey(), generateKey(), generateKey()]
      for (const { publicKey } of [issuer, distribution, customer])
        await fundFromFaucet(network.friendbotUrl, createHorizon(network), publicKey)
      const { balancer } = await network.setFaults({ instances, balancer: {} })
      horizon = createHorizon({ ...network, url: balancer?.url ?? '' })

      await untilSettled(store =>
        issueAsset({
          horizon,
          networkPassphrase: network.passphrase,
          store,
          issuer: seedSigner(issuer.secret),
          distribution: seedSigner(distribution.secret),
          assetCode: 'MUMBAI',
          amount: '1000000',
          homeDomain: 'mumbai.anchors.localhost',
          reference: 'anchor',
        }),
      )
      const amounts = ['1.0000000', '2.0000000', '3.0000000', '4.0000000', '5.0000000']
      for (const amount of amounts) await untilSettled(store => pay(store, distribution, customer, amount))

      await network.setFaults({})
      expect(await received(distribution, issuer)).toEqual(['1000000.0000000'])
      expect(await received(customer, distribution)).toEqual(amounts)
    },
    60_000,
  )
})

/** Tries again as the services do, each time with what is stored alone. */
async function untilSettled(act: (store: EnvelopeStore) => Promise<unknown>): Promise<void> {
  const store = memoryEnvelopes()
  for (;;) {
    try {
      await act(store)
      return
    } catch (error) {
      if (!(error instanceof LedgerError) || !error.retryable) throw error
    }
  }
}

function pay(store: EnvelopeStore, from: AccountKey, to: AccountKey, amount: string): Promise<unknown> {
  return settle({
    horizon,
    store,
    isDone: async () => false,
    build: async head => {
      const source = await horizon.account(from.publicKey)
      if (!source) throw new LedgerError('ledger-unavailable', 'The account is not on the ledger yet.')
      const account = new Account(from.publicKey, source.sequence)
      const transaction = new TransactionBuilder(account, {
        fee: '100',
        networkPassphrase: network.passphrase,
      })
        .addOperation(Operation.payment({ destination: to.publicKey, asset: Asset.native(), amount }))
        .setTimebounds(0, Math.floor(head.closedAt.getTime() / 1000) + 60)
        .build()
      signTransaction(transaction, from.secret)
      return transaction
    },
  })
}

/** Amounts that one account paid to another, in order. */
async function received(to: AccountKey, from: AccountKey): Promise<string[]> {
  const answer = await fetch(`${network.url}/accounts/${to.publicKey}/payments?limit=200`)
  const page = (await answer.json()) as { _embedded: { records: { from?: string; amount: string }[] } }
  return page._embedded.records.filter(each => each.from === from.publicKey).map(each => each.amount)
}
