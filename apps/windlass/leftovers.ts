import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { end, findByArguments, isRunning } from '@windlass/runtimes/processes/process-identity.ts'
import { markedFile } from '@windlass/runtimes/processes/run-file.ts'
import type { Home } from './home.ts'
import { type RunFile, runningIn } from './run-files.ts'

/** Services of a stack whose supervisor was killed. */
export function leftServices(home: Home): Promise<RunFile[]> {
  return allRunning(home.run)
}

/** Servers of anchors: started by the control plane, which finds them again when it starts. */
export function anchorServers(home: Home): Promise<RunFile[]> {
  return allRunning(home.anchorRuns)
}

/** By their run files, and by their arguments where a run file could not be written (a full disk, a kill). */
async function allRunning(folder: string): Promise<RunFile[]> {
  if (!existsSync(folder)) return []
  const real = realpathSync(folder)
  const recorded = await runningIn(folder)
  const isHere = (word: string) => {
    const file = markedFile(word)
    return file !== undefined && [folder, real].includes(dirname(file))
  }
  const marked = await findByArguments(isHere)
  const unrecorded = marked.filter(({ pid }) => !recorded.some(each => each.pid === pid))
  const nameOf = (word: string) => basename(markedFile(word) ?? '', '.json')
  return [
    ...recorded,
    ...unrecorded.map(({ pid, startTime, word }) => ({ pid, startTime, name: nameOf(word), startedAt: '' })),
  ]
}

/**
 * Ends processes of the stack, all at once.
 *
 * @throws {Error} naming one that still runs because it belongs to another user.
 */
export async function endAll(processes: readonly RunFile[], patience: number): Promise<void> {
  await Promise.all(
    processes.map(async process => {
      await end(process, patience)
      if (!(await isRunning(process))) return
      throw new Error(
        `${process.name} (process ${process.pid}) is still running. It belongs to another user: stop it as that user.`,
      )
    }),
  )
}
