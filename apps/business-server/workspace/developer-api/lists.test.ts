import type { Figures } from '@windlass/contracts/anchor/developer-api.ts'
import { amountOf } from '@windlass/money/amount.ts'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeCustomer, ensureCustomer } from '../../people/customers/customers.ts'
import { deleteCustomer } from '../../people/customers/sep12.ts'
import { setTier } from '../../people/customers/tiers.ts'
import { recordEntry, reverseEntry, type Line } from '../../money/journal/journal.ts'
import { pruneFirmRates } from '../../transfers/quotes/firm-rates.ts'
import { asPlatform } from '../../testing/as-platform.ts'
import { type BusinessApp, startBusinessApp } from '../../testing/business-app.ts'

let business: BusinessApp
beforeAll(async () => {
  const scopes = ['read', 'webhooks'] as const
  const verify = async () => ({ anchorId: 'mumbai00000000000000', keyId: 'k', scopes })
  business = await startBusinessApp({ keys: { verify } })
})
afterAll(() => business.close())

/** The ids of every page, following `Link`. */
async function readAll(path: string): Promise<string[]> {
  const ids: string[] = []
  let url = `${path}?limit=10`
  while (url) {
    const answer = await business.server.app.inject({ url, headers: { authorization: 'Bearer key' } })
    expect(answer.statusCode).toBe(200)
    ids.push(...answer.json<{ id: string }[]>().map(({ id }) => id))
    url = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers.link ?? ''))?.[1] ?? ''
  }
  return ids
}

it('lists every webhook endpoint over its pages, also those of one moment', async () => {
  const { rows } = await business.deps.database.pool.query<{ id: string }>(
    `insert into webhook_endpoints (url, events, secret, created_at)
     select 'https://hooks.example/' || n, array['*'], 'whsec_x', clock_timestamp() - n / 7 * interval '1 ms'
     from generate_series(1, 34) n returning id`,
  )
  const listed = await readAll('/api/v1/webhook-endpoints')
  expect(listed).toHaveLength(34)
  expect(new Set(listed)).toEqual(new Set(rows.map(({ id }) => id)))
})

it('lists every incident over its pages, open ones first', async () => {
  const { rows } = await business.deps.database.pool.query<{ id: string; open: boolean }>(
    `insert into ledger_incidents (kind, subject, details, found_at, resolved_at, resolution)
     select 'history-gap', n::text, '{"lastRead":3,"elder":9}', now() - n / 5 * interval '1 s',
       case when n % 2 = 0 then now() end, case when n % 2 = 0 then 'done' end
     from generate_series(1, 34) n returning id, resolved_at is null as open`,
  )
  const listed = await readAll('/api/v1/ledger-incidents')
  expect(new Set(listed)).toEqual(new Set(rows.map(({ id }) => id)))
  const open = new Set(rows.filter(row => row.open).map(({ id }) => id))
  expect(listed.map(id => open.has(id))).toEqual([...Array(17).fill(true), ...Array(17).fill(false)])
})

describe('the figures', () => {
  const ask = (query: string) =>
    business.server.app.inject({
      url: `/api/v1/figures${query}`,
      headers: { authorization: 'Bearer key' },
    })
  const read = async (query = '') => (await ask(query)).json<Figures>()
  const sql = (text: string, ...values: unknown[]) => business.deps.database.pool.query(text, values)
  const exchange = (kind: string, customers: bigint, fees: bigint) => {
    const lines: Line[] = [
      ['customers', 'asset', amountOf(customers)],
      ['fees', 'asset', amountOf(-fees)],
      ['exchange', 'asset', amountOf(fees - customers)],
    ]
    return business.deps.database.db
      .transaction()
      .execute(tx => recordEntry(tx, { cause: randomUUID(), kind, lines }))
  }

  it('are zero on every day of a new anchor', async () => {
    const today = () => new Date().toISOString().slice(0, 10)
    const before = today()
    const { days, pending, funnel, completion } = await read()
    expect(days).toHaveLength(30)
    const none = { count: 0, amount: '0' }
    for (const day of days) expect(day).toMatchObject({ deposits: none, withdrawals: none, fees: '0' })
    expect([before, today()]).toContain(days.at(-1)?.day)
    expect([pending, completion]).toEqual([[], null])
    expect(funnel).toEqual({ started: 0, agreed: 0, paid: 0, completed: 0 })
  })

  it('come from the journal, without a deposit that was given back', async () => {
    await exchange('deposit', -100_0000000n, 1_0000000n)
    await exchange('deposit', -50_0000000n, 5000000n)
    await exchange('uncovered', 50_0000000n, -5000000n)
    await exchange('payout', 20_0000000n, 2000000n)
    // Units that move on the ledger are no volume of their own.
    await exchange('ledger-deposit', 100_0000000n, 0n)
    const { days } = await read('?days=2')
    expect(days).toHaveLength(2)
    expect(days.at(-1)).toMatchObject({
      deposits: { count: 1, amount: '100' },
      withdrawals: { count: 1, amount: '20' },
      fees: '1.2',
    })
  })

  it('say what the treasury held each day, and what came and went over rails', async () => {
    const { db } = business.deps.database
    const record = (cause: string, lines: Line[]) =>
      db.transaction().execute(tx => recordEntry(tx, { cause, kind: 'test', lines }))
    const units = (amount: bigint): Line[] => [
      ['treasury', 'asset', amountOf(amount)],
      ['issued', 'asset', amountOf(-amount)],
    ]
    const rupees = (amount: bigint): Line[] => [
      ['rail:UPI', 'INR', amountOf(amount)],
      ['exchange', 'INR', amountOf(-amount)],
    ]
    const held = (await read('?days=3')).days.map(({ treasury }) => Number(treasury))
    await sql(`alter table journal_entries alter created_at set default now() - interval '1 day'`)
    await record('flow-old', units(40_0000000n))
    await sql('alter table journal_entries alter created_at set default clock_timestamp()')
    await record('flow-new', units(-15_0000000n))
    await record('cash-in', rupees(500_0000000n))
    await record('cash-out', rupees(-120_0000000n))
    await record('cash-taken-back', rupees(-30_0000000n))
    await db.transaction().execute(tx => reverseEntry(tx, 'cash-taken-back'))
    const { days, cash } = await read('?days=3')
    expect(days.map(({ treasury }) => Number(treasury))).toEqual([held[0], held[1]! + 40, held[2]! + 25])
    expect(cash).toEqual([{ day: days.at(-1)?.day, rail: 'UPI', currency: 'INR', in: '500', out: '120' }])
  })

  it('belong to the day of the reader’s time zone', async () => {
    // At any moment these two zones have different dates.
    const [east, west] = [await read('?timeZone=Pacific/Kiritimati'), await read('?timeZone=Pacific/Niue')]
    expect(east.days.at(-1)?.day).not.toBe(west.days.at(-1)?.day)
    for (const { days } of [east, west]) expect(days.at(-1)?.deposits).toEqual({ count: 1, amount: '100' })
  })

  it('count how far transactions came, what is pending and how long completion took', async () => {
    const { rows } = await sql(
      `insert into transfers (id, sep, direction, state, account, stellar_account, rail, currency, amount)
       select gen_random_uuid(), '24', direction, state, 'GA', 'GA', 'UPI', 'INR', 10
       from (values ('deposit', 'new'), ('deposit', 'awaiting_funds'), ('deposit', 'completed'),
         ('withdrawal', 'paying_out'), ('withdrawal', 'completed')) as each (direction, state)
       returning id, direction, state`,
    )
    for (const { id, state } of rows) {
      const reached: Record<string, string[]> = {
        awaiting_funds: ['awaiting_funds'],
        paying_out: ['awaiting_funds', 'funded', 'paying_out'],
        completed: ['awaiting_funds', 'funded', 'completed'],
      }
      for (const [index, to] of (reached[state] ?? []).entries())
        await sql(
          `insert into transfer_steps (transfer_id, from_state, to_state, why, at)
           values ($1, 'new', $2, 'x', now() + $3 * interval '5 s')`,
          id,
          to,
          index,
        )
    }
    const { pending, funnel, completion } = await read()
    expect(funnel).toEqual({ started: 5, agreed: 4, paid: 3, completed: 2 })
    expect(pending).toEqual([
      { kind: 'deposit', status: 'awaiting_funds', count: 1, amount: '10' },
      { kind: 'withdrawal', status: 'paying_out', count: 1, amount: '10' },
    ])
    expect(completion).toEqual({ median: 5, p95: 5 })
  })

  it('refuse a time zone that there is not, and more days than are shown', async () => {
    const refused = await ask('?timeZone=Mars/Base')
    expect(refused.statusCode).toBe(400)
    expect(refused.json()).toMatchObject({ errors: [{ path: 'timeZone' }] })
    expect((await ask('?days=91')).statusCode).toBe(400)
  })
})

it('a transaction has the notes of its operators, at most 200, and the times of its steps', async () => {
  const { pool, db } = business.deps.database
  const { rows } = await pool.query<{ id: string }>(
    `insert into transfers (id, sep, direction, state, account, stellar_account, rail, currency)
     values (gen_random_uuid(), '24', 'deposit', 'new', 'GA', 'GA', 'UPI', 'INR') returning id`,
  )
  const id = rows[0]?.id ?? ''
  const add = (text: string, to = id, proven = true) => {
    const { secrets } = business.deps.config
    const headers = proven ? asPlatform(secrets) : { 'x-service-secret': secrets.summary }
    const url = `/admin/transactions/${to}/notes`
    return business.server.app.inject({
      method: 'POST',
      url,
      headers,
      payload: { text, by: 'operator:usr_1' },
    })
  }
  expect((await add('The customer called.')).statusCode).toBe(201)
  expect((await add('x', randomUUID())).statusCode).toBe(404)
  expect((await add('x', id, false)).statusCode).toBe(401)
  const read = await business.server.app.inject({
    url: `/api/v1/transactions/${id}`,
    headers: { authorization: 'Bearer key' },
  })
  expect(read.json().notes).toEqual([
    { id: expect.any(String), text: 'The customer called.', by: 'operator:usr_1', at: expect.any(String) },
  ])
  await db
    .insertInto('transfer_notes')
    .values(Array.from({ length: 199 }, () => ({ transfer_id: id, by: 'operator:usr_1', text: 'more' })))
    .execute()
  expect((await add('one too many')).statusCode).toBe(400)
})

it('a customer has an overview without personal details, with notes that are deleted with them', async () => {
  const { deps, server } = business
  const { id } = await ensureCustomer(deps, `G${'N'.repeat(55)}`, '7')
  await changeCustomer(deps, id, {
    fields: { first_name: 'Asha', bank_account_number: '99887766' },
    centralId: 'nia',
  })
  await setTier(deps, id, { tier: 'enhanced', reason: 'Saw the passport.', by: 'operator:usr_1' })
  const add = (text: string, headers: Record<string, string> = asPlatform(deps.config.secrets), to = id) =>
    server.app.inject({
      method: 'POST',
      url: `/admin/customers/${to}/notes`,
      headers,
      payload: { text, by: 'operator:usr_1' },
    })
  const read = async () =>
    server.app.inject({ url: `/api/v1/customers/${id}/overview`, headers: { authorization: 'Bearer key' } })
  expect((await add('Called about a payout.')).statusCode).toBe(201)
  expect((await add('x', { 'x-service-secret': deps.config.secrets.summary })).statusCode).toBe(401)
  expect((await add('x', undefined, randomUUID())).json().code).toBe('customer-not-found')
  const overview = await read()
  expect(overview.json()).toMatchObject({
    status: 'NEEDS_INFO',
    tier: 'enhanced',
    memo: '7',
    checked: null,
    held: ['bank_account_number', 'first_name'],
    tiers: [{ tier: 'enhanced', reason: 'Saw the passport.', by: 'operator:usr_1' }],
    notes: [{ text: 'Called about a payout.', by: 'operator:usr_1' }],
  })
  expect(overview.body).not.toMatch(/Asha|99887766/)
  await deps.database.pool.query(
    `insert into customer_notes (customer_id, by, text) select $1, 'operator:usr_1', 'n' from generate_series(1, 199)`,
    [id],
  )
  expect((await add('one too many')).statusCode).toBe(400)
  await deleteCustomer(deps, id, async () => ({ transactions: [], moved: false }))
  expect((await read()).statusCode).toBe(404)
  const { rows } = await deps.database.pool.query('select from customer_notes where customer_id = $1', [id])
  expect(rows).toEqual([])
})

describe('the transactions of a person', () => {
  const wallet = (letter: string) => `G${letter.repeat(55)}`
  const insert = async (account: string, person: string | null, minutesAgo: number, sep = '24') => {
    const { rows } = await business.deps.database.pool.query<{ id: string }>(
      `insert into transfers (id, sep, direction, state, account, stellar_account, rail, currency, person, created_at)
       values (gen_random_uuid(), $1, 'deposit', 'completed', $2, $2, 'UPI', 'INR', $3,
         date_trunc('milliseconds', now()) - $4 * interval '1 minute') returning id`,
      [sep, account, person, minutesAgo],
    )
    return rows[0]?.id ?? ''
  }
  const read = async (
    body: object,
    headers: Record<string, string> = asPlatform(business.deps.config.secrets),
  ) =>
    business.server.app.inject({ method: 'POST', url: '/admin/person-transactions', headers, payload: body })

  it('are those of accounts that are proven to be theirs, over its pages', async () => {
    await business.deps.database.pool.query(
      `insert into customers (account, memo, central_id, linked_to) values
       ($1, null, 'asha', null), ($2, null, 'asha', null), ($3, null, null, 'asha'), ($4, null, 'ravi', null)`,
      ['B', 'C', 'D', 'E'].map(wallet),
    )
    const own = [await insert(wallet('B'), 'asha', 1), await insert(wallet('C'), null, 2)]
    // Linked without proof, of someone else, agreed by an earlier owner of the account, of a sending anchor.
    await insert(wallet('D'), 'asha', 3)
    await insert(wallet('E'), 'ravi', 4)
    await insert(wallet('B'), 'ravi', 5)
    await insert(wallet('B'), null, 6, '31')
    const all = (await read({ personId: 'asha' })).json()
    expect(all.transactions.map(({ id }: { id: string }) => id)).toEqual(own)
    expect(all.next).toBeNull()
    const first = (await read({ personId: 'asha', limit: 1 })).json()
    const second = (await read({ personId: 'asha', limit: 1, cursor: first.next })).json()
    expect([first, second].map(page => page.transactions[0].id)).toEqual(own)
    expect((await read({ personId: 'asha', kind: 'withdrawal' })).json().transactions).toEqual([])
    expect((await read({ personId: 'nobody' })).json()).toEqual({ transactions: [], next: null })
  })

  it('are for the platform alone, not for the aggregator, which has the summary secret', async () => {
    const { summary } = business.deps.config.secrets
    expect((await read({ personId: 'asha' }, { 'x-service-secret': summary })).statusCode).toBe(401)
  })
})

it('firm rates that no transfer used are deleted 30 days after they expired', async () => {
  const { pool, db } = business.deps.database
  const insert = async (daysAgo: number, transfer: string | null) => {
    const { rows } = await pool.query<{ id: string }>(
      `insert into firm_rates (sell_asset, buy_asset, amount, fee, fiat_amount, currency, expires_at, transfer_id)
       values ('a', 'b', 1, 0, 1, 'INR', now() - $1 * interval '1 day', $2) returning id`,
      [daysAgo, transfer],
    )
    return rows[0]?.id ?? ''
  }
  const [unused, used, recent] = [
    await insert(31, null),
    await insert(31, '00000000-0000-4000-8000-000000000001'),
    await insert(29, null),
  ]
  await pruneFirmRates(db)
  const { rows } = await pool.query<{ id: string }>('select id from firm_rates where id = any($1)', [
    [unused, used, recent],
  ])
  expect(rows.map(({ id }) => id).sort()).toEqual([used, recent].sort())
})
