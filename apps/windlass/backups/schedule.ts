import { stopKeepingWal } from '@windlass/postgres/base-backup.ts'
import { databaseUrl } from '@windlass/postgres/databases.ts'
import { ConfigError } from '@windlass/service/process/env.ts'
import { loop, type Loop } from '@windlass/service/work/loop.ts'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Variables } from '../base-env.ts'
import type { Home } from '../home.ts'
import type { Progress } from '../progress.ts'
import { portOf } from '../settings.ts'
import { archiveWal, backUpIfDue } from './create.ts'
import { inMiB, pruneBackups } from './shelf.ts'
import { bucketOf, isBucket, storeAt } from './store-at.ts'

/** The schedule of backups. */
export interface Schedule {
  /** A folder or `s3://bucket/folder`. */
  place: string
  recipients: string[]
  everyHours: number
  keep: number
  /** A lost machine costs the changes of this many seconds at most; 0: only backups are stored, no log. */
  logEverySeconds: number
}

const LOOK_MS = 60_000
const STOP_WITHIN_MS = 2_000

/**
 * Null: backups are not scheduled.
 *
 * @throws {ConfigError} if a setting is wrong, or no key is set for the backups
 */
export function readSchedule(variables: Variables): Schedule | null {
  const place = variables.BACKUP_TO
  if (!place) return null
  if (isBucket(place)) bucketOf(place, variables)
  const recipients = (variables.BACKUP_ENCRYPT_TO ?? '').split(',').flatMap(key => key.trim() || [])
  if (recipients.length === 0 || recipients.some(key => !key.startsWith('age1')))
    throw new ConfigError('BACKUP_TO needs BACKUP_ENCRYPT_TO: public keys (age1…), comma separated.')
  const number = (name: string, fallback: number, least: number): number => {
    const value = Number(variables[name] ?? fallback)
    if (Number.isFinite(value) && value >= least) return value
    throw new ConfigError(`${name} must be a number from ${least} on, not "${variables[name]}".`)
  }
  return {
    place,
    recipients,
    everyHours: number('BACKUP_EVERY_HOURS', 24, 0.1),
    keep: Math.floor(number('BACKUP_KEEP', 7, 1)),
    logEverySeconds: number('BACKUP_LOG_SECONDS', 60, 0),
  }
}

/** Makes backups and stores the log while the stack runs. Returns what stops it. */
export function startBackups(
  schedule: Schedule | null,
  variables: Variables,
  home: Home,
  progress: Progress,
): { stop(): Promise<void> } {
  const server = `postgres://127.0.0.1:${portOf(variables, 'POSTGRES_PORT', 5432)}`
  const url = databaseUrl(server, 'postgres', 'postgres', variables.POSTGRES_PASSWORD ?? '')
  const logger = {
    warn: (failure: unknown) => {
      const { loop: what, err } = failure as { loop: string; err: unknown }
      progress.warn(`backups: ${what} failed: ${err instanceof Error ? err.message : String(err)}`)
    },
    debug: () => undefined,
  }
  if (schedule === null) {
    // What an earlier start kept for the archive would fill the disk.
    const released = releaseLog(url).catch(() => undefined)
    return { stop: () => Promise.race([released, sleep(STOP_WITHIN_MS, undefined, { ref: false })]) }
  }
  const { place, everyHours, keep, logEverySeconds, recipients } = schedule
  // Of this process' predecessor, which was killed while it wrote or sent them.
  if (isBucket(place)) rmSync(join(home.folder, 'unsent'), { recursive: true, force: true })
  const opening = storeAt(place, home, variables)
  const options = { home, variables, lock: { recipients } }
  const loops: Loop[] = []
  const every = (name: string, everyMs: number, act: (signal: AbortSignal) => Promise<unknown>) =>
    loops.push(loop({ name, everyMs, act, logger, stopWithinMs: STOP_WITHIN_MS }))
  every('a backup', LOOK_MS, async signal => {
    const store = await opening
    const created = await backUpIfDue(url, everyHours, { ...options, store, signal })
    if (!created) return
    progress.note(`backed up: ${created.file}  ${inMiB(created.bytes)}`)
    await pruneBackups(store, keep)
  })
  if (logEverySeconds > 0) {
    every('storing the log', logEverySeconds * 1000, async signal => {
      const { hasGap } = await archiveWal(url, { ...options, store: await opening, signal })
      if (!hasGap) return
      progress.warn('backups: a part of the log was removed before it was stored; backing up again')
      loops[0]?.wake()
    })
  }
  return {
    stop: async () => {
      await Promise.all(loops.map(each => each.stop()))
    },
  }
}

async function releaseLog(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await stopKeepingWal(client)
  } finally {
    await client.end()
  }
}
