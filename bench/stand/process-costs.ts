import { readFileSync } from 'node:fs'

/** Ticks of the kernel (USER_HZ), the same on every architecture that Node supports. */
const TICKS_A_SECOND = 100

/** Seconds of processor time that a process has used, with those of its children that have ended. */
export function processorTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the program's name, which may have spaces.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
  return fields.map(Number).reduce((one, other) => one + other, 0) / TICKS_A_SECOND
}

export function residentMegabytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  return Number(/^Rss:\s+(\d+)/m.exec(text)?.[1]) / 1024
}

/** Ids of a process' children that run. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

/** Seconds in which the processors of the machine were busy, all together. */
export function machineTime(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]!
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + softIrq) / TICKS_A_SECOND
}
