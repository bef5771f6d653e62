import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, isRunning, type ProcessIdentity } from './process-identity.ts'

/** Runs `act` exclusively on this machine for a lock file; a dead holder does not block. */
export async function withLock<T>(file: string, act: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true })
  const own = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  await writeFile(own, JSON.stringify(await identify(process.pid)), { mode: 0o600 })
  try {
    while (!(await take(file, own))) await sleep(20)
  } finally {
    await rm(own, { force: true })
  }
  try {
    return await act()
  } finally {
    await rm(file, { force: true })
  }
}

// A link appears with its content, atomically.
async function take(file: string, own: string): Promise<boolean> {
  try {
    await link(own, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const holder = await readHolder(file)
  if (holder && !(await isRunning(holder))) await removeDead(file, `${own}.dead`)
  return false
}

/** Moves the lock aside before reading it; a lock taken in between is put back. */
async function removeDead(file: string, aside: string): Promise<void> {
  try {
    await rename(file, aside)
    const holder = await readHolder(aside)
    if (holder && (await isRunning(holder))) await link(aside, file)
  } catch {
    // Removed or replaced: the next attempt decides.
  }
  await rm(aside, { force: true })
}

async function readHolder(file: string): Promise<ProcessIdentity | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ProcessIdentity
  } catch {
    return null
  }
}
