import {
  constants,
  closeSync,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'

/**
 * Writes a file that is on the disk, as a whole, when this returns. A machine that loses power has it or the one before.
 *
 * @param isNew only where none is there: of several who write at the same time, one does
 * @returns whether it was written
 */
export function writeWhole(file: string, text: string, isNew = false): boolean {
  const unfinished = `${file}.${randomBytes(6).toString('hex')}`
  try {
    // `wx` follows no link that someone else put there.
    writeFileSync(unfinished, text, { mode: 0o600, flag: 'wx', flush: true })
    if (!isNew) renameSync(unfinished, file)
    else if (!placeNew(unfinished, file)) return false
    syncFolder(dirname(file))
    return true
  } finally {
    rmSync(unfinished, { force: true })
  }
}

function placeNew(unfinished: string, file: string): boolean {
  try {
    linkSync(unfinished, file)
    return true
  } catch (error) {
    if (isTaken(error)) return false
  }
  // The disk has no links (SMB, exFAT).
  try {
    copyFileSync(unfinished, file, constants.COPYFILE_EXCL)
    return true
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
}

const isTaken = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST'

/** A name is on the disk once its folder is. Windows and some network disks have no such thing. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EOPNOTSUPP'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error
  } finally {
    closeSync(descriptor)
  }
}
