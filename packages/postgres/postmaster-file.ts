import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** What a running Postgres writes about itself into `postmaster.pid`, line by line (src/include/utils/pidfile.h). */
interface Postmaster {
  pid: number
  port: number | undefined
  ready: boolean
}

/** The Postgres that locks this data folder; undefined without a lock file. */
export function readPostmasterFile(dataFolder: string): Postmaster | undefined {
  let lines: string[]
  try {
    lines = readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return undefined
  }
  const pid = Math.abs(Number(lines[0]))
  if (!Number.isInteger(pid) || pid === 0) return undefined
  return { pid, port: Number(lines[3]) || undefined, ready: lines[7]?.trim() === 'ready' }
}

/** Removes a lock file whose process is gone or whose process id was reused. */
export function removeStalePostmasterFile(dataFolder: string): void {
  rmSync(join(dataFolder, 'postmaster.pid'), { force: true })
}

/** Whether the process is alive and is a Postgres on this data folder, so that a reused process id is never mistaken for it. */
export function isPostmasterOf(dataFolder: string, pid: number): boolean {
  if (!isAlive(pid)) return false
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataFolder)
    } catch {
      return false
    }
  }
  if (process.platform === 'win32') return true
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' }).includes(
      dataFolder,
    )
  } catch {
    return false
  }
}

/** Whether a process of this id runs. A zombie process does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
  return !isZombie(pid)
}

function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
  } catch {
    return true
  }
}
