import { openDatabase } from '@windlass/service/postgres/database.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { migrations } from './migrations.ts'
import type { Tables } from './tables.ts'
import { createSealer } from '@windlass/service/seals/seal.ts'
import { randomBytes } from 'node:crypto'
import { listCustomers, type CustomerFilter } from './people/customers/customers.ts'

it('a list of customers keeps to its filters, and its pages have each once, however many came within one millisecond', async () => {
  const test = await testDatabase(...migrations)
  const database = openDatabase<Tables>(test.url, { name: 'paging' })
  const { db } = database
  const sealer = createSealer(new Map([[1, randomBytes(32)]]))
  const list = (filter: CustomerFilter) => listCustomers({ database, sealer }, filter, false)
  try {
    await sql`insert into customers (account, created_at)
      select 'G' || n, '2026-01-01T00:00:00Z'::timestamptz + n * interval '173 microseconds'
      from generate_series(1, 20) n`.execute(db)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await list({ limit: 3, ...(cursor ? { cursor } : {}) })
      seen.push(...page.map(({ id }) => id))
      const last = page.at(-1)
      cursor = last && Buffer.from(`${last.created_at.toISOString()}|${last.id}`).toString('base64url')
    } while (cursor)
    expect(seen).toHaveLength(20)
    expect(new Set(seen).size).toBe(20)
    expect(await list({ status: 'NEEDS_INFO', account: 'G7' })).toHaveLength(1)
    expect(await list({ status: 'ACCEPTED' })).toEqual([])
  } finally {
    await database.close()
    await test.drop()
  }
})
