import { Account, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { createHorizon } from '@windlass/stellar/horizon.ts'
import { generateKey, signTransaction, type AccountKey } from '@windlass/stellar/keys.ts'
import { createSecondSource, type SecondSource } from '@windlass/stellar/second-source.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { inventedOutcome } from '../testing/invented-payment.ts'
import { startWithCustomer } from '../testing/known-customer.ts'
import type { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { startLiar, type Lie } from '../testing/liar.ts'
import { causeMark } from './build-payment.ts'
import { ledgerDifferences } from './chain.ts'

let anchor: LedgerAnchor
let customer: AccountKey
beforeEach(async () => {
  ;({ anchor, customer } = await startWithCustomer())
})
afterEach(() => anchor.stop())

const CAUSE = 'refund:invented'

/** The transaction that would make the queued payment, with the account's next number, as if the ledger had it. */
async function inventMade(signer: string): Promise<Lie> {
  const { publicKey } = anchor.distribution
  const account = await anchor.horizon.account(publicKey)
  const before = account?.sequence ?? ''
  const made = new TransactionBuilder(new Account(publicKey, before), {
    ...{ fee: '100', networkPassphrase: anchor.network.passphrase },
    timebounds: { minTime: causeMark(CAUSE), maxTime: Math.floor(Date.now() / 1_000) + 60 },
  })
    .addOperation(Operation.payment({ asset: anchor.asset, amount: '44', destination: customer.publicKey }))
    .build()
  signTransaction(made, signer)
  const record = inventedOutcome(anchor, made.toXdr())
  return {
    told: 0,
    tell: (path, body) => {
      if (path === `/accounts/${publicKey}`)
        return JSON.stringify({ ...(JSON.parse(body) as object), sequence: made.sequence })
      if (!path.startsWith(`/accounts/${publicKey}/transactions?`)) return null
      const page = JSON.parse(body) as { _embedded: { records: object[] } }
      page._embedded.records.push(record)
      return JSON.stringify(page)
    },
  }
}

const payBeside = async (lie: Lie, second: SecondSource | null): Promise<void> => {
  const horizon = createHorizon(
    ...([{ ...anchor.network, url: await startLiar(anchor.network.url, lie) }, 'money', { second }] as const),
  )
  const deps: Deps = { ...anchor.deps, horizon, routineHorizon: horizon }
  await anchor.pay(deps).catch(() => undefined)
}

const honest = (): SecondSource =>
  createSecondSource({ rpcUrl: `${anchor.network.url}/rpc` }, anchor.network.passphrase) ??
  expect.unreachable()

describe('a transaction of our account that Horizon invents', () => {
  const stranger = generateKey()

  it('would end a payment as made where the account’s key signed it, without a second source', async () => {
    await anchor.queue(customer.publicKey, { amount: '44', cause: CAUSE })
    await payBeside(await inventMade(anchor.distribution.secret), null)
    expect(await anchor.payments()).toMatchObject([{ state: 'paid' }])
  })

  it.each([
    ['that its key did not sign, without a second source', () => stranger.secret, () => null],
    ['that its key did not sign, beside an honest second source', () => stranger.secret, honest],
    ['that its key signed, beside an honest second source', () => anchor.distribution.secret, honest],
  ])('%s, ends no payment: it waits, and is made once Horizon says the truth', async (_, key, second) => {
    const held = Number(await anchor.held(customer))
    await anchor.queue(customer.publicKey, { amount: '44', cause: CAUSE })
    const lie = await inventMade(key())
    await payBeside(lie, second())
    expect(lie.told).toBeGreaterThan(0)
    expect(await anchor.payments()).toMatchObject([{ state: 'queued', wait: { code: 'unavailable' } }])
    expect(await anchor.rows('select 1 from unrecorded_payments')).toEqual([])
    await anchor.pay()
    expect(await anchor.payments()).toMatchObject([{ state: 'paid' }])
    expect([await anchor.incidents(), Number(await anchor.held(customer))]).toEqual([[], held + 44])
    expect(await ledgerDifferences(anchor.deps)).toMatchObject([{ difference: 0n }])
  })
})
