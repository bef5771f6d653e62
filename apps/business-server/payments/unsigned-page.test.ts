import { Memo } from '@stellar/stellar-sdk/base'
import { createHorizon, type PaymentRecord, PAGE } from '@windlass/stellar/horizon.ts'
import { generateKey, type AccountKey } from '@windlass/stellar/keys.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { inventPayment, startWithdrawal } from '../testing/invented-payment.ts'
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

type Told = Omit<PaymentRecord, 'fault'>

/** A Horizon that shows these beside what the ledger has, by pages. */
async function showing(given: readonly Told[]) {
  const asked = { accounts: 0 }
  const url = await startLiar(anchor.network.url, {
    told: 0,
    tell: (path, body) => {
      if (path.startsWith(`/accounts/${customer.publicKey}`)) asked.accounts++
      if (!/^\/accounts\/G\w+\/payments\?/.test(path)) return null
      const cursor = BigInt(new URL(path, 'http://horizon').searchParams.get('cursor') ?? '0')
      const page = JSON.parse(body) as { _embedded: { records: Told[] } }
      const all = [...given.filter(({ paging_token: at }) => BigInt(at) > cursor), ...page._embedded.records]
      page._embedded.records = all
        .sort((one, other) => (BigInt(one.paging_token) < BigInt(other.paging_token) ? -1 : 1))
        .slice(0, PAGE)
      return JSON.stringify(page)
    },
  })
  const horizon = createHorizon({ ...anchor.network, url }, 'money', {})
  const deps: Deps = { ...anchor.deps, horizon, routineHorizon: horizon, clock: { now: () => new Date() } }
  return { deps, asked }
}
const stateOf = async (id: string) =>
  (await anchor.rows<{ state: string }>(`select state from transfers where id = '${id}'`))[0]?.state
const invented = async (count: number) => {
  const signer = generateKey()
  const numbers = Array.from({ length: count }, (_, index) => BigInt(index))
  return Promise.all(numbers.map(number => inventPayment(anchor, customer, String(number), signer, number)))
}

it('a page of nothing but payments that prove nothing does not keep what comes after it unread', async () => {
  const { id, memo } = await startWithdrawal(anchor, customer)
  const before = await anchor.rows<{ cursor: string }>('select cursor from observed')
  const unsigned = await invented(PAGE + 30)
  await anchor.sendBack(customer, '20', Memo.id(memo))
  const { deps, asked } = await showing(unsigned)
  await observePayments(deps)
  expect(await stateOf(id)).toBe('funded')
  const aside = await anchor.rows("select 1 from ledger_incidents where kind = 'unreadable-payment'")
  expect(aside).toHaveLength(PAGE + 30)
  expect(await anchor.rows<{ cursor: string }>('select cursor from observed')).not.toEqual(before)
  // Who signs for an account is asked once for each page, and a part of what is set aside at a time.
  expect(asked.accounts).toBeLessThan(60)
}, 120_000)

it('a page whose tokens are not of closed ledgers in their order moves the observer nowhere', async () => {
  await observePayments((await showing([])).deps)
  const before = await anchor.rows<{ cursor: string }>('select cursor from observed')
  const [first, ...others] = await invented(PAGE)
  if (!first) throw new Error('nothing is invented')
  const future = String(BigInt(first.paging_token) + (1_000n << 32n))
  const { deps } = await showing([...others, { ...first, id: future, paging_token: future }])
  await observePayments(deps)
  expect(await anchor.rows<{ cursor: string }>('select cursor from observed')).toEqual(before)
}, 120_000)
