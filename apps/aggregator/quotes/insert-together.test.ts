import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testAggregator, type TestAggregator } from '../testing/aggregator.ts'
import type { QuoteRow } from '../tables.ts'
import { insertQuote } from './insert-together.ts'
import { findQuoteRow } from './queries.ts'

let aggregator: TestAggregator
beforeAll(async () => void (aggregator = await testAggregator({})))
afterAll(() => aggregator.drop())

const quoteOf = (amount: string): QuoteRow => ({
  id: randomUUID(),
  ...{ anchor_id: 'a', amount, currency: 'INR', asset: 'USDC', issuer: null, rail: 'UPI', region: 'IN' },
  ...{ fx_rate: '88.123456789', fee_fixed: '0.1000000', fee_percentage: '0.005000000000000000' },
  ...{ fee_variable: '0.5000000', fee_total: '0.6000000', sell_amount: '8901234.5678901' },
  ...{ firm: false, client: null, reasoning: 'The “cheapest”, of 3.' },
  ...{ created_at: new Date(1_795_000_000_123), expires_at: new Date(1_795_000_300_123) },
})

it('stores each of many quotes as it is, beside all others', async () => {
  const { pool, db } = aggregator.deps.database
  const rows = Array.from({ length: 250 }, (_, n) => quoteOf(`${n + 1}.0000001`))
  await Promise.all(rows.map(row => insertQuote(pool, row)))
  for (const row of rows) expect(await findQuoteRow(db, row.id)).toMatchObject(row)
})

it('refuses one that cannot be, and no other', async () => {
  const { pool, db } = aggregator.deps.database
  const rows = ['1', '2', '3', '4', '-5', '6'].map(amount => quoteOf(`${amount}.0000000`))
  const outcomes = await Promise.allSettled(rows.map(row => insertQuote(pool, row)))
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, true, false, true])
  const stored = await Promise.all(rows.map(async ({ id }) => (await findQuoteRow(db, id)) !== undefined))
  expect(stored).toEqual([true, true, true, true, false, true])
})
