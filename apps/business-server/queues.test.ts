import { millisecondsUntilDue } from '@windlass/service/work/due-work.ts'
import { pagesRead, recordStatements, tablesScanned, type Statement } from '@windlass/testing/statements.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dueWork, workOf } from './due-work.ts'
import { createDeveloperSender } from './outgoing/webhooks/deliver.ts'
import { countDue } from './payments/channels.ts'
import { type BusinessApp, startBusinessApp } from './testing/business-app.ts'

/** Rows that wait, by the statement that adds one for each number from $1 to $2. */
const WAITING: Readonly<Record<string, string>> = {
  ledger_payments: `insert into ledger_payments (cause, purpose, destination, amount)
    select 'c' || n, 'deposit', 'G', 1 from generate_series($1::int, $2::int) n`,
  rail_orders: `insert into rail_orders (cause, kind, rail, amount, currency, destination)
    select 'c' || n, 'payout', 'UPI', 1, 'INR', '{}' from generate_series($1::int, $2::int) n`,
  platform_calls: `insert into platform_calls (method, params)
    select 'notify_customer_info_updated', '{"customer_id": "c"}' from generate_series($1::int, $2::int) n`,
  webhook_deliveries: `insert into webhook_deliveries (endpoint_id, message_id, event, payload)
    select id, 'm' || n, 'transfer.completed', '{}' from generate_series($1::int, $2::int) n
    join (select id, row_number() over () - 1 as place from webhook_endpoints) each on place = n % 20`,
  transfers: `insert into transfers
      (id, sep, direction, state, account, stellar_account, rail, currency, expires_at, message, client_domain)
    select gen_random_uuid(), '6', 'deposit', (array['new', 'identifying', 'awaiting_funds', 'completed'])[1 + n % 4],
      'G' || n, 'G' || n, 'UPI', 'INR', now() - n * interval '1 second', 'm', 'wallet.example'
    from generate_series($1::int, $2::int) n`,
  screened_names: `insert into screened_names (subject_kind, subject_id, role, sealed)
    select 'customer', n, 'customer', 'x' from generate_series($1::int, $2::int) n`,
  customers: `insert into customers (account, indexed)
    select 'G' || n, true from generate_series($1::int, $2::int) n`,
  outbox: `insert into outbox (topic, key, payload)
    select 'decisions', n, '{}' from generate_series($1::int, $2::int) n`,
  key_acts: `insert into key_acts (key_id, action, details, next_try_at, at)
    select 'k', 'customer.read', '{}', now(), now() from generate_series($1::int, $2::int) n`,
  ledger_incidents: `insert into ledger_incidents (kind, subject, record, next_try_at)
    select 'unreadable-payment', n, 'x', now() from generate_series($1::int, $2::int) n`,
  simulated_rail_payments: `insert into simulated_rail_payments
      (id, rail, direction, reference, amount, currency, outcome, due_at)
    select n, 'UPI', 'in', 'r' || n, 1, 'INR', 'paid', now() from generate_series($1::int, $2::int) n`,
}

let app: BusinessApp
let client: pg.Client
beforeAll(async () => {
  const unreachable = async () => {
    throw new Error('not reachable')
  }
  app = await startBusinessApp({ horizon: { head: unreachable, account: unreachable } as never })
  app.deps.sepServer.dueInMs = async () => null
  app.deps.sepServer.send = unreachable
  client = new pg.Client({ connectionString: app.deps.database.url })
  await client.connect()
  await client.query(`insert into webhook_endpoints (url, events, secret)
    select 'https://developer.example/' || n, '{}', 's' from generate_series(1, 20) n`)
})
afterAll(async () => {
  await client.end()
  await app.close()
})

async function wait(from: number, to: number): Promise<void> {
  // Nobody listens.
  await client.query("set session_replication_role = 'replica'")
  for (const insert of Object.values(WAITING)) await client.query(insert, [from, to])
  await client.query("set session_replication_role = 'origin'")
  await client.query('analyze')
}

/** What an act sends first: it fails after that. */
async function statementsOf(act: () => Promise<unknown>): Promise<Statement[]> {
  const recorded = recordStatements(4)
  await Promise.race([act().catch(() => undefined), sleep(5_000)])
  recorded.stop()
  return recorded.statements.filter(({ text }) => /^\s*(select|update|with)/i.test(text))
}

const nothing = async () => undefined
/** Nothing follows, which would count for what is looked at next. */
const never = () => new Promise<never>(() => undefined)

/** What finds and takes rows that wait, of everything that waits. */
async function takes(): Promise<Record<string, Statement[]>> {
  const { deps } = app
  const webhooks = createDeveloperSender({ ...deps, outbound: { request: never } as never })
  const work = dueWork(deps, {
    sendWebhooks: webhooks.round,
    reportDecisions: nothing,
    readPayments: nothing,
  })
  const found: Record<string, Statement[]> = {
    'due times': await statementsOf(() => millisecondsUntilDue(deps.database.db, work)),
    'payments that are due': await statementsOf(() => countDue(deps.database.db)),
    'work of a server': await statementsOf(() => workOf(deps)),
  }
  for (const { name, act } of work) found[name] = await statementsOf(act)
  return found
}

it('takes what waits by as many pages, whether five thousand rows wait or fifty thousand', async () => {
  const read = async () => {
    const pages: Record<string, number> = {}
    for (const [name, statements] of Object.entries(await takes()))
      pages[name] = await pagesRead(client, statements)
    return pages
  }
  await wait(1, 5_000)
  const few = await read()
  await wait(5_001, 50_000)
  const many = await read()
  expect(Object.keys(few)).toEqual(
    expect.arrayContaining(['ledgerPayments', 'railOrders', 'webhooks', 'expiry']),
  )
  // A tree of ten times as many rows may be a level deeper.
  const grown = Object.entries(many).filter(([name, pages]) => pages > 2 * (few[name] ?? 0) + 30)
  expect({ grown, few }).toEqual({ grown: [], few })
  const scanned: string[] = []
  for (const [name, statements] of Object.entries(await takes()))
    for (const statement of statements)
      for (const table of await tablesScanned(client, statement))
        if (table in WAITING) scanned.push(`${name}: ${table}: ${statement.text}`)
  expect(scanned).toEqual([])
}, 300_000)
