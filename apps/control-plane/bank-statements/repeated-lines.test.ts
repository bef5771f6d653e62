import { sharedMigrations } from '@windlass/service/postgres/database.ts'
import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listRepeatedLines } from './repeated-lines.ts'

const business = fileURLToPath(new URL('../../business-server/migrations/', import.meta.url))

let database: TestDatabase
let client: pg.Client
beforeAll(async () => {
  database = await testDatabase(sharedMigrations, business)
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const IBAN = 'DE89370400440532013000'
interface File {
  name: string
  days: [string, string]
  lines: number
  /** Days of the lines that were recorded. */
  recorded: string[]
  rule?: 1 | 2
}
async function readBefore({ name, days, lines, recorded, rule = 1 }: File, at: string): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `insert into bank_statements
       (account, rail, currency, format, file_name, digest, lines, new_lines, booked_from, booked_to, by, rule, created_at)
     values ($1, 'SEPA', 'EUR', 'camt.053', $2, $3, $4, $5, $6, $7, 'folder', $8, $9) returning id`,
    [IBAN, name, Buffer.from(name), lines, recorded.length, ...days, rule, at],
  )
  for (const [index, day] of recorded.entries())
    await client.query(
      `insert into bank_lines
         (id, statement_id, position, account, rail, booked_on, direction, amount, currency, bank_reference, sealed)
       values ($1, $2, $3, $4, 'SEPA', $5, 'in', 50, 'EUR', $6, '')`,
      [`${name} ${index}`, rows[0]?.id, index + 1, IBAN, day, index === 0 ? 'NONREF' : 'B4G29PGDCK1QFV3E'],
    )
}

it('names the files of which lines were taken for earlier ones, and how many of them surely were not', async () => {
  expect(await listRepeatedLines(client)).toEqual({ files: [], lines: [] })
  const [monday, tuesday] = ['2026-11-16', '2026-11-17']
  await readBefore(
    { name: 'monday', days: [monday, monday], lines: 2, recorded: [monday, monday] },
    '2026-11-16T20:00Z',
  )
  // Its line looked like Monday's.
  await readBefore({ name: 'tuesday', days: [tuesday, tuesday], lines: 1, recorded: [] }, '2026-11-17T20:00Z')
  // Monday's two lines again, and Tuesday's, which is left out again.
  await readBefore({ name: 'week', days: [monday, tuesday], lines: 3, recorded: [] }, '2026-11-18T20:00Z')
  await readBefore(
    { name: 'now', days: [monday, monday], lines: 2, recorded: [], rule: 2 },
    '2026-11-19T20:00Z',
  )
  const { files, lines } = await listRepeatedLines(client)
  expect(files).toMatchObject([
    {
      fileName: 'tuesday',
      lines: 1,
      repeated: 1,
      leftOut: 1,
      readAt: '2026-11-17T20:00:00Z',
      bookedFrom: tuesday,
    },
    { fileName: 'week', lines: 3, repeated: 3, leftOut: 1 },
  ])
  expect(lines).toEqual([
    {
      ...{ bookedOn: monday, direction: 'in', amount: '50', currency: 'EUR', bankReference: 'NONREF' },
      fileName: 'monday',
    },
  ])
})

it('reads the tables of an earlier release too, and a database without any', async () => {
  await client.query('alter table bank_statements drop column rule')
  expect((await listRepeatedLines(client)).files.map(({ fileName }) => fileName)).toEqual([
    'tuesday',
    'week',
    'now',
  ])
  const empty = await testDatabase()
  const other = new pg.Client({ connectionString: empty.url })
  await other.connect()
  expect(await listRepeatedLines(other)).toEqual({ files: [], lines: [] })
  await other.end()
  await empty.drop()
})
