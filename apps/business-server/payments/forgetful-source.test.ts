import { Memo, Operation } from '@stellar/stellar-sdk/base'
import { proveTransaction } from '@windlass/stellar/archive/prove.ts'
import { createHorizon, PAGE } from '@windlass/stellar/horizon.ts'
import type { AccountKey } from '@windlass/stellar/keys.ts'
import { createSecondSource, type SecondSource } from '@windlass/stellar/second-source.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { appended, inventPayment, startWithdrawal } from '../testing/invented-payment.ts'
import { startWithCustomer } from '../testing/known-customer.ts'
import type { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { startLiar } from '../testing/liar.ts'
import { observePayments } from './observe.ts'
import { readPosition } from './position.ts'
import { retrySetAside } from './set-aside.ts'

let anchor: LedgerAnchor
let customer: AccountKey
beforeEach(async () => {
  ;({ anchor, customer } = await startWithCustomer())
})
afterEach(() => anchor.stop())

/** As Stellar RPC after some days: it has nothing that is older than now. */
function forgetful(): SecondSource {
  const { url, passphrase, latestLedger } = anchor.network
  const known = createSecondSource({ rpcUrl: `${url}/rpc` }, passphrase) ?? expect.unreachable()
  return {
    ...known,
    history: async () => ({ ...(await known.history()), elder: latestLedger + 1 }),
    transaction: async hash => {
      const found = await known.transaction(hash)
      return found && BigInt(found.cursor ?? '0') >> 32n > BigInt(latestLedger) ? found : null
    },
  }
}

const startedWith = (second: SecondSource, given: Partial<Deps> = {}, url = anchor.network.url): Deps => {
  const horizon = createHorizon({ ...anchor.network, url }, 'money', { second })
  return { ...anchor.deps, horizon, routineHorizon: horizon, clock: { now: () => new Date() }, ...given }
}
const prove: NonNullable<Deps['prove']> = sought => {
  const { passphrase, validator, archiveUrl } = anchor.network
  const organizations = [{ domain: 'localhost', validators: [validator.publicKey()] }]
  return proveTransaction({ passphrase, organizations, archives: [archiveUrl] }, sought)
}
const closeCheckpoint = (): void => {
  do anchor.network.close()
  while ((anchor.network.latestLedger + 1) % 64 !== 0)
}
const tryAgainNow = () =>
  anchor.deps.database.pool.query("update ledger_incidents set next_try_at = now() - interval '1 second'")
const stateOf = async (id: string) =>
  (await anchor.rows<{ state: string }>(`select state from transfers where id = '${id}'`))[0]?.state
const open = async () => (await anchor.incidents()).filter(({ resolved_at }) => resolved_at === null)

async function paidWithdrawal() {
  const { id, memo } = await startWithdrawal(anchor, customer)
  await anchor.sendBack(customer, '20', Memo.id(memo))
  return id
}

describe('a payment whose ledger the second source no longer has', () => {
  it('is confirmed by another Horizon with full history', async () => {
    const id = await paidWithdrawal()
    await observePayments(startedWith(forgetful(), { history: createHorizon(anchor.network) }))
    expect([await stateOf(id), await open()]).toEqual(['funded', []])
  })

  it('is confirmed by no Horizon that denies it, nor by the one that shows it', async () => {
    const { id, memo } = await startWithdrawal(anchor, customer)
    const invented = await inventPayment(anchor, customer, memo)
    const lie = appended(invented)
    const tell: typeof lie.tell = (path, body) =>
      path === `/transactions/${invented.transaction_hash}`
        ? JSON.stringify(invented.transaction)
        : lie.tell(path, body)
    const url = await startLiar(anchor.network.url, { ...lie, tell })
    await observePayments(startedWith(forgetful(), { history: createHorizon(anchor.network) }, url))
    expect([await stateOf(id), await open()]).toMatchObject([
      'awaiting_funds',
      [{ details: { reason: 'second-source', error: 'Another Horizon contradicts it' } }],
    ])
    const lying = createHorizon({ ...anchor.network, url })
    const second = forgetful()
    // It asks the full history itself for what it does not have.
    const horizon = createHorizon(anchor.network, 'money', { second, historyUrl: url })
    await observePayments(startedWith(second, { horizon, history: lying }))
    expect(await stateOf(id)).toBe('awaiting_funds')
  })

  it('is confirmed by the signatures of validators', async () => {
    const id = await paidWithdrawal()
    const deps = startedWith(forgetful(), { prove })
    closeCheckpoint()
    await observePayments(deps)
    expect([await stateOf(id), await open()]).toEqual(['funded', []])
  })

  it('waits for a person where nobody proves it, and does not count as unread', async () => {
    const id = await paidWithdrawal()
    const unsure = startedWith(forgetful())
    const [before] = await anchor.rows<{ caught_up_at: Date }>('select caught_up_at from observed')
    await observePayments(unsure)
    const [after] = await anchor.rows<{ caught_up_at: Date }>('select caught_up_at from observed')
    expect(after?.caught_up_at).not.toEqual(before?.caught_up_at)
    expect([await stateOf(id), await open()]).toMatchObject([
      'awaiting_funds',
      [{ kind: 'unreadable-payment', details: { reason: 'second-source' } }],
    ])
    const next = await paidWithdrawal()
    await tryAgainNow()
    await observePayments(unsure)
    expect([await stateOf(id), await stateOf(next)]).toEqual(['awaiting_funds', 'funded'])
  })

  it('keeps nothing unread while archives hang, and has the proof that was under way the next time', async () => {
    const ids = [await paidWithdrawal(), await paidWithdrawal()]
    await observePayments(startedWith(forgetful()))
    closeCheckpoint()
    const goesOn = Promise.withResolvers<void>()
    let asked = 0
    const slow: typeof prove = async sought => {
      asked++
      await goesOn.promise
      return prove(sought)
    }
    const deps = startedWith(forgetful(), { prove: slow })
    const attempts = () =>
      anchor.rows<{ attempts: number }>('select attempts from ledger_incidents order by attempts')
    const round = async (given: Partial<Deps> = {}) => {
      await tryAgainNow()
      await retrySetAside({ ...deps, ...given }, await deps.horizon.head(), await readPosition(deps))
    }
    const before = await attempts()
    const began = performance.now()
    await round({ retriesWithinMs: 200 })
    expect(performance.now() - began).toBeLessThan(5_000)
    const [least, most] = await attempts()
    expect([asked, least, most]).toEqual([1, before[0], { attempts: (before[1]?.attempts ?? 0) + 1 }])
    goesOn.resolve()
    await round()
    expect([asked, await Promise.all(ids.map(stateOf))]).toEqual([2, ['funded', 'funded']])
  }, 60_000)

  it('keeps nothing behind it unread, however many there are', async () => {
    const { asset, distribution } = anchor
    const payment = Operation.payment({ asset, amount: '1', destination: distribution.publicKey })
    for (let count = 0; count < PAGE; count += 100)
      await anchor.apply(
        customer,
        Array.from({ length: 100 }, () => payment),
      )
    const unsure = startedWith(forgetful())
    const id = await paidWithdrawal()
    await observePayments(unsure)
    expect([await stateOf(id), await open()]).toMatchObject(['funded', [{ details: { payments: PAGE } }]])
  }, 120_000)
})
