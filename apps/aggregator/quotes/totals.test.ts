import { parseAmount } from '@windlass/money/amount.ts'
import { migrate, openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { recordStatements, rowsRead } from '@windlass/testing/statements.ts'
import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { testAggregator, type TestAggregator } from '../testing/aggregator.ts'
import type { QuoteRow, Tables } from '../tables.ts'
import { ownMigrations } from '../start.ts'
import { pruneQuotes, reservedBy } from './queries.ts'

let aggregator: TestAggregator
beforeAll(async () => {
  // Connections that prepare statements keep what they are made with.
  recordStatements().stop()
  aggregator = await testAggregator({})
})
afterAll(() => aggregator.drop())
const query = async (text: string, values: readonly unknown[] = []) =>
  (await aggregator.deps.database.pool.query(text, [...values])).rows
beforeEach(() => query('delete from quotes'))

const NOW = Math.floor(Date.now() / 1000) * 1000

interface Facts {
  anchor_id: string
  asset: string
  issuer: string | null
  client: string | null
  firm: boolean
  stroops: number
  /** Milliseconds before the time of the test. */
  age: number
}
const quoteOf = ({ stroops, age, ...given }: Facts): QuoteRow => ({
  ...{ id: randomUUID(), ...given, amount: (stroops / 10_000_000).toFixed(7) },
  ...{ currency: 'INR', rail: 'UPI', region: 'IN', fx_rate: '88', reasoning: 'x', sell_amount: '1.0000000' },
  ...{ fee_fixed: '0.1000000', fee_percentage: '0.005', fee_variable: '0.5000000', fee_total: '0.6000000' },
  ...{ created_at: new Date(NOW - age), expires_at: new Date(NOW - age + 300_000) },
})
const facts = fc.record<Facts>({
  anchor_id: fc.constantFrom('anc_1', 'anc_2'),
  asset: fc.constantFrom('USDC', 'USDC:polygon', 'EURC'),
  issuer: fc.constantFrom('GA', null),
  client: fc.constantFrom('one', 'two', null),
  firm: fc.constantFrom(true, true, false),
  stroops: fc.integer({ min: 1, max: 999_999_999 }),
  // At both ends of what counts, and between.
  age: fc.oneof(
    ...[300_000, 900_000].map(at => fc.integer({ min: at - 6_000, max: at + 6_000 })),
    fc.integer({ min: -1_000, max: 1_200_000 }),
  ),
})
const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('add' as const), facts }) },
  fc.record({ kind: fc.constant('change' as const), facts, place: fc.nat({ max: 20 }) }),
  fc.record({ kind: fc.constant('remove' as const), place: fc.nat({ max: 20 }) }),
  fc.record({ kind: fc.constant('prune' as const) }),
)
type Act = typeof act extends fc.Arbitrary<infer Of> ? Of : never

async function perform(given: Act): Promise<unknown> {
  const { db } = aggregator.deps.database
  if (given.kind === 'prune') return pruneQuotes(db, new Date(NOW - 30 * 86_400_000))
  if (given.kind === 'add') return db.insertInto('quotes').values(quoteOf(given.facts)).execute()
  const [row] = await query('select id from quotes order by id offset $1 limit 1', [given.place])
  if (given.kind === 'remove') return query('delete from quotes where id = $1', [row?.id])
  const { id: _, ...changed } = quoteOf(given.facts)
  return row && db.updateTable('quotes').set(changed).where('id', '=', row.id).execute()
}

/** What the rows say, read one by one. */
async function sumOf(quote: QuoteRow) {
  const [row] = await query(
    `select coalesce(sum(amount) filter (where expires_at > $1), 0)::text as open,
       coalesce(sum(amount) filter (where client = $2), 0)::text as by_client
     from quotes where anchor_id = $3 and firm and issuer is not distinct from $4
       and split_part(asset, ':', 1) = $5 and created_at > $1::timestamptz - interval '15 minutes'`,
    [quote.created_at, quote.client, quote.anchor_id, quote.issuer, quote.asset.split(':')[0]],
  )
  return { open: parseAmount(row?.open), byClient: parseAmount(row?.by_client) }
}

it('what is reserved is what the rows say, whatever became of them', async () => {
  await fc.assert(
    fc
      .asyncProperty(
        fc.array(act, { minLength: 1, maxLength: 40 }),
        fc.array(facts, { minLength: 8 }),
        async (acts, asked) => {
          for (const each of acts) await perform(each)
          for (const each of asked) {
            const quote = quoteOf({ ...each, age: each.age % 5_000 })
            expect(await reservedBy(aggregator.deps.database.db, quote)).toEqual(await sumOf(quote))
          }
        },
      )
      .beforeEach(async () => void (await query('delete from quotes'))),
    { numRuns: 60 },
  )
}, 180_000)

it('what is reserved is what the rows of the release before say', async () => {
  const before = mkdtempSync(join(tmpdir(), 'migrations-'))
  for (const file of readdirSync(ownMigrations))
    if (file < '0500') cpSync(join(ownMigrations, file), join(before, file))
  const { url, drop } = await testDatabase()
  const database = openDatabase<Tables>(url, { name: 'test' })
  const quotes = fc.sample(facts, { numRuns: 200, seed: 1 }).map(quoteOf)
  try {
    await migrate(database.pool, [sharedMigrations, before])
    await database.db.insertInto('quotes').values(quotes).execute()
    await migrate(database.pool, [sharedMigrations, ownMigrations])
    await aggregator.deps.database.db.insertInto('quotes').values(quotes).execute()
    for (const each of fc.sample(facts, { numRuns: 50, seed: 2 })) {
      const quote = quoteOf({ ...each, age: 0 })
      expect(await reservedBy(database.db, quote)).toEqual(await sumOf(quote))
    }
  } finally {
    await database.close()
    await drop()
    rmSync(before, { recursive: true })
  }
}, 120_000)

it('a firm quote reads as many rows, but those of five seconds, whether there are 2,000 others or 15,000', async () => {
  const { databaseUrl } = aggregator
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const asked = { anchor_id: 'anc_1', asset: 'USDC', issuer: 'GA', client: 'one', firm: true, stroops: 1 }
  const open = async (count: number) => {
    const [row] = await aggregator.deps.database.db
      .insertInto('quotes')
      .values(quoteOf({ ...asked, age: 0 }))
      .returning('id')
      .execute()
    const names = Object.keys(quoteOf({ ...asked, age: 0 })).filter(
      name => !['id', 'created_at', 'expires_at'].includes(name),
    )
    await query(
      `insert into quotes (id, created_at, expires_at, ${names.join(', ')})
       select gen_random_uuid(), created_at - age, expires_at - age, ${names.join(', ')}
       from quotes, generate_series(1, $2::int) n, lateral (select (n * 7 % 800) * interval '1 second' as age) ages
       where id = $1`,
      [row?.id, count],
    )
    await query('analyze quotes')
    await query('analyze firm_quote_totals')
    const recorded = recordStatements()
    await reservedBy(aggregator.deps.database.db, quoteOf({ ...asked, age: 0 }))
    recorded.stop()
    return rowsRead(client, recorded.statements)
  }
  try {
    const few = await open(2_000)
    expect(few).toBeGreaterThan(200)
    // The quotes of the span that ends.
    expect(await open(15_000)).toBeLessThan(few + 300)
  } finally {
    await client.end()
  }
}, 120_000)
