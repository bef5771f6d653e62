import { LOOPBACK } from '@windlass/service/process/loopback.ts'
import { existsSync, readdirSync } from 'node:fs'
import { removeData } from '@windlass/postgres/start.ts'
import { type RestoredState, restoreBackup } from '../backups/restore.ts'
import { type Home, homeAt, removeHome } from '../home.ts'
import type { Progress } from '../progress.ts'
import { bindSockets } from '../sockets.ts'
import { raiseStack } from '../stack.ts'

type Restoring = Omit<Parameters<typeof restoreBackup>[0], 'home' | 'replace' | 'backupTo'>

/** Where a practice restores: beside the stack's own home. */
export const practiceHomeOf = (home: Home): Home => homeAt(`${home.folder}-practice`)

/**
 * Restores into a home of its own, starts its Postgres on a port of its own, and removes both: nothing of the stack is
 * touched. No part is started, so nothing is backed up, sent to a rail or written to the ledger.
 *
 * @throws {Error} naming what a real restore would fail at
 */
export async function practiseRestore(
  home: Home,
  restoring: Restoring,
): Promise<RestoredState & { lostSeconds: number }> {
  const began = Date.now()
  const own = practiceHomeOf(home)
  if (existsSync(own.folder) && readdirSync(own.folder).length > 0)
    throw new Error(
      `${own.folder} is there already: a practice runs, or was killed. Remove it, then try again.`,
    )
  try {
    const state = await restoreBackup({ ...restoring, home: own, replace: false })
    restoring.step('starting its Postgres, with its keys')
    await startOnce(own, restoring.signal)
    // Log that was stored meanwhile may be in it.
    const lostSeconds = Math.max(0, Math.round((began - Date.parse(state.reached.at)) / 1_000))
    return { ...state, lostSeconds }
  } finally {
    removeData(own.postgres)
    removeHome(own)
  }
}

/** As the launcher starts the databases, which refuses those of other keys and of a newer release. */
async function startOnce(home: Home, interrupted: AbortSignal): Promise<void> {
  const sockets = [...bindSockets(0, LOOPBACK), ...bindSockets(0, LOOPBACK)]
  const [POSTGRES_PORT, PROXY_PORT] = sockets.map(({ port }) => String(port))
  for (const socket of sockets) socket.close()
  const silent = (): void => undefined
  const progress: Progress = {
    ...{ heading: silent, note: silent, done: silent, plain: silent, warn: silent, fail: silent },
  }
  // Settings of a production are decided by its parts, of which none starts here.
  const local = { DEPLOYMENT: 'local', IS_MAINNET: 'false', ALLOW_MOCK_KYC: 'true' }
  const environment = { ...local, POSTGRES_PORT, PROXY_PORT }
  const stack = await raiseStack({ home, environment, progress, interrupted, services: [] })
  await stack.stop()
}
