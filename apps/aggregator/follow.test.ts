import { openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { expect, it } from 'vitest'
import { followDatabase } from './follow.ts'
import { ownMigrations } from './start.ts'
import type { Tables } from './tables.ts'
import { waitUntil } from './testing/wait-until.ts'

it('reads what is announced twice at once in one query, and never asks for nothing', async () => {
  const own = await testDatabase(sharedMigrations, ownMigrations)
  const database = openDatabase<Tables>(own.url, { name: 'follow', max: 2 })
  const warnings: string[] = []
  const removed: string[] = []
  const batches: (readonly string[])[] = []
  let caughtUp = false
  const following = followDatabase({
    database,
    logger: createLogger('aggregator', 'warn', { write: line => void warnings.push(line) }),
    // An anchor that is announced and not in the table was removed.
    index: { entries: () => [], remove: (id: string) => void removed.push(id) },
    policies: { reload: async () => undefined },
    clock: { now: () => new Date() },
    config: {},
    feed: {
      knows: () => false,
      read: async (ids: readonly string[]) => void batches.push(ids),
      catchUp: async () => void (caughtUp = true),
    },
  } as never)
  await waitUntil('it has caught up', () => caughtUp)
  // Postgres sends equal notifications of one transaction once: these are two each.
  for (const id of ['a', 'a', 'b', 'b']) {
    await database.pool.query("select pg_notify('registry', $1), pg_notify('health', $1)", [id])
  }
  await waitUntil('both are read', () => removed.includes('b') && batches.flat().includes('b'))
  // Whatever a second announcement of the same would have read is read before this.
  await database.pool.query("select pg_notify('registry', 'c'), pg_notify('health', 'c')")
  await waitUntil('the last is read', () => removed.includes('c') && batches.flat().includes('c'))
  await following.stop()
  await database.close()
  await own.drop()
  expect(batches).not.toContainEqual([])
  expect(warnings).toEqual([])
})
