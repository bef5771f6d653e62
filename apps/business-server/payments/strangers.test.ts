import { Memo, Operation } from '@stellar/stellar-sdk/base'
import { parseAmount } from '@windlass/money/amount.ts'
import { muxedAccount } from '@windlass/stellar/addresses.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { balanceOf } from '../money/journal/journal.ts'
import { addSettings, currentSettings } from '../money/settings/settings.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { observePayments } from './observe.ts'
import { gatheredRefundsDueAt, sendGathered } from './refunds.ts'
import { sql } from 'kysely'

let anchor: LedgerAnchor
let stranger: Awaited<ReturnType<LedgerAnchor['customerWithAsset']>>
beforeEach(async () => {
  anchor = await LedgerAnchor.start()
  await anchor.issue()
  stranger = await anchor.customerWithAsset()
  await observePayments(anchor.deps)
})
afterEach(() => anchor.stop())

/** So many payments in one transaction. */
const pay = (count: number, amount: string, memo: Memo = Memo.none()) => {
  const { asset, distribution } = anchor
  const payment = Operation.payment({ asset, amount, destination: distribution.publicKey })
  return anchor.apply(
    stranger,
    Array.from({ length: count }, () => payment),
    memo,
  )
}
const balance = (account: 'treasury' | 'suspense' | 'unclaimed' | 'fees') =>
  balanceOf(anchor.deps.database.db, account, 'asset')
const held = async () => parseAmount((await anchor.held(anchor.distribution)) ?? '')
const refunds = () =>
  anchor.rows<{ amount: string; state: string }>(
    "select amount::text, state from ledger_payments where purpose = 'refund' order by created_at",
  )
const count = async (table: string) =>
  Number((await anchor.rows<{ count: string }>(`select count(*) from ${table}`))[0]?.count)

describe('payments of strangers', () => {
  it('that are too small to be anything are counted in one row and one entry a page, whatever memo they have', async () => {
    const [receipts, entries] = [await count('ledger_receipts'), await count('journal_entries')]
    for (const memo of [Memo.none(), Memo.id('7'), Memo.text('top-up')]) await pay(40, '0.0000001', memo)
    await observePayments(anchor.deps)
    expect(await count('ledger_receipts')).toBe(receipts)
    expect(await count('journal_entries')).toBe(entries + 1)
    expect(await anchor.rows('select payments, amount::text, asset from ledger_dust')).toEqual([
      { payments: '120', amount: '0.0000120', asset: null },
    ])
    expect(await refunds()).toEqual([])
    expect(await balance('treasury')).toBe(await held())
    expect(await balance('unclaimed')).toBe(-120n)
    // What another page brings is added, and no page counts twice.
    await pay(5, '0.0000001')
    await observePayments(anchor.deps)
    await observePayments(anchor.deps)
    expect(await anchor.rows('select payments from ledger_dust')).toEqual([{ payments: '125' }])
    expect(await balance('treasury')).toBe(await held())
  })

  it('are counted once where two servers of the anchor read a page at once, as in an upgrade', async () => {
    await pay(3, '0.0000001')
    const { routineHorizon } = anchor.deps
    const [hasRead, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow: typeof routineHorizon = Object.assign(Object.create(routineHorizon), {
      paymentsOf: async (account: string, cursor: string) => {
        const page = await routineHorizon.paymentsOf(account, cursor)
        hasRead.resolve()
        await goesOn.promise
        return page
      },
    })
    const late = observePayments({ ...anchor.deps, routineHorizon: slow })
    await hasRead.promise
    await pay(2, '0.0000001')
    await observePayments(anchor.deps)
    goesOn.resolve()
    await late
    expect(await anchor.rows('select payments from ledger_dust')).toEqual([{ payments: '5' }])
    expect(await balance('treasury')).toBe(await held())
  })

  it('are no dust where a transaction could have been of their amount', async () => {
    const { settings, version } = await currentSettings(anchor.deps, anchor.deps.database.db)
    const lower = { ...settings, limits: { ...settings.limits, min: '0.001' } }
    const fees = { ...settings.fees, withdrawal: { fixed: '0', percentage: '0' } }
    await addSettings(anchor.deps, { settings: { ...lower, fees }, version, by: 'operator:asha' })
    await pay(1, '0.001')
    await observePayments(anchor.deps)
    expect(await count('ledger_dust')).toBe(0)
  })

  it('go back one by one ten times an hour, and all others in one payment at its end', async () => {
    await pay(40, '1')
    await observePayments(anchor.deps)
    expect(await refunds()).toHaveLength(10)
    expect(await anchor.rows('select sum(amount)::text as sum from reservations')).toEqual([
      { sum: '40.0000000' },
    ])
    // Nothing is due, and more of them wait with the others.
    await pay(2, '1')
    await observePayments(anchor.deps)
    await anchor.pay()
    await sendGathered(anchor.deps)
    expect(await refunds()).toHaveLength(10)
    const { rows } = await sql<{ due: boolean }>`select (${gatheredRefundsDueAt}) > now() as due`.execute(
      anchor.deps.database.db,
    )
    expect(rows).toEqual([{ due: true }])
    await anchor.deps.database.pool.query("update gathered_refunds set leave_at = now() where cause like '%'")
    await sendGathered(anchor.deps)
    await sendGathered(anchor.deps)
    await anchor.pay()
    const payments = await refunds()
    expect(payments).toHaveLength(11)
    expect(payments.filter(({ amount, state }) => Number(amount) === 32 && state === 'paid')).toHaveLength(1)
    expect(await anchor.held(stranger)).toBe('1000.0000000')
    expect(await anchor.rows('select 1 from reservations')).toEqual([])
    await observePayments(anchor.deps)
    expect(await balance('suspense')).toBe(0n)
    expect(await balance('treasury')).toBe(await held())
    expect(await anchor.rows('select distinct paid_by is null as waits from gathered_refunds')).toEqual([
      { waits: false },
    ])
  })

  it('go back in turns of accounts, however many addresses one of them has', async () => {
    const other = await anchor.customerWithAsset()
    const { asset, distribution } = anchor
    // Each muxed address is gathered for itself, since each is another person's.
    const from = (id: number) => muxedAccount(stranger.publicKey, String(id))
    const payment = (id: number) =>
      Operation.payment({ asset, amount: '1', destination: distribution.publicKey, source: from(id) })
    await anchor.apply(
      stranger,
      Array.from({ length: 30 }, (_, id) => payment(id)),
    )
    await observePayments(anchor.deps)
    await anchor.deps.database.pool.query('update gathered_refunds set leave_at = now()')
    await sendGathered(anchor.deps)
    await anchor.sendBack(other, '2')
    await observePayments(anchor.deps)
    await anchor.pay()
    const paid = await anchor.rows<{ destination: string }>(
      "select destination from ledger_payments where purpose = 'refund' and state = 'paid' order by paid_at",
    )
    expect(paid).toHaveLength(31)
    expect(paid.findIndex(({ destination }) => destination === other.publicKey)).toBeLessThan(2)
  })

  it('go back less the fee of the settings, and not at all where it is as much', async () => {
    const { settings, version } = await currentSettings(anchor.deps, anchor.deps.database.db)
    const fees = { ...settings.fees, refund: '0.25' }
    await addSettings(anchor.deps, { settings: { ...settings, fees }, version, by: 'operator:asha' })
    await pay(1, '3')
    await pay(1, '0.25')
    await observePayments(anchor.deps)
    await anchor.pay()
    expect(await refunds()).toMatchObject([{ amount: '2.7500000', state: 'paid' }])
    await observePayments(anchor.deps)
    expect(await balance('fees')).toBe(-parseAmount('0.25'))
    expect(await balance('unclaimed')).toBe(-parseAmount('0.25'))
    expect(await balance('suspense')).toBe(0n)
    expect(await balance('treasury')).toBe(await held())
  })
})
