import { existsSync } from 'node:fs'
import { removeData, stopRunning } from '@windlass/postgres/start.ts'
import type { Command } from '../command.ts'
import { readFlags } from '../command.ts'
import { type Home, isOurs, removeHome } from '../home.ts'
import { anchorServers, endAll, leftServices } from '../leftovers.ts'
import { requireNoProduction } from '../production-home.ts'
import { formatSeconds, type Progress } from '../progress.ts'
import { readLock, releaseLock } from '../run-files.ts'
import type { Stack } from '../stack.ts'

/** The supervisor stops everything in order within ten seconds, or longer with many anchors; much later it hangs. */
const SUPERVISOR_PATIENCE_MS = 15_000
const PATIENCE_PER_ANCHOR_SERVER_MS = 200

export const stop: Command = {
  summary: 'stops a running stack; --volumes also removes databases and all generated state',
  usage: `npm stop [-- --volumes]

Stops the stack of this checkout (or of WINDLASS_HOME), and processes that a killed stack left running.
  --volumes   also removes everything generated: databases, the base env file with its secrets, anchors, logs.
              Refused in a home that was started with DEPLOYMENT=production`,
  run: async ({ args, home, progress }) => {
    const { flags } = readFlags(args, ['volumes'])
    if (flags.volumes) requireNoProduction(home)
    if (!(await stopEverything(home, progress))) progress.plain('Nothing is running.')
    if (flags.volumes) removeEverything(home, progress)
    return 0
  },
}

/** Stops a stack that this process started. */
export async function lowerStack(stack: Stack, progress: Progress): Promise<void> {
  const began = performance.now()
  progress.plain('\nStopping …')
  await stack.stop()
  progress.plain(`Stopped in ${formatSeconds(performance.now() - began)}.`)
}

async function stopEverything(home: Home, progress: Progress): Promise<boolean> {
  const began = performance.now()
  const lock = await readLock(home.run)
  if (lock !== undefined) {
    progress.plain(`Stopping the stack of process ${lock.pid} …`)
    const servers = await anchorServers(home)
    await endAll([lock], SUPERVISOR_PATIENCE_MS + servers.length * PATIENCE_PER_ANCHOR_SERVER_MS)
  }
  const leftBehind = await stopLeftBehind(home)
  releaseLock(home.run)
  if (lock !== undefined || leftBehind)
    progress.plain(`Stopped in ${formatSeconds(performance.now() - began)}.`)
  return lock !== undefined || leftBehind
}

/** Stops what runs without a supervisor: services first, so that nothing restarts anchors' servers. */
async function stopLeftBehind(home: Home): Promise<boolean> {
  const services = await leftServices(home)
  await endAll(services, 4000)
  const servers = await anchorServers(home)
  await endAll(servers, 2000)
  const postgres = existsSync(home.postgres) || isOurs(home) ? await stopRunning(home.postgres) : false
  return services.length + servers.length > 0 || postgres
}

function removeEverything(home: Home, progress: Progress): void {
  if (!existsSync(home.folder)) {
    progress.plain('There is nothing to remove.')
    return
  }
  if (!isOurs(home)) {
    throw new Error(`${home.folder} was not created by Windlass. Nothing was removed.`)
  }
  removeData(home.postgres)
  removeHome(home)
  progress.plain(`Removed ${home.folder} with all databases.`)
}
