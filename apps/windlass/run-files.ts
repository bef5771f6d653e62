import { existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ProcessIdentity, isRunning } from './process-identity.ts'

/** What a run file says: a process of the stack and what it is. */
export interface RunFile extends ProcessIdentity {
  name: string
  startedAt: string
}

/** The lock of a whole stack: who supervises it, and once it is ready its variables (the file is ours alone to read). */
export interface StackLock extends RunFile {
  ready: boolean
  /** Names of the services it started. */
  services: string[]
  variables: Record<string, string>
}

/** Writes whole or not at all, readable by us alone. */
export function writeRunFile(file: string, content: RunFile): void {
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  renameSync(unfinished, file)
}

/** All processes recorded in a folder that still run; records of others are removed. */
export function runningIn(folder: string): RunFile[] {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).filter(name => name.endsWith('.json') && name !== LOCK)
  return files.flatMap(name => {
    const file = join(folder, name)
    const content = readRunFile(file)
    if (content !== undefined && isRunning(content)) return [content]
    rmSync(file, { force: true })
    return []
  })
}

function readRunFile(file: string): RunFile | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof content !== 'object' || content === null || !('pid' in content)) return undefined
    if (typeof content.pid !== 'number') return undefined
    const text = (key: string) => (key in content ? String(Reflect.get(content, key)) : undefined)
    return {
      pid: content.pid,
      name: text('name') ?? 'process',
      startTime: text('startTime'),
      startedAt: text('startedAt') ?? '',
    }
  } catch {
    return undefined
  }
}

const LOCK = 'stack.json'

/** The running stack of this home, or undefined. */
export function readLock(runFolder: string): StackLock | undefined {
  try {
    const lock: StackLock = JSON.parse(readFileSync(join(runFolder, LOCK), 'utf8'))
    return isRunning(lock) ? lock : undefined
  } catch {
    return undefined
  }
}

/**
 * Takes the lock, or answers the stack that has it. A lock left by a killed supervisor is taken over; of two that
 * try at once one wins.
 */
export function takeLock(runFolder: string, lock: StackLock): StackLock | undefined {
  const file = join(runFolder, LOCK)
  const own = `${file}.${lock.pid}`
  writeFileSync(own, JSON.stringify(lock), { mode: 0o600 })
  try {
    for (;;) {
      try {
        linkSync(own, file)
        return undefined
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      }
      const holder = readLock(runFolder)
      if (holder !== undefined) return holder
      removeDeadLock(file)
    }
  } finally {
    rmSync(own, { force: true })
  }
}

/** Moves the file aside before looking: if another start replaced it in between, it is put back. */
function removeDeadLock(file: string): void {
  const aside = `${file}.dead.${process.pid}`
  try {
    renameSync(file, aside)
    const content = readRunFile(aside)
    if (content !== undefined && isRunning(content)) linkSync(aside, file)
  } catch {
    // Gone already, or replaced: the next try tells.
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
