import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Release } from './built-from.ts'
import { type ProcessIdentity, isRunning } from '@windlass/runtimes/processes/process-identity.ts'

/** A process of the stack, as its run file records it. */
export interface RunFile extends ProcessIdentity {
  name: string
  startedAt: string
  /** Where it listens on this machine; a service of the stack has its port from the settings. */
  port?: number
  /** Where it was written: a copy of the folder names processes of the original stack. */
  file?: string
}

/** The lock of a stack: its supervisor and, once it is ready, its variables. Only its owner can read the file. */
export interface StackLock extends RunFile {
  ready: boolean
  /** Names of the services it started. */
  services: string[]
  variables: Record<string, string>
  /** What it gives to the parts; absent where it cannot restart them one by one. */
  launcher?: string
  /** The release that it was started from. */
  release?: Release
  /** The checkout that it starts parts from; absent in those of earlier releases. */
  checkout?: string
}

/** Writes atomically; only the owner can read the file. */
export function writeRunFile(file: string, content: RunFile): void {
  const unfinished = `${file}.${process.pid}`
  const placed = { ...content, file: realFile(file) }
  writeFileSync(unfinished, `${JSON.stringify(placed, null, 2)}\n`, { mode: 0o600 })
  renameSync(unfinished, file)
}

/** All processes recorded in a folder that still run; records of others are removed. */
export async function runningIn(folder: string): Promise<RunFile[]> {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).filter(name => name.endsWith('.json') && name !== LOCK)
  const found = files.map(async name => {
    const file = join(folder, name)
    const content = readRunFile(file)
    if (content !== undefined && (await isRunning(content))) return [content]
    rmSync(file, { force: true })
    return []
  })
  return (await Promise.all(found)).flat()
}

function readRunFile(file: string): RunFile | undefined {
  try {
    const content: Partial<RunFile> = JSON.parse(readFileSync(file, 'utf8'))
    const { pid, startTime, port, name = 'process', startedAt = '' } = content
    if (content.file !== undefined && content.file !== realFile(file)) return undefined
    if (!Number.isInteger(pid) || pid === undefined || typeof startTime !== 'string') return undefined
    return { pid, startTime, name, startedAt, ...(Number.isInteger(port) && { port }) }
  } catch {
    return undefined
  }
}

/** The same for every path to the folder, symbolic links included. */
const realFile = (file: string): string => join(realpathSync(dirname(file)), basename(file))

const LOCK = 'stack.json'

/** Whether something could not be read because it is another user's. */
export const isForbidden = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error && error.code === 'EACCES'

/**
 * The running stack of this home, or undefined.
 *
 * @throws {Error} where the folder is another user's.
 */
export async function readLock(runFolder: string): Promise<StackLock | undefined> {
  try {
    const file = join(runFolder, LOCK)
    const lock: StackLock = JSON.parse(readFileSync(file, 'utf8'))
    if (lock.file !== undefined && lock.file !== realFile(file)) return undefined
    return (await isRunning(lock)) ? lock : undefined
  } catch (error) {
    if (isForbidden(error)) throw error
    return undefined
  }
}

/**
 * Takes the lock, or returns the stack that holds it. A lock left by a killed supervisor is taken over; of two
 * concurrent attempts one succeeds.
 */
export async function takeLock(runFolder: string, lock: StackLock): Promise<StackLock | undefined> {
  const file = join(runFolder, LOCK)
  const own = `${file}.${lock.pid}`
  writeFileSync(own, JSON.stringify({ ...lock, file: realFile(file) }), { mode: 0o600 })
  try {
    for (;;) {
      try {
        linkSync(own, file)
        return undefined
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      }
      const holder = await readLock(runFolder)
      if (holder !== undefined) return holder
      await removeDeadLock(file)
    }
  } finally {
    rmSync(own, { force: true })
  }
}

/** Moves the file aside before looking: if another start replaced it in between, it is put back. */
async function removeDeadLock(file: string): Promise<void> {
  const aside = `${file}.dead.${process.pid}`
  try {
    renameSync(file, aside)
    const content = readRunFile(aside)
    if (content !== undefined && (await isRunning(content))) linkSync(aside, file)
  } catch {
    // Removed or replaced: the next attempt decides.
  }
  rmSync(aside, { force: true })
}

/** Rewrites the lock we hold. */
export function updateLock(runFolder: string, lock: StackLock): void {
  writeRunFile(join(runFolder, LOCK), lock)
}

export function releaseLock(runFolder: string): void {
  rmSync(join(runFolder, LOCK), { force: true })
}
