import type { DueWork } from '@windlass/service/work/due-work.ts'
import { UnreliableNetwork } from '@windlass/stellar/testing/unreliable-network.ts'
import { KEYS } from '@windlass/testing/razorpay-stand-in.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { dueWork, repeatedWork, workOf } from './due-work.ts'
import { openIncident, resolveIncident } from './payments/incidents.ts'
import { readRailSettings } from './rails/settings.ts'
import { reconcile } from './workspace/reconciliation/reconcile.ts'
import { type BusinessApp, startBusinessApp } from './testing/business-app.ts'

/** Times at which nothing has to happen, by `table.column`, and why. */
const NO_WORK: Readonly<Record<string, string>> = {
  'claimable_balances.reclaim_at': 'next_look_at is when it is looked at next',
  'customer_ratings.left_at':
    'says when a customer was deleted; retention removes old ones each hour that the anchor is awake',
  'firm_rate_totals.expires_at': 'compared when a quote is asked for; old ones are deleted after each start',
  'firm_rates.expires_at': 'compared when a quote is used; old ones are deleted after each start',
  'opened_links.expires_at': 'compared when a page is opened; old ones are deleted after each start',
  'order_binding.until': 'the release before this reads it',
  'payment_pages.expires_at': 'next_check_at is when it is looked at next',
  'rail_disputes.respond_by': 'says until when the provider takes evidence, which people send',
  'reconciliation_differences.due_at': 'compared when open differences are counted',
  'removals.before': 'says how old what was removed had to be',
  'reservations.expires_at': 'compared when reserved amounts are added up',
  'transfers.next_try_at': 'null: release 0.1.0, whose servers run until an upgrade has succeeded, names it',
}
/** Columns that say what has happened. */
const PAST = /^(at|since|(\w+_)?([a-z]+ed|done|found|paid|seen|caught_up|came_back)_at)$/

let app: BusinessApp
beforeAll(async () => {
  const UPI = { provider: 'razorpay', ...KEYS }
  const rails = readRailSettings(
    { RAIL_CREDENTIALS: JSON.stringify({ UPI }) },
    { rails: ['UPI', 'SEPA'], mainnet: false, fallbackSecret: 'r'.repeat(32) },
  )
  const ledger: UnreliableNetwork = new UnreliableNetwork({
    asset: () => `MUMBAI:${app.deps.config.anchor.accounts.issuer}`,
  })
  app = await startBusinessApp({ horizon: ledger }, { rails })
  app.deps.sepServer.dueInMs = async () => null
})
afterAll(() => app.close())
beforeEach(async () => {
  await query('delete from ledger_incidents')
  // All of it was just done.
  await query('delete from reconciliations')
  await reconcile(app.deps, 'operator:usr_1')
  await query('delete from sealing')
  await act('sealing')
})

const query = async (text: string) => (await app.deps.database.pool.query(text)).rows
const nothing = async () => undefined
const queues = () =>
  dueWork(app.deps, { sendWebhooks: nothing, reportDecisions: nothing, readPayments: nothing })
const repeated = (at = Date.now()) =>
  repeatedWork({ ...app.deps, clock: { now: () => new Date(at) } }, nothing)
const act = (name: string) =>
  repeatedWork(app.deps, nothing)
    .find(each => each.name === name)
    ?.act()
const isDue = async ({ dueAt }: Pick<DueWork, 'dueAt'>) =>
  (await sql<{ due: boolean }>`select (${dueAt}) <= now() as due`.execute(app.deps.database.db)).rows[0]?.due

describe('what a sleeping anchor is woken for', () => {
  it('is every time in the database at which something has to happen', async () => {
    const columns = await query(`
      select table_name as table, column_name as column from information_schema.columns
      where table_schema = current_schema() and data_type like 'timestamp%' and table_name <> 'schema_migrations'`)
    const later = columns.filter(({ column }) => !PAST.test(column))
    const queries = queues().map(({ dueAt }) =>
      sql`${dueAt}`.compile(app.deps.database.db).sql.replaceAll('"', ''),
    )
    const isCovered = ({ table, column }: (typeof columns)[number]) =>
      queries.some(text => new RegExp(`from ${table}\\b`).test(text) && text.includes(`min(${column})`))
    const forgotten = later.filter(each => !isCovered(each)).map(({ table, column }) => `${table}.${column}`)
    expect(forgotten.toSorted()).toEqual(Object.keys(NO_WORK).toSorted())
    expect(later.length).toBeGreaterThan(forgotten.length + 8)
  })

  it('is a payment that was set aside, until it is processed or an operator decides', async () => {
    const { db } = app.deps.database
    expect(await workOf(app.deps)).toEqual({ openTransfers: 0, dueInMs: null, lastLedger: null })
    await openIncident(db, {
      ...{ kind: 'unreadable-payment', subject: 'a:1', details: {} },
      ...{ record: Buffer.from('{}'), next_try_at: new Date(Date.now() + 3_600_000) },
    })
    const { dueInMs } = await workOf(app.deps)
    expect(dueInMs).toBeGreaterThan(3_000_000)
    expect(dueInMs).toBeLessThan(4_000_000)
    const [{ id } = { id: '' }] = await query('select id from ledger_incidents')
    await resolveIncident(db, id, { by: 'key', resolution: 'It was returned by hand.' })
    expect((await workOf(app.deps)).dueInMs).toBeNull()
  })
})

describe('work that repeats', () => {
  const overdue = {
    reconciliation: "update reconciliations set at = now() - interval '61 minutes'",
    'round trips': `with rule as (insert into velocity_rules (rules, by)
      values ('[{"kind": "round-trip", "hours": 72, "count": null, "amount": "1"}]', 'operator:asha'))
      insert into elsewhere_asked (at) values (now() - interval '61 minutes')
      on conflict (only_one) do update set at = excluded.at`,
    sealing: "update sealing set since = now() - interval '11 minutes'",
  }

  it('keeps an anchor awake while it is overdue, and never wakes one', async () => {
    for (const [name, text] of Object.entries(overdue)) {
      expect((await workOf(app.deps)).dueInMs).toBeNull()
      await query(text)
      expect((await workOf(app.deps)).dueInMs).toBe(0)
      await act(name)
    }
    expect((await workOf(app.deps)).dueInMs).toBeNull()
  })

  it('is due some seconds after the start', async () => {
    for (const text of Object.values(overdue)) await query(text)
    for (const work of repeated()) expect(await isDue(work)).toBe(false)
    for (const work of repeated(Date.now() - 15_000)) expect(await isDue(work)).toBe(true)
    for (const { act: again } of repeated()) await again()
    for (const work of repeated(Date.now() - 15_000)) expect(await isDue(work)).toBe(false)
  })

  it('keeps no anchor awake where it fails', async () => {
    await query(overdue.reconciliation)
    const away = async () => {
      throw new Error('the ledger is away')
    }
    const works = repeatedWork(app.deps, away)
    const reconciliation = works.find(({ name }) => name === 'reconciliation')
    await expect(reconciliation?.act()).rejects.toThrow('the ledger is away')
    expect((await workOf(app.deps)).dueInMs).toBeNull()
    await query(overdue.sealing)
    expect((await workOf(app.deps)).dueInMs).toBe(0)
  })
})
