import { startPostgres } from '@windlass/postgres/start.ts'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { healthOf } from '../http/health.ts'
import { databaseTakesData, folderTakesFiles } from './writable.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(fastFolder(), 'windlass-full-disk-'))
chmodSync(folder, 0o755)
// A disk of its own, so that it can be full.
const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=160m,mode=755', 'tmpfs', folder]).then(
  () => true,
  () => false,
)
if (!mounted) console.warn('NOT RUN: services on a full disk. No file system can be mounted here.')

afterEach(() => {
  vi.useRealTimers()
})
afterAll(async () => {
  if (mounted) await run('umount', ['-l', folder])
  rmSync(folder, { recursive: true, force: true })
})

const filler = join(folder, 'filler')
function fillDisk(): void {
  try {
    writeFileSync(filler, Buffer.alloc(200 * 2 ** 20, 1))
  } catch {
    // Full.
  }
}
const makeRoom = () => rmSync(filler, { force: true })
/** Moves the clock beyond what is remembered of a probe. */
const later = () => vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000)
const readinessOf = (probe: () => Promise<void>) => async () => {
  const { body } = (await healthOf({ name: 'test', checks: { probe } })()) as { body: { checks: unknown } }
  return body.checks
}

describe.runIf(mounted)('a service on a full disk', () => {
  afterEach(() => {
    vi.restoreAllMocks()
    makeRoom()
  })

  it('says in its readiness that it has no room for files, until there is', async () => {
    const readiness = readinessOf(folderTakesFiles(folder))
    expect(await readiness()).toEqual({ probe: 'ok' })
    fillDisk()
    later()
    expect(await readiness()).toEqual({ probe: 'unavailable (disk full)' })
    makeRoom()
    later()
    expect(await readiness()).toEqual({ probe: 'ok' })
    expect(await readdir(folder)).toEqual([])
  })

  describe('whose Postgres has no room', () => {
    let postgres: Awaited<ReturnType<typeof startPostgres>>
    let pool: pg.Pool
    beforeAll(async () => {
      const settings = { max_wal_size: '32MB', shared_buffers: '16MB', fsync: 'off' }
      const dataFolder = join(folder, 'data')
      postgres = await startPostgres({ dataFolder, port: 0, superuserPassword: 'x'.repeat(32), settings })
      pool = new pg.Pool({ connectionString: postgres.url, max: 2 })
      pool.on('error', () => undefined)
    })
    afterAll(async () => {
      await pool.end()
      await postgres.stop()
    })

    it('says so in its readiness, though the database still answers', async () => {
      const readiness = readinessOf(databaseTakesData({ pool }))
      expect(await readiness()).toEqual({ probe: 'ok' })
      fillDisk()
      later()
      expect(await readiness()).toEqual({ probe: 'unavailable (disk full)' })
      expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
      makeRoom()
      later()
      expect(await readiness()).toEqual({ probe: 'ok' })
    })
  })
})

describe('a probe of the disk', () => {
  it('is remembered: many who ask at once and again write once, and sessions keep their memory', async () => {
    const pool = new pg.Pool({ connectionString: inject('postgresUrl'), max: 1 })
    const before = await pool.query('show work_mem')
    const query = vi.spyOn(pool, 'query')
    const probe = databaseTakesData({ pool })
    await Promise.all([probe(), probe(), probe()])
    await probe()
    expect(query.mock.calls.filter(([text]) => String(text).includes('generate_series'))).toHaveLength(1)
    expect((await pool.query('show work_mem')).rows).toEqual(before.rows)
    await pool.end()
  })
})
