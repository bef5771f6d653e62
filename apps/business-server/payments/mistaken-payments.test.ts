import { Asset, Memo, Operation } from '@stellar/stellar-sdk/base'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agreedSo } from '../testing/agreed-so.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { observePayments } from './observe.ts'

let anchor: LedgerAnchor
beforeEach(async () => {
  anchor = await LedgerAnchor.start()
})
afterEach(() => anchor.stop())

async function withdrawalWithMemo(memo: string, refundMemo: string | null = null): Promise<string> {
  const id = randomUUID()
  await anchor.deps.database.pool.query(
    `insert into transfers (id, sep, direction, state, account, stellar_account, rail, currency, ledger_memo, destination,
       refund_memo, refund_memo_type)
     values ($1, '24', 'withdrawal', 'awaiting_funds', $2, $2, 'UPI', 'INR', $3, '{}', $4, 'text')`,
    [id, anchor.issuer.publicKey, memo, refundMemo],
  )
  await agreedSo(anchor.deps, id)
  return id
}

/** Payments of the distribution account to an account. */
async function paymentsTo(account: string): Promise<{ records: Record<string, string>[] }> {
  const answer = await fetch(`${anchor.network.url}/accounts/${account}/payments?limit=200`)
  const { _embedded } = (await answer.json()) as { _embedded: { records: Record<string, string>[] } }
  return { records: _embedded.records.filter(({ from }) => from === anchor.distribution.publicKey) }
}

describe('what came by mistake', () => {
  const receipts = () =>
    anchor.rows<{ outcome: string; amount: string; asset: string | null }>(
      "select outcome, amount::text, asset from ledger_receipts where why <> 'the anchor''s own' order by id::bigint",
    )

  it('goes back: XLM with the memo of a withdrawal, which stays open; other XLM is a top-up', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    const id = await withdrawalWithMemo('777')
    const xlm = (amount: string, memo: Memo) => {
      const payment = { asset: Asset.native(), amount, destination: anchor.distribution.publicKey }
      return anchor.apply(customer, [Operation.payment(payment)], memo)
    }
    await xlm('3', Memo.id('777'))
    await xlm('0.001', Memo.id('777'))
    await xlm('50', Memo.none())
    await observePayments(anchor.deps)
    expect(await receipts()).toEqual([
      { outcome: 'returned', amount: '3.0000000', asset: 'native' },
      { outcome: 'ignored', amount: '50.0000000', asset: 'native' },
    ])
    await anchor.pay()
    const { records } = await paymentsTo(customer.publicKey)
    expect(records).toMatchObject([{ asset_type: 'native', amount: '3.0000000' }])
    expect(await anchor.rows(`select state from transfers where id = '${id}'`)).toEqual([
      { state: 'awaiting_funds' },
    ])
    expect(await anchor.rows('select 1 from reservations')).toEqual([])
  })

  it('goes back with the refund memo of the withdrawal: XLM, and a second payment', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    const id = await withdrawalWithMemo('779', 'customer 12')
    const xlm = { asset: Asset.native(), amount: '3', destination: anchor.distribution.publicKey }
    await anchor.apply(customer, [Operation.payment(xlm)], Memo.id('779'))
    await anchor.rows(`update transfers set state = 'completed' where id = '${id}'`)
    await anchor.sendBack(customer, '20', Memo.id('779'))
    await observePayments(anchor.deps)
    expect(
      await anchor.rows(
        `select amount::text, memo, memo_type, transfer_id from ledger_payments where purpose = 'refund' order by ledger_payments.amount`,
      ),
    ).toEqual([
      { amount: '3.0000000', memo: 'customer 12', memo_type: 'text', transfer_id: null },
      { amount: '20.0000000', memo: 'customer 12', memo_type: 'text', transfer_id: null },
    ])
  })

  it('goes back with no refund memo that someone wrote into the database', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    for (const [memo, own, writes] of [
      ['780', null, "refund_memo = 'thief', refund_memo_type = 'text'"],
      ['781', 'customer 12', "refund_memo = 'thief'"],
      ['782', 'customer 12', 'refund_memo = null, bound = null'],
      ['783', '12', "refund_memo_type = 'id'"],
    ] as const) {
      const id = await withdrawalWithMemo(memo, own)
      await anchor.rows(`update transfers set ${writes} where id = '${id}'`)
      const xlm = { asset: Asset.native(), amount: '3', destination: anchor.distribution.publicKey }
      await anchor.apply(customer, [Operation.payment(xlm)], Memo.id(memo))
    }
    await observePayments(anchor.deps)
    expect(
      await anchor.rows(
        "select memo_type, length(memo) as length from ledger_payments where purpose = 'refund'",
      ),
    ).toEqual(Array.from({ length: 4 }, () => ({ memo_type: 'return', length: 64 })))
  })

  it('stays where it is less than a refund is worth, however often it comes', async () => {
    await anchor.issue()
    const customer = await anchor.customerWithAsset()
    await withdrawalWithMemo('778')
    for (const memo of [Memo.none(), Memo.id('778'), Memo.id('778')])
      await anchor.sendBack(customer, '0.0099999', memo)
    await anchor.sendBack(customer, '0.01')
    await observePayments(anchor.deps)
    expect((await receipts()).map(({ outcome }) => outcome)).toEqual(['returned'])
    expect(await anchor.rows('select payments from ledger_dust')).toEqual([{ payments: '3' }])
    expect(await anchor.payments()).toHaveLength(1)
    expect(await anchor.rows('select state from transfers')).toEqual([{ state: 'awaiting_funds' }])
  })
})
