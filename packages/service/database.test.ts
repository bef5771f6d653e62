import { sql } from 'kysely'
import { expect, inject, it } from 'vitest'
import { openDatabase } from './database.ts'
import { isOutage } from './render-problem.ts'

it('a connection that dies within a transaction is an outage, and nothing that brings the process down', async () => {
  const url = inject('postgresUrl')
  const victim = openDatabase<never>(url, { name: 'victim' })
  const other = openDatabase<never>(url, { name: 'other' })
  // Vitest fails the run on an uncaught error, which an unheard 'error' event of the client would be.
  const failure = await victim.db
    .transaction()
    .execute(async tx => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      const broken = new Promise(resolve => setTimeout(resolve, 100))
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(other.db)
      await broken
      await sql`select 1`.execute(tx)
    })
    .catch((error: unknown) => error)
  expect(isOutage(failure)).toBe(true)
  expect((await sql`select 1`.execute(victim.db)).rows).toHaveLength(1)
  await Promise.all([victim.close(), other.close()])
})
