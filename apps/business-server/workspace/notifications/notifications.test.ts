import { NotificationReport } from '@windlass/contracts/platform/notifications.ts'
import { LedgerError } from '@windlass/stellar/ledger-error.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import Value from 'typebox/value'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordLedgerReceipt } from '../../money/journal/ledger-entries.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import { reconcile } from '../reconciliation/reconcile.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'
import { addTreasurySettings } from '../../money/treasury/settings.ts'
import { createReporter } from './report.ts'

let app: BusinessApp
let ledger: UnreliableNetwork
let reports: NotificationReport[]
let down = false
beforeAll(async () => {
  ledger = new UnreliableNetwork({ asset: () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}` })
  const notifier = {
    report: async (report: NotificationReport) => {
      if (down) throw new Error('the platform does not answer')
      reports.push(report)
    },
  }
  app = await startBusinessApp({ horizon: ledger, routineHorizon: ledger, notifier })
  await recordIssue('1000000')
})
afterAll(() => app.close())
beforeEach(async () => {
  reports = []
  down = false
  for (const table of ['rail_orders', 'ledger_incidents', 'webhook_endpoints', 'ledger_payments'])
    await sql(`delete from ${table}`)
})

const sql = (text: string, ...values: unknown[]) => app.deps.database.pool.query(text, values)
const recordIssue = (amount: string) =>
  app.deps.database.db.transaction().execute(tx => {
    const id = randomUUID()
    return recordLedgerReceipt(tx, {
      id,
      asset: null,
      units: parseAmount(amount),
      transferId: null,
      to: 'issued',
    })
  })
const last = () => reports.at(-1)
const kinds = () => last()?.conditions.map(({ kind }) => kind)
const settings = (low: string) =>
  addTreasurySettings(
    app.deps,
    app.deps.database.db,
    { asset: null, by: 'operator:usr_1' },
    {
      low,
      ceiling: null,
      coldAccount: null,
      xlmLow: '1',
    },
  )

describe('the reporter of an anchor', () => {
  it('reports a condition when it begins and ends, and is silent between', async () => {
    const look = createReporter(app.deps)
    await settings('10')
    await look()
    expect(kinds()).toEqual([])
    await look()
    expect(reports).toHaveLength(1)
    await settings('2000000')
    await look()
    await look()
    expect(reports).toHaveLength(2)
    expect(last()?.conditions).toEqual([
      {
        kind: 'treasury-low',
        subject: 'treasury',
        detail: 'The distribution account holds 1000000 MUMBAI. The limit is 2000000 MUMBAI.',
        spanish: 'La cuenta de distribución tiene 1000000 MUMBAI. El umbral es 2000000 MUMBAI.',
      },
    ])
    // It ends a tenth above its limit only, so that it does not come and go.
    await settings('950000')
    await look()
    expect(kinds()).toEqual(['treasury-low'])
    await settings('900000')
    await look()
    expect(kinds()).toEqual([])
  })

  it('reports XLM that a payment waits for at once, and its end when no payment waits', async () => {
    await settings('10')
    const look = createReporter(app.deps)
    await look()
    await sql(
      `insert into ledger_payments (cause, purpose, destination, amount, claimable, wait_code, wait_details)
       values ($1, 'refund', 'G', '1', false, 'xlm', '{"missing":"2.5"}')`,
      randomUUID(),
    )
    await look()
    expect(last()?.conditions[0]).toMatchObject({ kind: 'xlm-low' })
    expect(last()?.conditions[0]?.detail).toContain('1 payment waits: one needs 2.5 XLM.')
    await sql('delete from ledger_payments')
    await look()
    expect(kinds()).toEqual([])
  })

  it('repeats what the platform did not accept', async () => {
    const look = createReporter(app.deps)
    down = true
    await settings('2000000')
    await expect(look()).rejects.toThrow('does not answer')
    down = false
    await look()
    expect(kinds()).toEqual(['treasury-low'])
  })

  it('says nothing about kinds that need the ledger while it does not answer', async () => {
    const away = async () => {
      throw new LedgerError('ledger-unavailable', 'Horizon does not answer.')
    }
    const look = createReporter({
      ...app.deps,
      routineHorizon: { ...app.deps.routineHorizon, account: away },
    })
    await look()
    expect(last()?.evaluated).toEqual([
      'review-waiting',
      'compliance-waiting',
      'webhook-failing',
      'safeguarding-shortfall',
    ])
  })

  it('reports each failed payout and refund once, also those of before its start', async () => {
    const order = (kind: string, state: string) =>
      sql(
        `insert into rail_orders (cause, kind, rail, amount, currency, destination, state, failure)
         values ($1, $2, 'UPI', '10.5', 'INR', '{}', $3, 'account closed')`,
        ...[randomUUID(), kind, state],
      )
    await order('payout', 'failed')
    const look = createReporter(app.deps)
    await look()
    await order('return', 'failed')
    await order('payout', 'paid')
    await look()
    await look()
    expect(reports.flatMap(({ events }) => events).map(({ detail }) => detail)).toEqual([
      'The payout of 10.5 INR over UPI failed: account closed.',
      expect.stringMatching(/^The (bank sent|refund of)/),
      expect.stringMatching(/^The (bank sent|refund of)/),
    ])
    await createReporter(app.deps)()
    expect(last()?.events).toHaveLength(3)
  })

  it('reports what a bank wrote as text that the platform accepts', async () => {
    const reason = `closed\u0007\u001b[0m ${'x'.repeat(290)}${'\u{1F3E6}'.repeat(20)}`
    await sql(
      `insert into rail_orders (cause, kind, rail, amount, currency, destination, state, failure)
       values ($1, 'payout', 'UPI', '10.5', 'INR', '{}', 'failed', $2)`,
      ...[randomUUID(), reason],
    )
    await sql(
      `insert into ledger_incidents (kind, subject, message, details)
       select 'held-receipt', n::text, repeat('long ', 400), '{}' from generate_series(1, 150) n`,
    )
    await sql(
      `insert into ledger_incidents (kind, subject, message, details)
       select 'history-gap', n::text, 'A gap.', '{}' from generate_series(1, 150) n`,
    )
    await createReporter(app.deps)()
    expect(Value.Errors(NotificationReport, last())).toEqual([])
    expect(last()?.events[0]?.detail.isWellFormed()).toBe(true)
  })

  it('reports open incidents, failing webhooks and gaps, and their end', async () => {
    await settings('10')
    const look = createReporter(app.deps)
    await sql(
      `insert into ledger_incidents (kind, subject, message, details)
       values ('unproven-payment', 'a', 'An operator decides.', '{}'), ('history-gap', 'b', 'A gap.', '{}')`,
    )
    await sql(
      `with e as (insert into webhook_endpoints (url, events) values ('https://hooks.example/in', '{*}') returning id)
       insert into webhook_deliveries (endpoint_id, message_id, event, payload, attempts, last_error)
       select id, 'msg_1', 'x', '{}', 4, 'the endpoint answered 500' from e`,
    )
    await look()
    expect(kinds()).toEqual(['review-waiting', 'webhook-failing', 'reconciliation-difference'])
    expect(last()?.conditions[1]?.detail).toContain('hooks.example fail: the endpoint answered 500')
    await sql('update ledger_incidents set resolved_at = now()')
    await sql(`update webhook_deliveries set state = 'delivered', delivered_at = now()`)
    await look()
    expect(kinds()).toEqual([])
  })

  it('reports a difference of ledger and journal that lasts, not a payment on its way', async () => {
    await settings('10')
    await recordIssue('5')
    let now = Date.now()
    const look = createReporter({ ...app.deps, clock: { now: () => new Date(now) } })
    await look()
    expect(kinds()).toEqual([])
    now += 601_000
    await look()
    expect(last()?.conditions).toEqual([
      {
        kind: 'reconciliation-difference',
        subject: 'treasury',
        detail: 'The distribution account holds 5 MUMBAI less than the journal.',
        spanish: 'La cuenta de distribución tiene 5 MUMBAI menos que el diario.',
      },
    ])
  })

  it('reports a difference at once that a comparison recorded before the server slept', async () => {
    await settings('10')
    await reconcile(app.deps, 'schedule')
    await createReporter(app.deps)()
    expect(kinds()).toEqual([])
    await sql(`update reconciliation_differences set created_at = now() - interval '10 minutes'`)
    await createReporter(app.deps)()
    expect(kinds()).toEqual(['reconciliation-difference'])
    await recordIssue('1')
    await createReporter(app.deps)()
    expect(kinds()).toEqual([])
  })
})
