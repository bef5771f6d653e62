import { parseAmount } from '@windlass/money/amount.ts'
import { fakeClock } from '@windlass/testing/fake-clock.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { metricIn } from '@windlass/testing/metrics.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { matchReservations, queuePayment } from '../../payments/ledger-payments.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'
import { release, reserve } from '../../money/treasury/treasury.ts'

let app: BusinessApp
const clock = fakeClock()
const ledger: UnreliableNetwork = new UnreliableNetwork({
  asset: () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`,
})
let ledgerDown = false
beforeAll(async () => {
  const horizon = new Proxy(ledger, {
    get: (target, name, self) => {
      if (ledgerDown && name !== 'then') return () => Promise.reject(new Error('down'))
      const value: unknown = Reflect.get(target, name, self)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  app = await startBusinessApp({ clock, horizon })
})
afterAll(() => app.close())

const summary = (secret = 'm'.repeat(32)) =>
  app.server.app.inject({ url: '/admin/summary', headers: { 'x-service-secret': secret } })

async function promise(id: string, amount: string, expiresAt: Date | null = null): Promise<void> {
  const { db } = app.deps.database
  await db
    .transaction()
    .execute(tx => reserve(app.deps, tx, { id, asset: null, amount: parseAmount(amount), expiresAt }))
}

describe('the summary', () => {
  it('sends state, treasury, ledger and rails to anyone who has the summary secret', async () => {
    expect((await summary('wrong')).statusCode).toBe(401)
    const answer = await summary()
    expect(answer.json()).toEqual({
      status: 'ok',
      treasury_capacity: '1000000',
      assets: [
        {
          code: 'MUMBAI',
          issuer: app.deps.config.anchor.accounts.issuer,
          anchoredTo: 'USD',
          balance: '1000000',
          reserved: '0',
          capacity: '1000000',
        },
      ],
      ledger: {
        connected: true,
        lastLedger: expect.any(Number),
        observerLag: null,
        spendableXlm: '999',
        fee: { last: null, max: '0.1' },
      },
      treasury: {
        ...{ low: '100000', ceiling: null, coldAccount: null, xlmLow: '1' },
        ...{ cold: '0', outflowPerDay: null, daysLeft: null },
        topUp: { account: app.distribution.publicKey, memo: 'top-up' },
      },
      waiting: null,
      rails: [
        { name: 'UPI', currency: 'INR', simulated: true, rate: '88.5' },
        { name: 'SEPA', currency: 'EUR', simulated: true, rate: null },
      ],
      version: '0.1.0',
    })
  })

  it('leaves out reserved amounts until they are released or expire', async () => {
    await promise('one', '400000')
    await promise('past', '100', new Date('2020-01-01'))
    expect((await summary()).json().treasury_capacity).toBe('600000')
    await promise('one', '500000')
    expect((await summary()).json().treasury_capacity).toBe('500000')
    await release(app.deps.database.db, 'one')
    expect((await summary()).json().treasury_capacity).toBe('1000000')
  })

  it('leaves out what waits to go back to its sender', async () => {
    await queuePayment(app.deps, app.deps.database.db, {
      cause: 'refund:test',
      transfer_id: null,
      purpose: 'refund',
      asset: null,
      destination: app.deps.config.anchor.accounts.issuer,
      amount: '250',
      memo: null,
      memo_type: null,
      claimable: false,
    })
    expect((await summary()).json()).toMatchObject({
      treasury_capacity: '999750',
      assets: [{ balance: '1000000', reserved: '250' }],
    })
    // As a version that reserved nothing for refunds left it, and as one paid it that released nothing.
    await release(app.deps.database.db, 'refund:test')
    await matchReservations(app.deps.database.db)
    expect((await summary()).json().treasury_capacity).toBe('999750')
    await app.deps.database.db
      .updateTable('ledger_payments')
      .set({ state: 'paid', paid_at: new Date() })
      .execute()
    await matchReservations(app.deps.database.db)
    expect((await summary()).json().treasury_capacity).toBe('1000000')
  })

  it('never has the same units promised twice, however many ask at once', async () => {
    const wishes = Array.from({ length: 8 }, (_, index) => promise(`rush-${index}`, '300000'))
    const outcomes = await Promise.allSettled(wishes)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect((await summary()).json().treasury_capacity).toBe('100000')
  })

  it('shows Prometheus what the treasury holds, what is promised of it and what waits', async () => {
    const { body } = await app.server.app.inject('/metrics')
    expect(metricIn(body, 'windlass_treasury_balance')).toEqual({ '': 1_000_000 })
    expect(metricIn(body, 'windlass_treasury_reserved')).toEqual({ '': 900_000 })
    expect(metricIn(body, 'windlass_treasury_spendable_xlm')).toEqual({ '': 999 })
    expect(metricIn(body, 'windlass_ledger_payments')).toEqual({})
    // Nothing was read from the ledger yet, which is not the same as no lag.
    expect(metricIn(body, 'windlass_observer_lag_seconds')).toEqual({})
  })

  it('is 503 while the ledger does not answer: then nothing can be promised', async () => {
    ledgerDown = true
    expect((await summary()).statusCode).toBe(503)
    ledgerDown = false
    expect((await summary()).statusCode).toBe(200)
  })
})

describe('the health', () => {
  it('names the observer when it is stuck', async () => {
    const health = () => app.server.app.inject({ url: '/health' })
    expect((await health()).statusCode).toBe(200)
    // Never having read them is stuck too, a while after the start.
    clock.advance(61_000)
    expect((await health()).statusCode).toBe(503)
    const { accounts } = app.deps.config.anchor
    await app.deps.database.db
      .insertInto('observed')
      .values({ account: accounts.distribution, cursor: '0', caught_up_at: clock.now() })
      .execute()
    clock.advance(59_000)
    expect((await health()).statusCode).toBe(200)
    clock.advance(2_000)
    const stuck = await health()
    expect(stuck.statusCode).toBe(503)
    expect(stuck.json().checks).toMatchObject({ observer: 'unavailable', ledger: 'ok', database: 'ok' })
  })
})

describe('an anchor whose SEP server ends again and again', () => {
  const asks = (run: string) =>
    app.server.app.inject({
      url: '/terms',
      headers: { 'x-api-key': app.deps.config.secrets.link, 'x-sep-run': run },
    })

  it('is unavailable until ten minutes without such an end are over, although each new start answers', async () => {
    for (const run of ['first', 'second', 'first', 'second']) expect((await asks(run)).statusCode).toBe(200)
    expect((await summary()).statusCode).toBe(200)
    clock.advance(60_000)
    expect((await asks('third')).statusCode).toBe(200)
    const answer = await summary()
    expect([answer.statusCode, answer.json().code]).toEqual([503, 'dependency-unavailable'])
    expect(answer.json().detail).toContain('The SEP server')
    clock.advance(541_000)
    expect((await summary()).statusCode).toBe(200)
  })

  it('cannot be made so by a stranger', async () => {
    for (const run of ['a', 'b', 'c', 'd']) {
      const answer = await app.server.app.inject({ url: '/terms', headers: { 'x-sep-run': run } })
      expect(answer.statusCode).toBe(401)
    }
    expect((await summary()).statusCode).toBe(200)
  })
})
