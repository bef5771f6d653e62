import { startPostgres } from '@windlass/postgres/start.ts'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fastFolder } from './fast-folder.ts'

/** A Postgres for one test file that stops it, freezes it or loses it. */
export async function ownPostgres(): Promise<{ url: string; pid: number; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(fastFolder(), 'windlass-own-'))
  await chmod(folder, 0o755)
  const { url, pid, stop } = await startPostgres({
    dataFolder: join(folder, 'data'),
    logFile: join(folder, 'postgres.log'),
    port: 0,
    superuserPassword: 'own',
  })
  return {
    url,
    pid,
    remove: async () => {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
