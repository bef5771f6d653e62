import { Account, Keypair, Memo, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { muxedAccount } from '@windlass/stellar/addresses.ts'
import { createHorizon, type Horizon } from '@windlass/stellar/horizon.ts'
import type { AccountKey } from '@windlass/stellar/keys.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startWithCustomer } from '../testing/known-customer.ts'
import type { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { decideAction, requestAction } from '../workspace/operator-actions/actions.ts'
import { observePayments } from './observe.ts'

let anchor: LedgerAnchor
let customer: AccountKey
let history: Horizon
beforeEach(async () => {
  ;({ anchor, customer } = await startWithCustomer())
  await agree(WITHDRAWAL, '77')
})
afterEach(() => anchor.stop())

const WITHDRAWAL = '00000000-0000-4000-8000-000000000001'
const agree = (id: string, memo: string) =>
  anchor.rows(
    `insert into transfers (id, sep, direction, state, account, stellar_account, rail, currency, amount, fee, fiat_amount, rate, ledger_memo)
     values ('${id}', '24', 'withdrawal', 'awaiting_funds', '${customer.publicKey}', '${customer.publicKey}', 'UPI', 'INR', 25, 0.5, 2000, 88.5, '${memo}')`,
  )

const hexOf = (transaction: { hash(): Uint8Array }) => Buffer.from(transaction.hash()).toString('hex')

/** As after a start at a Horizon that dropped what was not read, which a Horizon with full history has. */
async function leaveGap(): Promise<void> {
  history = createHorizon({ ...anchor.network, url: await anchor.forgetLedgers() })
  await observePayments({ ...anchor.deps })
}

const credit = (paymentId: string, deps = { ...anchor.deps, history }) =>
  requestAction(deps, WITHDRAWAL, {
    ...{ kind: 'mark-paid', reason: 'seen on an explorer', paymentId, by: 'operator:asha' },
  })

/** Pays the withdrawal by a fee bump; a key that the account has no more signed what it wraps. */
async function payByFeeBump(): Promise<{ outer: string; inner: string; confirm: () => Promise<void> }> {
  const { deps, horizon, network } = anchor
  const key = Keypair.random()
  const weigh = (weight: number) =>
    anchor.apply(customer, [Operation.setOptions({ signer: { ed25519PublicKey: key.publicKey(), weight } })])
  await weigh(1)
  const account = await horizon.account(customer.publicKey)
  const destination = anchor.distribution.publicKey
  const inner = new TransactionBuilder(new Account(customer.publicKey, account?.sequence ?? '0'), {
    ...{ fee: '100000', networkPassphrase: network.passphrase, memo: Memo.id('77') },
  })
    .setTimeout(0)
    .addOperation(Operation.payment({ asset: anchor.asset, amount: '25', destination }))
    .build()
  inner.sign(key)
  const payer = Keypair.random()
  await anchor.fund({ publicKey: payer.publicKey(), secret: payer.secret() })
  const outer = TransactionBuilder.buildFeeBumpTransaction(payer, '200000', inner, network.passphrase)
  outer.sign(payer)
  expect(await horizon.submit(outer.toXdr())).toEqual({ outcome: 'applied' })
  await weigh(0)
  const confirm = async () => {
    await weigh(1)
    await anchor.rows("update ledger_incidents set next_try_at = now() - interval '1 second'")
    await observePayments({ ...deps })
  }
  return { outer: hexOf(outer), inner: hexOf(inner), confirm }
}

const orders = () => anchor.rows('select kind from rail_orders')
const refunds = () => anchor.rows("select 1 from ledger_payments where purpose = 'refund'")

it('a payment of a fee bump that was set aside is not credited from a gap by either hash, and is received once', async () => {
  await anchor.sendBack(customer, '30')
  await leaveGap()
  const { outer, inner, confirm } = await payByFeeBump()
  await observePayments({ ...anchor.deps })
  expect((await anchor.incidents()).map(({ kind }) => kind)).toContain('unreadable-payment')
  await expect(credit(inner)).rejects.toThrow(outer)
  await expect(credit(outer)).rejects.toThrow('was set aside')
  // Nobody who is asked shows it: two people would decide.
  await expect(
    credit(inner, { ...anchor.deps, history: { ...history, transaction: async () => null } }),
  ).rejects.toThrow('was set aside')
  expect(await orders()).toEqual([])
  await confirm()
  expect(await anchor.rows('select state from transfers')).toEqual([{ state: 'funded' }])
  expect([await orders(), await refunds()]).toEqual([[{ kind: 'payout' }], []])
})

it('a fee bump is credited from a gap by its own hash only', async () => {
  const { outer, inner } = await payByFeeBump()
  await leaveGap()
  await expect(credit(inner)).rejects.toThrow(outer)
  expect((await credit(outer)).status).toBe('done')
  expect(await orders()).toEqual([{ kind: 'payout' }])
})

it('a payment that was credited from a gap and is read after all is neither refunded nor paid out again', async () => {
  const [before] = await anchor.rows<{ cursor: string }>('select cursor from observed')
  await anchor.sendBack(customer, '25', Memo.id('77'))
  const [paid] = await anchor.horizon.transactionsOf(customer.publicKey)
  await leaveGap()
  expect((await credit(paid?.hash ?? '')).status).toBe('done')
  await anchor.rows(`update observed set cursor = '${before?.cursor}'`)
  await observePayments({ ...anchor.deps, history })
  expect([await orders(), await refunds()]).toEqual([[{ kind: 'payout' }], []])
  expect(await anchor.rows("select id from ledger_receipts where id like 'gap:%'")).toHaveLength(1)
  expect(await anchor.rows(`select 1 from ledger_receipts where hash = '${paid?.hash}'`)).toHaveLength(1)
})

/** No source that is asked has the transaction. */
const unseen = () => ({ ...anchor.deps, history: { ...history, transaction: async () => null } })
const tryAgainNow = () => anchor.rows("update ledger_incidents set next_try_at = now() - interval '1 second'")

it('a fee bump that two people credited by the hash inside it, since no source shows it, is not received again', async () => {
  const [before] = await anchor.rows<{ cursor: string }>('select cursor from observed')
  const { inner, confirm } = await payByFeeBump()
  await leaveGap()
  const action = await credit(inner, unseen())
  expect(action.status).toBe('waiting')
  await decideAction(unseen(), action.id, { approve: true, by: 'operator:mira' })
  expect(await orders()).toEqual([{ kind: 'payout' }])
  await anchor.rows(`update observed set cursor = '${before?.cursor}'`)
  await observePayments({ ...anchor.deps, history })
  await confirm()
  await tryAgainNow()
  await observePayments({ ...anchor.deps, history })
  expect([await orders(), await refunds()]).toEqual([[{ kind: 'payout' }], []])
  expect((await anchor.incidents()).filter(({ resolved_at }) => resolved_at === null)).toEqual([])
})

it('two people credit no withdrawal by the hash inside a fee bump that was received', async () => {
  const { outer, inner, confirm } = await payByFeeBump()
  await anchor.rows(`update transfers set ledger_memo = '78' where id = '${WITHDRAWAL}'`)
  await observePayments({ ...anchor.deps })
  await confirm()
  expect(await anchor.rows(`select inner_hash from ledger_receipts where hash = '${outer}'`)).toEqual([
    { inner_hash: inner },
  ])
  await anchor.sendBack(customer, '30')
  await leaveGap()
  for (const hash of [outer, inner])
    await expect(credit(hash, unseen())).rejects.toThrow('is recorded already')
  expect(await orders()).toEqual([])
})

it('a payment near what was agreed is not credited from a gap, and the refusal says what the ledger has and what to do', async () => {
  await anchor.sendBack(customer, '24.5', Memo.id('77'))
  const [paid] = await anchor.horizon.transactionsOf(customer.publicKey)
  await anchor.sendBack(customer, '24.5', Memo.id('78'))
  const [other] = await anchor.horizon.transactionsOf(customer.publicKey)
  await leaveGap()
  await expect(credit(paid?.hash ?? '')).rejects.toThrow(
    'by this hash the ledger has a payment of 24.5 MUMBAI, and exactly 25 MUMBAI was agreed. Send the 24.5 MUMBAI back',
  )
  await expect(credit(other?.hash ?? '')).rejects.toThrow('the ledger has something else by this hash')
  // What no source of the ledger shows says nothing of an amount.
  const silent = { ...anchor.deps, history: { ...history, transaction: async () => null } }
  expect((await credit(paid?.hash ?? '', silent)).status).toBe('waiting')
  expect(await orders()).toEqual([])
})

it('what another payment of a transaction pays that was credited from a gap is received where it is read after all', async () => {
  const other = '00000000-0000-4000-8000-000000000002'
  await agree(other, '78')
  const [before] = await anchor.rows<{ cursor: string }>('select cursor from observed')
  const pay = (id: string) =>
    Operation.payment({
      ...{ asset: anchor.asset, amount: '25', destination: muxedAccount(anchor.distribution.publicKey, id) },
    })
  await anchor.apply(customer, [pay('77'), pay('78')])
  const [paid] = await anchor.horizon.transactionsOf(customer.publicKey)
  const hash = paid?.hash ?? ''
  await leaveGap()
  expect((await credit(hash)).status).toBe('done')
  await expect(credit(hash)).rejects.toThrow()
  await anchor.rows(`update observed set cursor = '${before?.cursor}'`)
  const states = () => anchor.rows('select state from transfers order by ledger_memo')
  // What nobody credited is received by itself where it is read after all.
  await observePayments({ ...anchor.deps, history })
  expect(await states()).toEqual([{ state: 'funded' }, { state: 'funded' }])
  expect([await orders(), await refunds()]).toEqual([[{ kind: 'payout' }, { kind: 'payout' }], []])
})
