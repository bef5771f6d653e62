import { end, isRunning } from '@windlass/runtimes/processes/process-identity.ts'
import type { Home } from './home.ts'
import { type RunFile, runningIn } from './run-files.ts'

/** Services of a stack whose supervisor was killed. */
export function leftServices(home: Home): Promise<RunFile[]> {
  return runningIn(home.run)
}

/** Servers of anchors: started by the control plane, which finds them again when it starts. */
export function anchorServers(home: Home): Promise<RunFile[]> {
  return runningIn(home.anchorRuns)
}

/**
 * Ends processes of the stack, all at once.
 *
 * @throws {Error} naming one that goes on because it is another user's.
 */
export async function endAll(processes: readonly RunFile[], patience: number): Promise<void> {
  await Promise.all(
    processes.map(async process => {
      await end(process, patience)
      if (!(await isRunning(process))) return
      throw new Error(
        `${process.name} (process ${process.pid}) goes on: it belongs to another user, stop it as that user.`,
      )
    }),
  )
}
