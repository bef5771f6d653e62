import { ownPostgres } from '@windlass/testing/own-postgres.ts'
import { sql } from 'kysely'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isDatabaseAway } from '../observe/outage.ts'
import { openDatabase, type Database } from './database.ts'

let postgres: Awaited<ReturnType<typeof ownPostgres>>
let database: Database<never>
beforeAll(async () => {
  postgres = await ownPostgres()
  database = openDatabase(postgres.url, { name: 'frozen', max: 2, prepared: true })
})
afterAll(async () => {
  await database.close()
  await postgres.remove()
})

const one = () => sql`select ${1}::integer as one`.execute(database.db)

/** Each process of the server, as when its machine stands still: sockets stay open and nothing is answered. */
function signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void {
  const { pid } = postgres
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  for (const each of [pid, ...children.map(Number)]) process.kill(each, signal)
}

it.runIf(process.platform === 'linux')(
  'a Postgres that stands still is an outage for queries and transactions under way, and is used again afterwards',
  async () => {
    await one()
    const inTransaction = database.db.transaction().execute(async tx => {
      await sql`select 1`.execute(tx)
      signalAll('SIGSTOP')
      await sql`select 2`.execute(tx)
    })
    const failures = await Promise.all(
      [inTransaction, one()].map(each => each.catch((error: unknown) => error)),
    )
    signalAll('SIGCONT')
    expect(failures.map(isDatabaseAway)).toEqual([true, true])
    expect((await one()).rows).toEqual([{ one: 1 }])
  },
  60_000,
)

it('a query that takes long continues while Postgres answers others', async () => {
  const { rows } = await sql`select 'slow' as kind from pg_sleep(7)`.execute(database.db)
  expect(rows).toEqual([{ kind: 'slow' }])
})
