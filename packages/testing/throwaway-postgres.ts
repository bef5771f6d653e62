import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readPostmasterFile, isAlive, isPostmasterOf } from '@windlass/postgres/postmaster-file.ts'
import { startPostgres } from '@windlass/postgres/start.ts'
import { fastFolder } from './fast-folder.ts'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
    /** Where tests of the run keep what others of it need not make again. */
    runFolder: string
  }
}

const PREFIX = 'windlass-test-'

/**
 * vitest's global setup: one Postgres for the whole run, with durability off, removed at its end. `programs` is the folder
 * of another Postgres than the one from npm.
 */
export default async function throwawayPostgres(
  project: TestProject,
  programs = process.env.TEST_POSTGRES,
): Promise<() => Promise<void>> {
  const shelf = fastFolder()
  removeLeftovers(shelf)
  const folder = mkdtempSync(join(shelf, `${PREFIX}${process.pid}-`))
  chmodSync(folder, 0o755)
  const postgres = await startPostgres({
    dataFolder: join(folder, 'data'),
    logFile: join(folder, 'postgres.log'),
    port: 0,
    programs,
    superuserPassword: randomBytes(16).toString('hex'),
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      wal_level: 'minimal',
      max_wal_senders: 0,
      max_wal_size: '256MB',
      autovacuum: 'off',
      max_connections: 300,
      shared_buffers: '64MB',
      // Prepared statements get such plans from their sixth use on: what fails with them fails here at the first.
      plan_cache_mode: 'force_generic_plan',
    },
  })
  project.provide('postgresUrl', postgres.url)
  project.provide('runFolder', folder)
  return async () => {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A killed run cannot clean up: its folder's name holds its pid, so the next run does. */
function removeLeftovers(shelf: string): void {
  for (const name of readdirSync(shelf)) {
    if (!name.startsWith(PREFIX)) continue
    const owner = Number(name.slice(PREFIX.length).split('-')[0])
    if (Number.isInteger(owner) && owner > 0 && !isAlive(owner)) removeLeftover(join(shelf, name))
  }
}

function removeLeftover(folder: string): void {
  const data = join(folder, 'data')
  try {
    const postmaster = readPostmasterFile(data)
    if (postmaster !== undefined && isPostmasterOf(data, postmaster.pid))
      process.kill(postmaster.pid, 'SIGQUIT')
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // It belongs to another user.
  }
}
