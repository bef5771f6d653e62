import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makePrivateFolder } from './private-folder.ts'
import type pg from 'pg'
import { pingDatabase } from '../postgres/database.ts'

const GOOD_MS = 15_000
const BAD_MS = 2_000

/**
 * A probe whose result is reused: for 15 s if it succeeded, for 2 s if it failed. Concurrent callers share one.
 */
function remembered(probe: () => Promise<void>): () => Promise<void> {
  let outcome: Promise<void> | undefined
  let until = 0
  return () => {
    if (outcome && performance.now() < until) return outcome
    // While it runs, and where it hangs, others wait for the same one.
    until = Infinity
    const asked = probe()
    asked.then(
      () => (until = performance.now() + GOOD_MS),
      () => (until = performance.now() + BAD_MS),
    )
    return (outcome = asked)
  }
}

/** For a service's readiness: fails if no file can be written in its folder. */
export function folderTakesFiles(folder: string): () => Promise<void> {
  const file = join(folder, `.room-${process.pid}`)
  return remembered(async () => {
    try {
      makePrivateFolder(folder)
      const handle = await open(file, 'w', 0o600)
      try {
        // A whole page: a small file may still fit where the disk is full.
        await handle.writeFile(Buffer.alloc(16_384, 1))
        await handle.sync()
      } finally {
        await handle.close()
      }
    } finally {
      await rm(file, { force: true })
    }
  })
}

/**
 * For a service's readiness: fails if the database does not answer or its disk is full. With a full disk Postgres still
 * reads, and commits as long as its existing pages and log files have room.
 */
export function databaseTakesData(database: { pool: pg.Pool }): () => Promise<void> {
  const spill = remembered(async () => {
    // More rows than the memory holds go to a temporary file. Both run in one transaction.
    await database.pool.query(
      `select set_config('work_mem', '64kB', true); select count(*) from generate_series(1, 8000)`,
    )
  })
  return async () => {
    await pingDatabase(database)
    await spill()
  }
}
