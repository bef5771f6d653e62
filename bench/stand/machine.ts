import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { machineTime } from './process-costs.ts'

/** Others' part of all processors, above which a figure says nothing. */
const BUSY = 0.15
const LOOKED_AT_MS = 1_000

export interface Load {
  /** The mean of a minute. */
  average: number
  /** From 0 to 1: the part of all processors that was busy for a second. */
  busy: number
}

/** What else the machine does; asked before and after a benchmark. */
export async function loadNow(): Promise<Load> {
  const [before, began] = [machineTime(), performance.now()]
  await sleep(LOOKED_AT_MS)
  const seconds = (performance.now() - began) / 1_000
  const busy = (machineTime() - before) / seconds / availableParallelism()
  return { average: loadavg()[0] ?? NaN, busy }
}

export const isBusy = ({ busy }: Load): boolean => busy > BUSY

export interface Machine {
  processor: string
  cores: number
  gibibytes: number
  node: string
}

export const thisMachine = (): Machine => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  gibibytes: Math.round(totalmem() / 2 ** 30),
  node: process.version,
})

/** The commit that is checked out; with `+` where files differ from it, apart from what benchmarks write themselves. */
export function commitOf(folder: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
  try {
    return (
      git('rev-parse', '--short=8', 'HEAD') +
      (git('status', '--porcelain', '--', '.', ':!bench/results', ':!README.md') === '' ? '' : '+')
    )
  } catch {
    return 'unknown'
  }
}
