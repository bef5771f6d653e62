import pg from 'pg'
import { expect, inject, it } from 'vitest'
import { OLDEST_POSTGRES, requireSupportedPostgres } from './postgres-version.ts'

const answering = (number: number, version: string) =>
  ({ query: async () => ({ rows: [{ number, version }] }) }) as unknown as pg.Pool

it('a Postgres that is too old is refused with what to do, and the oldest that is supported is not', async () => {
  await expect(requireSupportedPostgres(answering(140_012, '14.12'))).rejects.toThrow(
    'This is Postgres 14.12, and Windlass needs 15 or newer. Upgrade it',
  )
  expect(await requireSupportedPostgres(answering(150_001, '15.1'))).toBe('15.1')
})

it('the version is what the server says', async () => {
  const pool = new pg.Pool({ connectionString: inject('postgresUrl'), max: 1 })
  expect(Number.parseInt(await requireSupportedPostgres(pool))).toBeGreaterThanOrEqual(OLDEST_POSTGRES)
  await pool.end()
})
