import { existsSync, statfsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { BackupRange } from '@windlass/postgres/base-backup.ts'
import { RefusedError, type Subject } from './archive.ts'
import type { Store } from './store.ts'

/** What a backup says about itself: its first member. */
export interface Manifest {
  format: 'windlass-backup/1'
  /** Windlass release. */
  version: string
  /** Major Postgres release. */
  postgres: string
  systemId: string
  /** The stack's name for itself where it stored the backup. Earlier releases had none. */
  owner?: string
  startedAt: string
  /** Bytes of the data folder. */
  bytes: number
  databases: string[]
}

/** Its last member: without it the backup is incomplete. */
export type BackupEnd = BackupRange

interface StoredBackup {
  /** As people name it. */
  file: string
  name: string
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

/** The backups that a store has as a whole, oldest first. */
export async function listBackups(store: Store): Promise<StoredBackup[]> {
  const named = (await store.list('windlass-')).flatMap(({ name, bytes }) => {
    const match = NAME.exec(name)
    if (match === null) return []
    const [, year, month, day, hour, minute, second, ms] = match
    const endedAt = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
    return [{ file: store.pathOf(name), name, endedAt, bytes }]
  })
  const whole = await Promise.all(named.map(({ name }) => store.has(name)))
  return named.filter((_, index) => whole[index])
}

/**
 * The newest backup from which a time can be restored.
 *
 * @throws {Error} where there is none.
 */
export async function backupFor(store: Store, at: Date | undefined): Promise<StoredBackup> {
  const backups = await listBackups(store)
  const found = backups.findLast(({ endedAt }) => at === undefined || endedAt <= at)
  if (found) return found
  const [oldest] = backups
  if (!oldest)
    throw new Error(`There is no backup in ${store.pathOf()}. Name the file, or the folder with --from.`)
  throw new Error(
    `The oldest backup in ${store.pathOf()} can restore ${oldest.endedAt.toISOString()} and later.`,
  )
}

/** Where the write-ahead log of a cluster is stored. */
export const walFolder = (systemId: string): string => `wal/${systemId}/`
export const WAL_SUFFIX = '.tar.gz.age'
/** The one member of a stored file of the log. */
export const LOG_MEMBER = 'log'
/** What a file of the log is signed as: neither another name nor another cluster can take it. */
export const logSubject = (systemId: string, name: string): Subject => `log ${systemId}/${name}`

/** Removes all but the newest backups, and the log that none of the kept ones needs. */
export async function pruneBackups(store: Store, keep: number): Promise<void> {
  const backups = await listBackups(store)
  for (const { name } of backups.slice(0, -keep)) await store.remove(name)
  const [oldest] = backups.slice(-keep)
  if (!oldest) return
  for (const { name, storedAt } of await store.list('wal/')) {
    // A segment that was stored before the oldest backup began is not needed by it.
    if (!name.includes('.history') && storedAt < startOf(oldest)) await store.remove(name)
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
