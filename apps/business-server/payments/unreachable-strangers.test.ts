import type { Horizon } from '@windlass/stellar/horizon.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { observePayments } from './observe.ts'
import { payQueued } from './pay.ts'

let anchor: LedgerAnchor
beforeEach(async () => {
  anchor = await LedgerAnchor.start()
  await anchor.issue()
  await observePayments(anchor.deps)
})
afterEach(() => anchor.stop())

/** Notes which accounts are asked about. */
function noting(horizon: Horizon, asked: string[]): Horizon {
  const account: Horizon['account'] = id => {
    asked.push(id)
    return horizon.account(id)
  }
  return Object.assign(Object.create(horizon) as Horizon, { account })
}
const pauses = async () =>
  (
    await anchor.rows<{ seconds: number }>(
      `select distinct round(extract(epoch from next_try_at - now()) / 10)::int * 10 as seconds
       from ledger_payments where state = 'queued'`,
    )
  ).map(({ seconds }) => seconds)

it('500 refunds that no account can receive ask with no priority, once, and then after pauses that double', async () => {
  const gone = Array.from({ length: 500 }, () => generateKey().publicKey)
  for (const [index, account] of gone.entries())
    await anchor.queue(account, { cause: `refund:receipt:${index}`, amount: '0.2' })
  const customer = await anchor.customerWithAsset()
  await anchor.queue(customer.publicKey, { cause: 'refund:of-a-customer' })
  const [urgent, routine]: [string[], string[]] = [[], []]
  const deps = {
    ...anchor.deps,
    horizon: noting(anchor.horizon, urgent),
    routineHorizon: noting(anchor.horizon, routine),
  }
  for (let round = 0; round < 3; round++) await payQueued(deps)
  expect(await anchor.held(customer)).toBe('1010.0000000')
  const ofStrangers = (asked: string[]) => asked.filter(id => gone.includes(id))
  expect([ofStrangers(urgent).length, ofStrangers(routine).length]).toEqual([0, 500])
  for (const pause of await pauses()) expect(pause).toBeGreaterThan(200)

  await anchor.rows("delete from ledger_payments where state = 'queued' and cause <> 'refund:receipt:0'")
  for (const [waited, pause] of [
    [300, 600],
    [900, 1_200],
    [86_400, 3_600],
  ]) {
    await anchor.rows(
      `update ledger_payments set next_try_at = now(), created_at = now() - interval '${waited} seconds'`,
    )
    await payQueued(deps)
    expect(await pauses()).toEqual([pause])
  }
}, 120_000)
