import { Operation, TransactionBuilder } from '@stellar/stellar-sdk/base'
import type { Horizon } from '@windlass/stellar/horizon.ts'
import { generateKey } from '@windlass/stellar/keys.ts'
import { describe, expect, it } from 'vitest'
import {
  agreed,
  anchor,
  app,
  backUp,
  customer,
  dyingSigned,
  expectJournalAgrees,
  horizon,
  network,
  open,
  payAll,
  payOverRail,
  queueRefunds,
  settleAll,
  signedInChannels,
  startAnchors,
  untilClosed,
} from '../testing/older-state.ts'

startAnchors()

describe('a server on an older state of its database', () => {
  it.each(['before', 'after'])(
    'pays nothing again that was paid through channels opened %s that state, and closes them first',
    async when => {
      await queueRefunds(12, 'first')
      if (when === 'before') {
        await settleAll(app.deps)
        await queueRefunds(12, 'second')
      }
      const restore = await backUp()
      await settleAll(app.deps)
      await queueRefunds(5, 'third')
      await settleAll(app.deps)
      const paid = await anchor.held(customer)
      const { rows } = await app.deps.database.pool.query(
        "select 1 from ledger_envelopes where source in (select account from ledger_channels) and state = 'applied'",
      )
      expect(rows.length).toBeGreaterThan(5)

      const restored = await restore()
      await untilClosed(restored)
      expect(await anchor.held(customer)).toBe(paid)
      const left = await restored.database.pool.query(
        "select state, count(*)::int from ledger_payments where purpose = 'refund' group by state",
      )
      expect(left.rows).toEqual([{ state: 'paid', count: when === 'before' ? 24 : 12 }])
      const channels = await restored.database.pool.query<{ account: string; state: string }>(
        'select account, state from ledger_channels where foreign_use',
      )
      expect(channels.rows.length).toBeGreaterThan(0)
      for (const { account, state } of channels.rows) {
        expect(state).toBe('closed')
        expect(await horizon.account(account)).toBeNull()
      }
      // What was queued and paid after that state.
      expect(await open(restored)).toHaveLength(5)
      await expectJournalAgrees(restored)
    },
    60_000,
  )

  it('finds channels that others opened by their sequence numbers after that state, and closes them too', async () => {
    await queueRefunds(12, 'first')
    await settleAll(app.deps)
    const restore = await backUp()
    await queueRefunds(60, 'second')
    await settleAll(app.deps)
    const { rows: opened } = await app.deps.database.pool.query<{ account: string }>(
      "select account from ledger_channels where state = 'open'",
    )
    const { rows: bySequence } = await app.deps.database.pool.query(
      `select 1 from ledger_payments p join ledger_envelopes e on e.payment_id = p.id
       where purpose = 'open-channels' and e.state = 'applied' and source in (select account from ledger_channels)`,
    )
    expect([opened.length > 30, bySequence.length > 1]).toEqual([true, true])
    const paid = await anchor.held(customer)

    const restored = await restore()
    await untilClosed(restored)
    expect(await anchor.held(customer)).toBe(paid)
    for (const { account } of opened) expect(await horizon.account(account)).toBeNull()
    await expectJournalAgrees(restored)
  }, 120_000)

  it('pays nothing again that a channel paid just before its closing, though Horizon answers of a time before', async () => {
    await queueRefunds(12, 'first')
    await settleAll(app.deps)
    await queueRefunds(12, 'second')
    const restored = await (await backUp())()
    await payAll({ ...app.deps, faults: dyingSigned() })
    const [late = ''] = await signedInChannels()
    const treasury = app.distribution.publicKey
    let behind: { account: Awaited<ReturnType<Horizon['account']>>; ledger: number } | null = null
    let closing: string | undefined
    const lagging: Horizon = {
      ...horizon,
      async submit(xdr) {
        if (closing !== undefined) return horizon.submit(xdr)
        closing = Buffer.from(TransactionBuilder.fromXdr(xdr, network.passphrase).hash()).toString('hex')
        const before = { account: await horizon.account(treasury), ledger: (await horizon.head()).sequence }
        expect(await horizon.submit(late)).toEqual({ outcome: 'applied' })
        const answer = await horizon.submit(xdr)
        behind = before
        return answer
      },
      account: async id => (behind && id === treasury ? behind.account : horizon.account(id)),
      async transactionsOf(id, cursor, order) {
        const page = await horizon.transactionsOf(id, cursor, order)
        if (!behind || id !== treasury) return page
        const { ledger } = behind
        return page.filter(each => each.ledger <= ledger)
      },
      // Its fee is asked for once it is settled.
      async transaction(hash) {
        if (hash === closing) behind = null
        return horizon.transaction(hash)
      },
    }
    await payAll({ ...restored, horizon: lagging })
    expect(closing).toBeDefined()
    for (let round = 0; round < 2; round++) await payAll(restored)
    await settleAll(restored)
    expect(Number(await anchor.held(customer))).toBe(1024)
    expect(await open(restored)).toEqual([])
    await expectJournalAgrees(restored)
  })

  it('closes channels too whose opening that state had signed and not seen applied', async () => {
    await queueRefunds(12, 'first')
    await payAll({ ...app.deps, faults: dyingSigned({ once: true }) })
    const restore = await backUp()
    await settleAll(app.deps)
    await queueRefunds(5, 'second')
    await payAll({ ...app.deps, faults: dyingSigned() })
    const late = await signedInChannels()
    expect(late.length).toBeGreaterThan(0)

    const restored = await restore()
    await untilClosed(restored)
    for (const xdr of late) expect(await horizon.submit(xdr)).not.toEqual({ outcome: 'applied' })
    await settleAll(restored)
    expect(Number(await anchor.held(customer))).toBe(1012)
    expect(await open(restored)).toEqual([])
    await expectJournalAgrees(restored)
  })

  it('takes no account that someone else opened with the key for a channel', async () => {
    const friend = Operation.createAccount({ destination: generateKey().publicKey, startingBalance: '5' })
    const restored = await (await backUp())()
    await anchor.apply(app.distribution, [friend])
    await payOverRail(await agreed('deposit', restored), restored)
    await settleAll(restored)
    expect(Number(await anchor.held(customer))).toBe(1100)
  })
})
