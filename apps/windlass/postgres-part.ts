import { setTimeout as sleep } from 'node:timers/promises'
import { identify, isRunning } from '@windlass/runtimes/processes/process-identity.ts'
import { startPostgres } from '@windlass/postgres/start.ts'
import type { Variables } from './base-env.ts'
import { ensureDatabases } from './databases.ts'
import type { Home } from './home.ts'
import { logFileOf } from './log-files.ts'
import type { Progress } from './progress.ts'
import type { Ending } from './service-process.ts'
import { portOf, type Settings } from './settings.ts'
import type { Part } from './supervise.ts'

/** Each anchor's two servers keep a few connections open, and there may be many anchors. */
const SERVER_SETTINGS = {
  max_connections: 500,
  // For those that everything else waits for: MUST_GO_ON.
  reserved_connections: 30,
  shared_buffers: '128MB',
  // In each interval a process looks into every database that was ever used, those of sleeping anchors too.
  autovacuum_naptime: '5min',
  // After a crash all files are flushed first; one by one that takes a minute for a thousand databases.
  ...(process.platform === 'linux' && { recovery_init_sync_method: 'syncfs' }),
  log_line_prefix: '%m [%p] %d %a ',
  // Log that cannot be stored elsewhere must not fill the disk.
  max_slot_wal_keep_size: '4GB',
}

/** The embedded Postgres with the stack's databases in it. */
export function postgresPart(
  settings: Settings,
  variables: Variables,
  home: Home,
  progress: Progress,
  signal: AbortSignal,
): Part {
  return {
    name: 'postgres',
    title: 'Postgres',
    start: async launched => {
      const postgres = await startPostgres({
        dataFolder: home.postgres,
        port: portOf(variables, 'POSTGRES_PORT', 5432),
        superuserPassword: variables.POSTGRES_PASSWORD ?? '',
        settings: SERVER_SETTINGS,
        logFile: logFileOf(home, 'postgres'),
        signal,
      })
      launched({
        pid: postgres.pid,
        logStart: 0,
        ended: endOf(postgres.pid),
        stop: patience => postgres.stop(patience),
      })
      for (const notice of postgres.notices) progress.note(notice)
      if (postgres.adopted) progress.note('using the Postgres of an earlier start that is still running')
      await ensureDatabases(postgres.url, settings.databases, variables)
    },
  }
}

/** An adopted server is no child process, so its exit is not always reported. */
async function endOf(pid: number): Promise<Ending> {
  const identity = await identify(pid)
  while (identity !== null && (await isRunning(identity))) await sleep(500, undefined, { ref: false })
  return { description: 'an unexpected stop', hopeless: false }
}
