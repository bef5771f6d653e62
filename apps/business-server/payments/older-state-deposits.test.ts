import { muxedAccount } from '@windlass/stellar/addresses.ts'
import type { Horizon } from '@windlass/stellar/horizon.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { describe, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { payPage } from '../interactive/pay-pages.ts'
import { textsFor } from '../interactive/texts.ts'
import { balanceOf } from '../money/journal/journal.ts'
import { findTransfer } from '../transfers/find.ts'
import {
  agreed,
  anchor,
  app,
  backUp,
  bank,
  customer,
  expectJournalAgrees,
  horizon,
  open,
  payOverRail,
  settleAll,
  startAnchors,
  stateOf,
} from '../testing/older-state.ts'
import { resolveByOperator } from './unproven.ts'

startAnchors()

describe('a server on an older state of its database', () => {
  it('pays no deposit again that was paid after that state', async () => {
    const deposit = await agreed('deposit')
    await payOverRail(deposit)
    const restore = await backUp()
    await settleAll(app.deps)
    const paid = await anchor.held(customer)
    const { ledger_hash } = (await findTransfer(app.deps.database.db, deposit.id)) ?? {}

    const restored = await restore()
    await settleAll(restored)
    expect(await anchor.held(customer)).toBe(paid)
    expect(await findTransfer(restored.database.db, deposit.id)).toMatchObject({
      state: 'completed',
      ledger_hash,
    })
    expect(await open(restored)).toEqual([])
    await expectJournalAgrees(restored)
  })

  it('names a deposit whose money it does not know, and completes it without a second payment', async () => {
    const deposit = await agreed('deposit')
    const restore = await backUp()
    await payOverRail(deposit)
    await settleAll(app.deps)
    const paid = await anchor.held(customer)

    const restored = await restore()
    await settleAll(restored)
    expect(await open(restored)).toMatchObject([
      { kind: 'unrecorded-payment', details: { amount: '100', deposit: deposit.id } },
    ])
    await expectJournalAgrees(restored)
    const transfer = await findTransfer(restored.database.db, deposit.id)
    const rail = restored.rails.get('UPI') ?? null
    const seen = { base: '', paying: false, readOnly: true }
    const page = await payPage(restored, textsFor('en'), transfer ?? deposit, rail, seen)
    expect(page.text).toContain('Do not pay again')

    await payOverRail(deposit, restored)
    await settleAll(restored)
    expect(await stateOf(restored, deposit)).toBe('completed')
    expect(await anchor.held(customer)).toBe(paid)
    expect(await open(restored)).toEqual([])
    expect(await balanceOf(restored.database.db, 'suspense', 'asset')).toBe(0n)
    await expectJournalAgrees(restored)
  })

  it('completes a deposit whose quote has expired since, and returns none of its money', async () => {
    const deposit = await agreed('deposit')
    const restore = await backUp()
    await payOverRail(deposit)
    await settleAll(app.deps)
    const paid = await anchor.held(customer)

    const restored = await restore()
    await restored.database.pool.query(
      `with quote as (
        insert into firm_rates (sell_asset, buy_asset, amount, fee, fiat_amount, currency, expires_at)
        values ('iso4217:INR', 'stellar:MUMBAI', 100, 1, 8938.5, 'INR', now()) returning id)
      update transfers set quote_id = quote.id, expires_at = now() - interval '1 hour' from quote
        where transfers.id = $1`,
      [deposit.id],
    )
    // Before the ledger was read.
    await payOverRail(deposit, restored)
    await settleAll(restored)
    expect(await stateOf(restored, deposit)).toBe('completed')
    expect(await anchor.held(customer)).toBe(paid)
    expect(bank.size).toBe(0)
    expect(await open(restored)).toEqual([])
    await expectJournalAgrees(restored)
  })

  it('completes a deposit that was priced at another rate with what the ledger shows', async () => {
    const deposit = await agreed('deposit')
    const restore = await backUp()
    const late = `update transfers set expires_at = now() - interval '1 hour' where id = '${deposit.id}'`
    const at = (deps: Deps, INR: string): Deps => ({ ...deps, config: { ...deps.config, fx: { INR } } })
    await app.deps.database.pool.query(late)
    await payOverRail(deposit, at(app.deps, '100'))
    await settleAll(app.deps)
    const { amount } = (await findTransfer(app.deps.database.db, deposit.id)) ?? {}
    expect(Number(amount)).toBeLessThan(100)
    const paid = await anchor.held(customer)

    const restored = await restore()
    await restored.database.pool.query(late)
    await payOverRail(deposit, at(restored, '80'))
    await settleAll(restored)
    expect(await findTransfer(restored.database.db, deposit.id)).toMatchObject({ state: 'completed', amount })
    expect(await anchor.held(customer)).toBe(paid)
    expect(bank.size).toBe(0)
    expect(await open(restored)).toEqual([])
    for (const account of ['suspense', 'customers'] as const)
      expect(await balanceOf(restored.database.db, account, 'asset')).toBe(0n)
    await expectJournalAgrees(restored)
  })

  it('returns money once, though each state has another reason', async () => {
    const deposit = await agreed('deposit')
    const restore = await backUp()
    await payOverRail(deposit)
    const empty: Horizon['account'] = async id => {
      const account = await horizon.account(id)
      const balances = account?.balances.map(line => ({ ...line, balance: '0' }))
      return id === app.distribution.publicKey && account && balances ? { ...account, balances } : account
    }
    await app.deps.database.pool.query("update ledger_payments set created_at = now() - interval '2 days'")
    await settleAll({ ...app.deps, horizon: { ...horizon, account: empty } })
    expect(await stateOf(app.deps, deposit)).toBe('returning')
    expect(bank.size).toBe(1)

    const restored = await restore()
    await settleAll(restored)
    await payOverRail({ ...deposit, fiat_amount: '1' }, restored)
    await settleAll(restored)
    expect(await stateOf(restored, deposit)).toBe('returning')
    expect(bank.size).toBe(1)
  })

  it('holds money of a deposit that it lacks, though an operator explained the payment before it came', async () => {
    const restore = await backUp()
    const deposit = await agreed('deposit')
    await payOverRail(deposit)
    await settleAll(app.deps)

    const restored = await restore()
    await settleAll(restored)
    const [unrecorded] = await open(restored)
    await resolveByOperator(restored, unrecorded?.id ?? '', 'operator:1', { resolution: 'found' })
    await payOverRail(deposit, restored)
    await settleAll(restored)
    expect(bank.size).toBe(0)
    const [held] = await open(restored)
    expect(held).toMatchObject({ kind: 'held-receipt' })
    await resolveByOperator(restored, held?.id ?? '', 'operator:1', { resolution: 'it', outcome: 'applied' })
    // Its money is found: what else comes belongs to nothing.
    await payOverRail(deposit, restored, 'bank-2')
    await settleAll(restored)
    expect(bank.size).toBe(1)
  })

  it('completes a deposit that an operator explained before, with the same journal', async () => {
    const deposit = await agreed('deposit')
    const restore = await backUp()
    await payOverRail(deposit)
    await settleAll(app.deps)

    const restored = await restore()
    await settleAll(restored)
    const [incident] = await open(restored)
    await resolveByOperator(restored, incident?.id ?? '', 'operator:1', { resolution: 'found' })
    await payOverRail(deposit, restored)
    await settleAll(restored)
    expect(await stateOf(restored, deposit)).toBe('completed')
    for (const account of ['suspense', 'exchange', 'customers'] as const) {
      const [now, before] = [restored, app.deps].map(({ database }) =>
        balanceOf(database.db, account, 'asset'),
      )
      expect(await now).toBe(await before)
    }
    await expectJournalAgrees(restored)
  })

  it.each(['its queue', 'the rail'])(
    'makes no second claimable balance for a muxed account that it pays by %s',
    async by => {
      const newcomer = generateKey()
      await anchor.fund(newcomer)
      const muxed = muxedAccount(newcomer.publicKey, '7')
      const deposit = await agreed('deposit', app.deps, { claimableBy: muxed })
      const isQueued = by === 'its queue'
      if (isQueued) await payOverRail(deposit)
      const restore = await backUp()
      if (!isQueued) await payOverRail(deposit)
      await settleAll(app.deps)
      const { claimable_balance_id } = (await findTransfer(app.deps.database.db, deposit.id)) ?? {}
      expect(claimable_balance_id).toEqual(expect.any(String))
      const made = (await horizon.transactionsOf(app.distribution.publicKey)).length

      const restored = await restore()
      if (!isQueued) {
        await settleAll(restored)
        expect(await open(restored)).toMatchObject([{ details: { deposit: deposit.id } }])
        await payOverRail(deposit, restored)
      }
      await settleAll(restored)
      expect(await findTransfer(restored.database.db, deposit.id)).toMatchObject({
        state: 'completed',
        claimable_balance_id,
      })
      expect(await horizon.transactionsOf(app.distribution.publicKey)).toHaveLength(made)
      expect(await open(restored)).toEqual([])
      await expectJournalAgrees(restored)
    },
  )

  it('sets a deposit aside that it lacks, and money that may belong to it, until an operator decides', async () => {
    const restore = await backUp()
    const deposit = await agreed('deposit')
    await payOverRail(deposit)
    await settleAll(app.deps)

    const restored = await restore()
    await payOverRail(deposit, restored)
    await settleAll(restored)
    expect(bank.size).toBe(0)
    const incidents = await open(restored)
    expect(incidents.map(({ kind }) => kind).sort()).toEqual(['held-receipt', 'unrecorded-payment'])
    await expectJournalAgrees(restored)

    for (const { id } of incidents)
      await resolveByOperator(restored, id, 'operator:1', { resolution: 'found', outcome: 'applied' })
    await settleAll(restored)
    expect(bank.size).toBe(0)
    expect(await balanceOf(restored.database.db, 'suspense', 'asset')).toBe(0n)
    expect(await balanceOf(restored.database.db, 'suspense', 'INR')).toBe(0n)
    // Explained: money for nothing is returned again.
    await payOverRail(deposit, restored, 'bank-2')
    await settleAll(restored)
    expect([...bank.values()]).toHaveLength(1)
  })
})
