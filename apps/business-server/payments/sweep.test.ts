import { Memo, Operation } from '@stellar/stellar-sdk/base'
import type { TreasurySettings } from '@windlass/contracts/anchor/business-server.ts'
import { amountOf, formatAmount } from '@windlass/money/amount.ts'
import { PLATFORM_PROOF_HEADER as PROOF } from '@windlass/service/http/platform-proof.ts'
import { readScalar } from '@windlass/service/postgres/scalars.ts'
import { generateKey, type AccountKey } from '@windlass/stellar/keys.ts'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { balanceOf, dailyOutflow, listBalances } from '../money/journal/journal.ts'
import { evaluateConditions } from '../workspace/notifications/conditions.ts'
import { asPlatform } from '../testing/as-platform.ts'
import { LedgerAnchor } from '../testing/ledger-anchor.ts'
import { readTreasury } from '../money/treasury/treasury.ts'
import { observePayments } from './observe.ts'
import { sweepExcess } from './sweep.ts'

let anchor: LedgerAnchor
const cold: AccountKey = generateKey()
beforeAll(async () => {
  anchor = await LedgerAnchor.start()
  await anchor.issue()
  await anchor.fund(cold)
  await observePayments(anchor.deps)
})
afterAll(() => anchor.stop())

const secrets = () => anchor.deps.config.secrets
const put = async (settings: Partial<TreasurySettings>, headers: object = asPlatform(secrets())) => {
  const answer = await anchor.app.server.app.inject({
    method: 'PUT',
    url: '/admin/treasury-settings',
    headers: { ...headers },
    payload: {
      low: '1000',
      ceiling: null,
      coldAccount: null,
      xlmLow: '1',
      by: 'operator:usr_1',
      ...settings,
    },
  })
  return { status: answer.statusCode, body: answer.json() }
}
const sweeps = () =>
  anchor.rows<{ state: string; amount: string; wait_code: string | null }>(
    `select state, amount::float::text as amount, wait_code from ledger_payments
     where purpose = 'sweep' order by created_at`,
  )
const conditions = async () =>
  (await evaluateConditions(anchor.deps, { conditions: [], differences: new Map() })).conditions
const journal = async (account: 'treasury' | 'cold') =>
  formatAmount(await balanceOf(anchor.deps.database.db, account, 'asset'))
const anHourPasses = () => anchor.rows(`update ledger_payments set paid_at = paid_at - interval '1 hour'`)

describe('the settings of the treasury', () => {
  it('keep every version with its author, and refuse what would lose money', async () => {
    expect((await put({ low: '5000' })).body).toMatchObject({
      settings: { low: '5000', ceiling: null, coldAccount: null },
      history: [{ by: 'operator:usr_1', settings: { low: '5000' } }],
    })
    const own = [anchor.issuer.publicKey, anchor.distribution.publicKey]
    for (const coldAccount of [...own, 'GNOACCOUNT'])
      expect((await put({ ceiling: '900000', coldAccount })).status).toBe(400)
    expect((await put({ ceiling: '1000' })).status).toBe(400)
    for (const low of ['-1', '999999999999999999', 'much']) expect((await put({ low })).status).toBe(400)
    expect((await put({ ceiling: '999999999999999999' })).status).toBe(400)
    expect((await put({ coldAccount: cold.publicKey })).status).toBe(400)
    expect((await put({})).body.history).toHaveLength(2)
    const { pool } = anchor.deps.database
    const reader = `settings_reader_${randomBytes(4).toString('hex')}`
    await pool.query(`create role ${reader}`)
    await pool.query(`select grant_server_rights('${reader}')`)
    const { rows } = await pool.query(
      `select has_table_privilege('${reader}', 'treasury_settings', 'update') as changes,
        has_table_privilege('${reader}', 'treasury_settings', 'insert') as adds`,
    )
    expect(rows).toEqual([{ changes: false, adds: true }])
    await pool.query(`drop owned by ${reader}`)
    await pool.query(`drop role ${reader}`)
  })
})

it('the settings of the treasury are not set with the summary secret alone, which the aggregator has', async () => {
  const reading = { 'x-service-secret': secrets().summary }
  const { body } = await put({})
  for (const proof of [undefined, 'x', asPlatform({ ...secrets(), service: 'of another anchor' })[PROOF]]) {
    const headers = proof === undefined ? reading : { ...reading, [PROOF]: proof }
    expect((await put({ low: '7' }, headers)).status).toBe(401)
  }
  const { app } = anchor.app.server
  const shown = await app.inject({ url: '/admin/treasury-settings', headers: reading })
  expect(shown.json()).toEqual(body)
})

describe('a sweep', () => {
  it('waits for the cold account’s trustline, is shown, and ends with other settings', async () => {
    await put({ ceiling: '900000', coldAccount: cold.publicKey })
    await Promise.allSettled([sweepExcess(anchor.deps), sweepExcess(anchor.deps)])
    await anchor.pay()
    expect(await sweeps()).toEqual([{ state: 'queued', amount: '25000', wait_code: 'no-trustline' }])
    expect(await conditions()).toContainEqual({
      kind: 'treasury-high',
      subject: 'treasury',
      detail: expect.stringContaining('A sweep waits: Trustline missing'),
      spanish: expect.any(String),
    })
    await put({ ceiling: '900000' })
    expect(await sweeps()).toMatchObject([{ state: 'canceled' }])
    expect(formatAmount((await readTreasury(anchor.deps, null)).reserved)).toBe('0')
  })

  it('brings what exceeds the ceiling to the cold account once in an hour, part by part, by the journal', async () => {
    await anchor.apply(cold, [Operation.changeTrust({ asset: anchor.asset })])
    await put({ ceiling: '960000', coldAccount: cold.publicKey })
    await sweepExcess(anchor.deps)
    await anchor.pay()
    await sweepExcess(anchor.deps)
    expect(await anchor.held(cold)).toBe('25000.0000000')
    await anHourPasses()
    await sweepExcess(anchor.deps)
    await anchor.pay()
    expect(await anchor.held(cold)).toBe('40000.0000000')
    await anHourPasses()
    await sweepExcess(anchor.deps)
    expect((await sweeps()).map(({ state, amount }) => `${state} ${amount}`)).toEqual([
      'canceled 25000',
      'paid 25000',
      'paid 15000',
    ])
    expect([await journal('treasury'), await journal('cold')]).toEqual(['960000', '40000'])
    expect(await conditions()).toEqual([])
  })

  it('is paid once where the process dies at any point of it', async () => {
    await put({ ceiling: '940000', coldAccount: cold.publicKey })
    await sweepExcess(anchor.deps)
    for (const point of ['payment:taken', 'envelope:stored', 'envelope:applied', 'payment:noted'])
      await anchor.payUntil(point)
    await anchor.pay()
    expect(await anchor.held(cold)).toBe('60000.0000000')
    expect(await journal('cold')).toBe('60000')
  })

  it('leaves what is reserved', async () => {
    await anHourPasses()
    await put({ ceiling: '900000', coldAccount: cold.publicKey })
    await anchor.rows(`insert into reservations (id, amount) values ('quote', 35000)`)
    await sweepExcess(anchor.deps)
    expect((await sweeps()).at(-1)).toMatchObject({ state: 'paid', amount: '20000' })
    await anchor.rows(`delete from reservations`)
  })
})

describe('a sweep that is being signed', () => {
  it('is not canceled by settings that come before its transaction is stored', async () => {
    const { pool } = anchor.deps.database
    await put({ ceiling: '900000', coldAccount: cold.publicKey })
    await sweepExcess(anchor.deps)
    const worker = await pool.connect()
    await worker.query('begin')
    await worker.query(
      `insert into ledger_envelopes (hash, payment_id, xdr, source, sequence, max_time, ledger_sequence, ledger_hash)
       select 'signed', id, '', '', '1', 1, 1, '' from ledger_payments where purpose = 'sweep' and state = 'queued'`,
    )
    const changed = put({ ceiling: '900000' })
    await sleep(300)
    await worker.query('commit')
    worker.release()
    expect((await changed).status).toBe(200)
    expect((await sweeps()).at(-1)).toMatchObject({ state: 'queued' })

    await pool.query("delete from ledger_envelopes where hash = 'signed'")
    await put({ ceiling: '900000' })
    expect((await sweeps()).at(-1)).toMatchObject({ state: 'canceled' })
    expect(formatAmount((await readTreasury(anchor.deps, null)).reserved)).toBe('0')
  })
})

describe('a top-up', () => {
  it('is what the cold account sends back, and no refund', async () => {
    const before = await anchor.transactions()
    const destination = anchor.distribution.publicKey
    const payment = Operation.payment({ asset: anchor.asset, amount: '10000', destination })
    await anchor.apply(cold, [payment], Memo.text('top-up'))
    await observePayments(anchor.deps)
    await anchor.pay()
    expect(await anchor.transactions()).toBe(before + 1)
    expect([await journal('treasury'), await journal('cold')]).toEqual(['950000', '50000'])
    const balances = await listBalances(anchor.deps.database.db)
    expect(balances.map(({ account }) => account).toSorted()).toEqual(['cold', 'issued', 'treasury'])
  })
})

it('the forecast is what customers take out in a day, by the journal, without sweeps and top-ups', async () => {
  const { db, pool } = anchor.deps.database
  expect(await readScalar(db, dailyOutflow(null))).toBeNull()
  await pool.query('alter table journal_entries disable trigger all')
  await pool.query(`update journal_entries set created_at = now() - interval '10 days' where kind = 'issue'`)
  await pool.query('alter table journal_entries enable trigger all')
  expect(formatAmount((await readScalar(db, dailyOutflow(null))) ?? amountOf(-1n))).toBe('0')
  await pool.query(
    `with e as (insert into journal_entries (cause, kind) values ('paid', 'ledger-deposit') returning id)
     insert into journal_lines select id, account, 'asset', amount from e,
       (values ('customers', 50000), ('treasury', -50000)) as line (account, amount)`,
  )
  expect(formatAmount((await readScalar(db, dailyOutflow(null))) ?? amountOf(-1n))).toBe('5000')
  const summary = await anchor.app.server.app.inject({
    url: '/admin/summary',
    headers: { 'x-service-secret': 'm'.repeat(32) },
  })
  expect(summary.json().treasury).toMatchObject({
    outflowPerDay: '5000',
    daysLeft: 190,
    cold: '50000',
    topUp: { account: anchor.distribution.publicKey, memo: 'top-up' },
  })
})
