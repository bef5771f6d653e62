import { Memo } from '@stellar/stellar-sdk/base'
import { describe, expect, it } from 'vitest'
import { balanceOf } from '../money/journal/journal.ts'
import { agreedSo } from '../testing/agreed-so.ts'
import {
  agreed,
  anchor,
  app,
  backUp,
  bank,
  customer,
  expectJournalAgrees,
  open,
  settleAll,
  startAnchors,
  stateOf,
} from '../testing/older-state.ts'
import { sendGathered } from './refunds.ts'
import { resolveByOperator } from './unproven.ts'

startAnchors()

describe('a server on an older state of its database', () => {
  it('pays no withdrawal out again that the bank paid after that state', async () => {
    const withdrawal = await agreed('withdrawal')
    const restore = await backUp()
    await anchor.sendBack(customer, '100', Memo.id(withdrawal.ledger_memo ?? ''))
    await settleAll(app.deps)
    expect(bank.size).toBe(1)

    const restored = await restore()
    await settleAll(restored)
    expect(bank.size).toBe(1)
    expect(await stateOf(restored, withdrawal)).toBe('paying_out')
    expect(await open(restored)).toEqual([])
    await expectJournalAgrees(restored)
  })

  it.each([
    ['refunds it when the bank paid nothing', 'not-applied', 1000],
    ['keeps it when the bank paid', 'applied', 900],
  ] as const)('sets a withdrawal aside that it lacks: an operator %s', async (_, outcome, left) => {
    const restore = await backUp()
    const withdrawal = await agreed('withdrawal')
    await anchor.sendBack(customer, '100', Memo.id(withdrawal.ledger_memo ?? ''))
    if (outcome === 'applied') await settleAll(app.deps)

    const restored = await restore()
    await settleAll(restored)
    expect(Number(await anchor.held(customer))).toBe(900)
    const [incident, ...others] = await open(restored)
    expect(others).toEqual([])
    expect(incident).toMatchObject({ kind: 'held-receipt', details: { amount: '100' } })
    await expectJournalAgrees(restored)

    await expect(
      resolveByOperator(restored, incident?.id ?? '', 'operator:1', { resolution: 'looked' }),
    ).rejects.toThrow('applied or not-applied')
    await resolveByOperator(restored, incident?.id ?? '', 'operator:1', { resolution: 'looked', outcome })
    await settleAll(restored)
    expect(Number(await anchor.held(customer))).toBe(left)
    expect(await balanceOf(restored.database.db, 'suspense', 'asset')).toBe(0n)
    await expectJournalAgrees(restored)
  })

  it('refunds what an operator releases with the withdrawal’s refund memo', async () => {
    const withdrawal = await agreed('withdrawal')
    await app.deps.database.pool.query(
      "update transfers set refund_memo = 'exchange-7', refund_memo_type = 'text' where id = $1",
      [withdrawal.id],
    )
    await agreedSo(app.deps, withdrawal.id)
    const restore = await backUp()
    await anchor.sendBack(customer, '30', Memo.id(withdrawal.ledger_memo ?? ''))
    const restored = await restore()
    await settleAll(restored)
    const [incident] = await open(restored)
    expect(incident).toMatchObject({ kind: 'held-receipt', details: { amount: '30' } })
    const decision = { resolution: 'looked', outcome: 'not-applied' } as const
    await resolveByOperator(restored, incident?.id ?? '', 'operator:1', decision)
    const { rows } = await restored.database.pool.query(
      "select memo, memo_type, amount from ledger_payments where purpose = 'refund'",
    )
    expect(rows).toEqual([{ memo: 'exchange-7', memo_type: 'text', amount: '30.0000000' }])
  })

  it('refunds no payment again that was refunded after that state', async () => {
    const restore = await backUp()
    await anchor.sendBack(customer, '25')
    await settleAll(app.deps)
    expect(Number(await anchor.held(customer))).toBe(1000)

    const restored = await restore()
    await settleAll(restored)
    expect(Number(await anchor.held(customer))).toBe(1000)
    expect(await open(restored)).toEqual([])
    await expectJournalAgrees(restored)
  })

  it('pays no gathered refund again: what it was of is held, and the payment is reported', async () => {
    const restore = await backUp()
    for (let paid = 0; paid < 13; paid++) await anchor.sendBack(customer, '1')
    await settleAll(app.deps)
    await app.deps.database.pool.query('update gathered_refunds set leave_at = now()')
    await sendGathered(app.deps)
    await settleAll(app.deps)
    expect(Number(await anchor.held(customer))).toBe(1000)

    const restored = await restore()
    await settleAll(restored)
    const incidents = await open(restored)
    expect(incidents.map(({ kind, details: { amount } }) => [kind, amount]).sort()).toEqual([
      ...Array.from({ length: 3 }, () => ['held-receipt', '1']),
      ['unrecorded-payment', '3'],
    ])
    const { rows } = await restored.database.pool.query("select from ledger_payments where state = 'queued'")
    expect(rows).toEqual([])
    for (const { id, kind } of incidents)
      await resolveByOperator(restored, id, 'operator:1', {
        resolution: 'they left together',
        ...(kind === 'held-receipt' ? { outcome: 'applied' } : {}),
      })
    await settleAll(restored)
    expect(Number(await anchor.held(customer))).toBe(1000)
    expect(await balanceOf(restored.database.db, 'suspense', 'asset')).toBe(0n)
    await expectJournalAgrees(restored)
  })

  it('pays gathered refunds again neither where it knows that they wait, nor with what waits since', async () => {
    for (let paid = 0; paid < 12; paid++) await anchor.sendBack(customer, '1')
    await settleAll(app.deps)
    const restore = await backUp()
    const leave = 'update gathered_refunds set leave_at = now(); update ledger_receipts set seen_at = now()'
    await app.deps.database.pool.query(leave)
    await sendGathered(app.deps)
    await settleAll(app.deps)
    expect(Number(await anchor.held(customer))).toBe(1000)

    const restored = await restore()
    // A ledger closes at a whole second.
    await new Promise(resolve => setTimeout(resolve, 1_100))
    await anchor.sendBack(customer, '5')
    await settleAll(restored)
    await restored.database.pool.query(leave)
    await sendGathered(restored)
    await settleAll(restored)
    expect(Number(await anchor.held(customer))).toBe(1000)
    expect(await open(restored)).toEqual([])
    const { rows } = await restored.database.pool.query("select from ledger_payments where state = 'queued'")
    expect(rows).toEqual([])
    await expectJournalAgrees(restored)
  })

  it.each(['before its own leave', 'after its own left'])(
    'takes gathered refunds that it knows in part for a part of what left, and asks about the rest, explained %s',
    async when => {
      for (let paid = 0; paid < 12; paid++) await anchor.sendBack(customer, '1')
      await settleAll(app.deps)
      const restore = await backUp()
      await anchor.sendBack(customer, '5')
      await settleAll(app.deps)
      const leave = 'update gathered_refunds set leave_at = now(); update ledger_receipts set seen_at = now()'
      await app.deps.database.pool.query(leave)
      await sendGathered(app.deps)
      await settleAll(app.deps)
      expect(Number(await anchor.held(customer))).toBe(1000)

      const restored = await restore()
      await settleAll(restored)
      const leaves = async () => {
        await restored.database.pool.query(leave)
        await sendGathered(restored)
        await settleAll(restored)
      }
      const explain = async (amount: string) => {
        const incidents = await open(restored)
        expect(incidents.map(({ kind, details }) => [kind, details.amount]).sort()).toEqual([
          ['held-receipt', '5'],
          ['unrecorded-payment', amount],
        ])
        for (const { id, kind } of incidents)
          await resolveByOperator(restored, id, 'operator:1', {
            resolution: 'they left together',
            ...(kind === 'held-receipt' ? { outcome: 'applied' } : {}),
          })
      }
      if (when.startsWith('before')) await explain('7')
      await leaves()
      if (when.startsWith('after')) await explain('5')
      await settleAll(restored)
      const { rows } = await restored.database.pool.query(
        "select from ledger_payments where state = 'queued'",
      )
      expect([rows, await open(restored)]).toEqual([[], []])
      expect(Number(await anchor.held(customer))).toBe(1000)
      expect(await balanceOf(restored.database.db, 'suspense', 'asset')).toBe(0n)
      await expectJournalAgrees(restored)
    },
  )

  it('gathers no refund that it finds on the ledger, however many come at once', async () => {
    const restore = await backUp()
    for (let hour = 0; hour < 2; hour++) {
      for (let paid = 0; paid < 8; paid++) await anchor.sendBack(customer, hour === 0 ? '1' : '3')
      await settleAll(app.deps)
      await app.deps.database.pool.query("update ledger_receipts set seen_at = now() - interval '2 hours'")
    }
    expect(Number(await anchor.held(customer))).toBe(1000)

    const restored = await restore()
    await settleAll(restored)
    const { rows } = await restored.database.pool.query('select from gathered_refunds')
    expect(rows).toEqual([])
    expect(await open(restored)).toEqual([])
    expect(Number(await anchor.held(customer))).toBe(1000)
    await expectJournalAgrees(restored)
  })

  it('refunds what comes after the restore at once', async () => {
    const restored = await (await backUp())('2020-01-01T00:00:00Z')
    await anchor.sendBack(customer, '25')
    await settleAll(restored)
    expect(Number(await anchor.held(customer))).toBe(1000)
  })
})
