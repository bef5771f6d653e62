import { generateKey } from '@windlass/stellar/keys.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { acceptTransaction } from '../transfers/accept.ts'
import { confirm } from '../transfers/confirm.ts'
import { receiveRailPayment } from './receive-rail-payment.ts'

let anchor: LedgerAnchor
beforeAll(async () => {
  anchor = await LedgerAnchor.start()
  await anchor.issue()
})
afterAll(() => anchor.stop())

const owner = generateKey().publicKey

/** A deposit of one customer to a new account, which cannot hold the asset. */
async function deposit(account = owner): Promise<string> {
  const { id } = await acceptTransaction(anchor.deps, {
    ...{ id: randomUUID(), sep: '24', kind: 'deposit', status: 'incomplete', started_at: '', updated_at: '' },
    ...{ amount_expected: { amount: '20' }, destination_account: generateKey().publicKey, type: 'upi' },
    ...{ creator: { account }, customers: { sender: { account } }, claimable_balance_supported: true },
  })
  const { rail, reference, fiat_amount, currency } = await confirm(anchor.deps, id)
  await receiveRailPayment(anchor.deps, rail, {
    ...{ kind: 'received', paymentId: randomUUID(), reference: reference ?? '', currency },
    amount: fiat_amount ?? '',
  })
  await anchor.pay()
  return id
}

const stateOf = async (id: string) =>
  (await anchor.rows<{ state: string }>(`select state from transfers where id = '${id}'`))[0]?.state

it('a customer has ten claimable balances open at most, over all accounts they name; the next deposit waits', async () => {
  for (let made = 0; made < 10; made++) expect(await stateOf(await deposit())).toBe('completed')
  const next = await deposit()
  expect(await stateOf(next)).toBe('awaiting_trust')
  expect(await stateOf(await deposit(generateKey().publicKey))).toBe('completed')
  await anchor.rows(
    "update claimable_balances set state = 'claimed' where id = (select id from claimable_balances limit 1)",
  )
  await anchor.pay()
  expect(await stateOf(next)).toBe('completed')
}, 120_000)
