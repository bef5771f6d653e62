import type { Home } from './home.ts'
import { end } from './process-identity.ts'
import { type RunFile, runningIn } from './run-files.ts'

/** Services of a stack whose supervisor was killed. */
export function leftServices(home: Home): RunFile[] {
  return runningIn(home.run)
}

/** Servers of anchors: started by the control plane, which finds them again when it starts. */
export function anchorServers(home: Home): RunFile[] {
  return runningIn(home.anchorRuns)
}

/** Ends processes of the stack, all at once. */
export async function endAll(processes: readonly RunFile[], patience: number): Promise<void> {
  await Promise.all(processes.map(process => end(process, patience)))
}
