import { existsSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { BackupRange } from '@windlass/postgres/base-backup.ts'
import { RefusedError, type Subject } from './archive.ts'

/** What a backup says about itself: its first member. */
export interface Manifest {
  format: 'windlass-backup/1'
  /** Windlass release. */
  version: string
  /** Major Postgres release. */
  postgres: string
  systemId: string
  startedAt: string
  /** Bytes of the data folder. */
  bytes: number
  databases: string[]
}

/** Its last member: without it the backup is incomplete. */
export type BackupEnd = BackupRange

/** A backup in a folder. */
interface StoredBackup {
  file: string
  /** The earliest time that it can restore. */
  endedAt: Date
  bytes: number
}

const NAME = /^windlass-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.tar\.gz\.age$/

/** The name of a backup that ended at a time. */
export const backupName = (endedAt: string): string =>
  `windlass-${new Date(endedAt).toISOString().replaceAll(/[-:.]/g, '')}.tar.gz.age`

/**
 * A backup under the name of another time would pass for a newer one.
 *
 * @throws {RefusedError} where the name says another time. Other names say none.
 */
export function requireOwnName(file: string, endedAt: string): void {
  const name = basename(file)
  if (NAME.test(name) && name !== backupName(endedAt))
    throw new RefusedError(`${file} is the backup of ${endedAt} under another name.`)
}

/** The backups in a folder, oldest first. */
export function listBackups(folder: string): StoredBackup[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .flatMap(name => {
      const match = NAME.exec(name)
      if (match === null) return []
      const [, year, month, day, hour, minute, second, ms] = match
      const endedAt = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
      const file = join(folder, name)
      return [{ file, endedAt, bytes: statSync(file).size }]
    })
}

/**
 * The newest backup from which a time can be restored.
 *
 * @throws {Error} where there is none.
 */
export function backupFor(folder: string, at: Date | undefined): StoredBackup {
  const backups = listBackups(folder)
  const found = backups.findLast(({ endedAt }) => at === undefined || endedAt <= at)
  if (found) return found
  const [oldest] = backups
  if (!oldest) throw new Error(`There is no backup in ${folder}. Name the file, or the folder with --from.`)
  throw new Error(`The oldest backup in ${folder} can restore ${oldest.endedAt.toISOString()} and later.`)
}

/** Where the write-ahead log of a cluster is stored. */
export const walFolder = (folder: string, systemId: string): string => join(folder, 'wal', systemId)
export const WAL_SUFFIX = '.tar.gz.age'
/** The one member of a stored file of the log. */
export const LOG_MEMBER = 'log'
/** What a file of the log is signed as: neither another name nor another cluster can take it. */
export const logSubject = (systemId: string, name: string): Subject => `log ${systemId}/${name}`

/** Removes all but the newest backups, and the log that none of the kept ones needs. */
export function pruneBackups(folder: string, keep: number): void {
  const backups = listBackups(folder)
  const kept = backups.slice(-keep)
  for (const { file } of backups.slice(0, -keep)) rmSync(file, { force: true })
  const [oldest] = kept
  const logs = join(folder, 'wal')
  if (!oldest || !existsSync(logs)) return
  for (const cluster of readdirSync(logs)) {
    for (const name of readdirSync(join(logs, cluster))) {
      const file = join(logs, cluster, name)
      // A segment that was stored before the oldest backup began is not needed by it.
      if (!name.includes('.history') && statSync(file).mtime < startOf(oldest)) rmSync(file, { force: true })
    }
  }
}

/** A backup takes less than an hour, or its log is kept for longer than it needs. */
const LONGEST_BACKUP_MS = 60 * 60 * 1000
const startOf = ({ endedAt }: StoredBackup): Date => new Date(endedAt.getTime() - LONGEST_BACKUP_MS)

/**
 * @param needed bytes
 * @throws {Error} where the disk of a folder has less.
 */
export function requireSpace(folder: string, needed: number): void {
  const existing = existingAbove(folder)
  const { bavail, bsize } = statfsSync(existing)
  const free = bavail * bsize
  if (free >= needed) return
  throw new Error(`${folder} needs ${inMiB(needed)} free, and its disk has ${inMiB(free)}.`)
}

const existingAbove = (path: string): string => (existsSync(path) ? path : existingAbove(dirname(path)))

export const inMiB = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`
