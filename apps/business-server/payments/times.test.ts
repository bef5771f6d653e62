import { Memo } from '@stellar/stellar-sdk/base'
import { createHorizon, type PaymentRecord } from '@windlass/stellar/horizon.ts'
import type { AccountKey } from '@windlass/stellar/keys.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { startWithdrawal } from '../testing/invented-payment.ts'
import { startWithCustomer } from '../testing/known-customer.ts'
import type { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { startLiar } from '../testing/liar.ts'
import { observePayments } from './observe.ts'

let anchor: LedgerAnchor
let customer: AccountKey
beforeEach(async () => {
  ;({ anchor, customer } = await startWithCustomer())
})
afterEach(() => anchor.stop())

const startedAt = (url: string): Deps => {
  const horizon = createHorizon({ ...anchor.network, url }, 'money', {})
  return { ...anchor.deps, horizon, routineHorizon: horizon, clock: { now: () => new Date() } }
}
const stateOf = async (id: string) =>
  (await anchor.rows<{ state: string }>(`select state from transfers where id = '${id}'`))[0]?.state
const open = async () => (await anchor.incidents()).filter(({ resolved_at }) => resolved_at === null)
const tryAgainNow = () =>
  anchor.deps.database.pool.query("update ledger_incidents set next_try_at = now() - interval '1 second'")

it.each([
  ['two hours before', -7_200_000],
  ['two hours after', 7_200_000],
])(
  'a payment whose Horizon says that it came %s its ledger is set aside until it says the time',
  async (_, by) => {
    const { id, memo } = await startWithdrawal(anchor, customer)
    await observePayments(startedAt(anchor.network.url))
    await anchor.sendBack(customer, '20', Memo.id(memo))
    const url = await startLiar(anchor.network.url, {
      told: 0,
      tell: (path, body) => {
        if (!/^\/accounts\/G\w+\/payments\?/.test(path)) return null
        const page = JSON.parse(body) as { _embedded: { records: PaymentRecord[] } }
        for (const record of page._embedded.records)
          record.created_at = new Date(Date.parse(record.created_at) + by).toISOString()
        return JSON.stringify(page)
      },
    })
    for (let reads = 0; reads < 3; reads++) {
      await observePayments(startedAt(url))
      await tryAgainNow()
    }
    expect(await stateOf(id)).toBe('awaiting_funds')
    const error = expect.stringContaining('its time is not that of its ledger')
    expect(await open()).toMatchObject([{ kind: 'unreadable-payment', details: { error } }])
    await tryAgainNow()
    await observePayments(startedAt(anchor.network.url))
    expect([await stateOf(id), await open()]).toEqual(['funded', []])
  },
)
