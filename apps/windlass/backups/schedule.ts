import { LOOPBACK_HOST } from '@windlass/service/process/loopback.ts'
import { stopKeepingWal } from '@windlass/postgres/base-backup.ts'
import { databaseUrl } from '@windlass/postgres/databases.ts'
import { ConfigError } from '@windlass/service/process/env.ts'
import { loop, type Loop } from '@windlass/service/work/loop.ts'
import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { withSearchPath } from '@windlass/service/postgres/search-path.ts'
import pg from 'pg'
import type { Variables } from '../base-env.ts'
import type { Home } from '../home.ts'
import { portOf } from '../settings.ts'
import { readKeyFile, wrongRecipient } from './archive.ts'
import { archiveWal, backUpIfDue } from './create.ts'
import { verifyBackup } from './restore.ts'
import { listBackups, pruneBackups } from './shelf.ts'
import { type Facts, type News, readBackupsState, type Task } from './state.ts'
import { bucketOf, isBucket, storeAt } from './store-at.ts'
import type { Store } from './store.ts'

/** The schedule of backups. */
interface Schedule {
  /** A folder or `s3://bucket/folder`. */
  place: string
  recipients: string[]
  everyHours: number
  keep: number
  /** A lost machine costs the changes of this many seconds at most; 0: only backups are stored, no log. */
  logEverySeconds: number
  /** With what, and how often, the newest backup is verified; undefined: only by hand. */
  verify?: { keyFile: string; everyDays: number }
}

const DAY_MS = 86_400_000

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
  if (recipients.length === 0)
    throw new ConfigError('BACKUP_TO needs BACKUP_ENCRYPT_TO: public keys (age1…), comma separated.')
  const wrong = wrongRecipient(recipients)
  if (wrong !== undefined)
    throw new ConfigError(`BACKUP_ENCRYPT_TO takes public keys (age1…), comma separated: ${wrong} is none.`)
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
    ...(variables.BACKUP_VERIFY_KEY_FILE && {
      verify: { keyFile: variables.BACKUP_VERIFY_KEY_FILE, everyDays: number('BACKUP_VERIFY_DAYS', 7, 0.01) },
    }),
  }
}

/** Makes backups, stores the log and verifies while the stack runs, and reports each. Returns what stops it. */
export function startBackups(
  schedule: Schedule | null,
  variables: Variables,
  home: Home,
  report: (news: News) => void,
): { stop(): Promise<void> } {
  const server = `postgres://${LOOPBACK_HOST}:${portOf(variables, 'POSTGRES_PORT', 5432)}`
  const url = databaseUrl(server, 'postgres', 'postgres', variables.POSTGRES_PASSWORD ?? '')
  if (schedule === null) {
    // What an earlier start kept for the archive would fill the disk.
    const released = releaseLog(url).catch(() => undefined)
    return { stop: () => Promise.race([released, sleep(STOP_WITHIN_MS, undefined, { ref: false })]) }
  }
  const { place, everyHours, keep, logEverySeconds, recipients, verify } = schedule
  // This process' predecessor left them when it was killed while it wrote or sent them.
  if (isBucket(place)) rmSync(join(home.folder, 'unsent'), { recursive: true, force: true })
  const opening = storeAt(place, home, variables)
  const options = { home, variables, lock: { recipients } }
  const loops = new Map<Task, Loop>()
  const every = (task: Task, everyMs: number, act: (signal: AbortSignal) => Promise<Facts | null>) => {
    const round = async (signal: AbortSignal) => {
      report({ event: 'began', task })
      const facts = await act(signal)
      report(facts ? { event: 'done', task, ...facts } : { event: 'skipped', task })
    }
    const warn = (failure: unknown) => report({ event: 'failed', task, error: describe(failure) })
    const logger = { warn, debug: () => undefined }
    loops.set(task, loop({ name: task, everyMs, act: round, logger, stopWithinMs: STOP_WITHIN_MS }))
  }
  every('backup', LOOK_MS, async signal => {
    const store = await opening
    const created = await backUpIfDue(url, everyHours, { ...options, store, signal })
    if (created) await pruneBackups(store, keep)
    const newest = await newestIn(store)
    return newest ? { newest } : {}
  })
  if (logEverySeconds > 0) {
    every('log', logEverySeconds * 1000, async signal => {
      const { hasGap, completeAt } = await archiveWal(url, { ...options, store: await opening, signal })
      if (hasGap) {
        report({ event: 'gap', task: 'log' })
        loops.get('backup')?.wake()
      }
      return { logUpTo: completeAt }
    })
  }
  if (verify) {
    every('verify', LOOK_MS * 10, async signal => {
      const doneAt = readBackupsState(home)?.tasks.verify?.doneAt
      const store = await opening
      const found = await newestIn(store)
      if (!found || (doneAt && Math.abs(Date.now() - Date.parse(doneAt)) < verify.everyDays * DAY_MS))
        return null
      const key = readKeyFile(verify.keyFile)
      const name = basename(found.file)
      await verifyBackup({ home, store, name, key, signal, step: () => undefined })
      return {}
    })
  }
  return {
    stop: async () => {
      await Promise.all([...loops.values()].map(each => each.stop()))
    },
  }
}

function describe(failure: unknown): string {
  const { err } = failure as { err: unknown }
  return err instanceof Error ? err.message : String(err)
}

async function newestIn(store: Store): Promise<Facts['newest']> {
  const found = (await listBackups(store)).at(-1)
  return found && { file: found.file, endedAt: found.endedAt.toISOString(), bytes: found.bytes }
}

async function releaseLog(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: withSearchPath(url) })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await stopKeepingWal(client)
  } finally {
    await client.end()
  }
}
