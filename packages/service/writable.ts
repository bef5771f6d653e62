import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { pingDatabase } from './database.ts'

const GOOD_MS = 15_000
const BAD_MS = 2_000

/**
 * A probe whose outcome is used again for some seconds: 15 s where it is good, 2 s where it is not. Callers at the same
 * time share one.
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

/** For a service's readiness: fails where no file can be written in a folder of its own. */
export function folderTakesFiles(folder: string): () => Promise<void> {
  const file = join(folder, `.room-${process.pid}`)
  return remembered(async () => {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
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
 * For a service's readiness: fails where the database does not answer, or where it answers and its disk is full. Postgres
 * then still reads, and commits as long as it has room in pages and log files that are there.
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
