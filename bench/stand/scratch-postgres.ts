import { startPostgres } from '@windlass/postgres/start.ts'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A Postgres of the benchmark's own, durable as in production, gone afterwards. */
export async function scratchPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-bench-'))
  chmodSync(folder, 0o755)
  const postgres = await startPostgres({
    dataFolder: join(folder, 'data'),
    logFile: join(folder, 'postgres.log'),
    port: 0,
    superuserPassword: randomBytes(16).toString('hex'),
    settings: { shared_buffers: '256MB', max_wal_size: '4GB', max_connections: 60 },
  })
  return {
    url: postgres.url,
    stop: async () => {
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
