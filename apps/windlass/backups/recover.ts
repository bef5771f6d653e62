import { rmSync } from 'node:fs'
import { recoverySettings } from '@windlass/postgres/base-backup.ts'
import { numberBefore, numberOf } from '@windlass/postgres/log-segments.ts'
import { type RunningPostgres, startPostgres } from '@windlass/postgres/start.ts'
import {
  type DatabaseReport,
  inspectDatabases,
  type LastLedger,
  markRestored,
  readLastLedger,
  readLastChange,
} from './inspect.ts'
import type { LogFeed } from './log-feed.ts'
import type { LogPlan } from './log-plan.ts'
import type { BackupEnd } from './shelf.ts'

interface RecoverOptions {
  dataFolder: string
  superuserPassword: string
  end: BackupEnd
  /** Plan for the log; undefined: there is no log but the backup's own. */
  plan: LogPlan | undefined
  /** What hands it to Postgres; undefined: it is in the data folder. */
  feed: LogFeed | undefined
  /** The state to recover; by default the newest. */
  at: Date | undefined
  signal: AbortSignal
  step(what: string): void
}

/** The state that was recovered. */
export interface Reached {
  /** Time of the last change in it, ISO 8601. */
  at: string
  ledger: LastLedger | undefined
}

const RECOVERY_TIMEOUT_MS = 30 * 60 * 1000

/**
 * Starts Postgres on an unpacked backup, checks that it comes to the state that was asked for, and reads every row.
 *
 * @throws {Error} where the log does not lead there: what is lost, and how to accept that
 */
export async function recover(
  options: RecoverOptions,
): Promise<{ databases: DatabaseReport[]; reached: Reached }> {
  const { end, step } = options
  const logFile = `${options.dataFolder}.log`
  try {
    const { postgres, isAtEnd } = await startRecovered(options, logFile)
    const change = await readLastChange(postgres.url)
    const reached = {
      at: new Date(Math.max(change.at?.getTime() ?? 0, Date.parse(end.endedAt))).toISOString(),
      ledger: await readLastLedger(postgres.url),
    }
    if (isAtEnd) requireReached(reached, change.lsn, options)
    step('reading every row')
    const databases = await inspectDatabases(postgres.url)
    await markRestored(postgres.url, new Date())
    await postgres.stop()
    return { databases, reached }
  } finally {
    rmSync(logFile, { force: true })
  }
}

/** Postgres refuses a time after the last change in the log: then all of the log is recovered, and judged. */
async function startRecovered(
  { dataFolder, superuserPassword, plan, feed, at, signal }: RecoverOptions,
  logFile: string,
): Promise<{ postgres: RunningPostgres; isAtEnd: boolean }> {
  const start = (until: Date | undefined) =>
    startPostgres({
      ...{ dataFolder, port: 0, superuserPassword, logFile, signal },
      settings: {
        ...recoverySettings({ until, timeline: plan?.timeline, command: feed?.command }),
        max_connections: 500,
      },
      startTimeout: RECOVERY_TIMEOUT_MS,
    })
  try {
    return { postgres: await start(at), isAtEnd: at === undefined }
  } catch (error) {
    // oxlint-disable-next-line compared-sentences/by-codes -- Postgres logs it and ends.
    if (!at || !/recovery ended before configured recovery target was reached/.test(String(error)))
      throw error
    return { postgres: await start(undefined), isAtEnd: true }
  }
}

/** @throws {Error} where the end of the usable log is not the state that was asked for */
function requireReached(reached: Reached, lsn: string, { plan, at, feed }: RecoverOptions): void {
  const isRead = !plan || numberBefore(lsn) >= numberOf(plan.last)
  // The last change before a gap, named on purpose.
  if (at?.toISOString() === reached.at) return
  if (isRead && !plan?.gap) {
    if (!at || (plan?.completeAt && at.toISOString() <= plan.completeAt)) return
    throw new Error(
      `The stored log ends before ${at.toISOString()}, at ${reached.at}. Choose an earlier time, or none for the newest.`,
    )
  }
  throw new Error(
    `${isRead ? describeGap(plan) : describeUnread(plan, feed?.failure())} ${describeLoss(reached)}`,
  )
}

function describeGap(plan: LogPlan | undefined): string {
  if (!plan?.gap) return ''
  const { first, last, later, newest } = plan.gap
  const missing = `The stored log has a gap: ${first === last ? `${first} is` : `${first} to ${last} are`} missing.`
  if (!newest) return missing
  return `${missing} ${later} later ${later === 1 ? 'file' : 'files'}, the newest stored at ${newest.toISOString()}, cannot be used.`
}

const describeUnread = (plan: LogPlan | undefined, failure: Error | undefined): string =>
  `The stored log cannot be read up to its newest file, ${plan?.last}: ${failure?.message ?? 'it is damaged.'}`

const describeLoss = ({ at, ledger }: Reached): string =>
  `The last change that can be restored was made at ${at}${ledger ? `, when anchors had read the ledger up to ${ledger.sequence}` : ''}; all changes after it would be lost. To accept that, add: --at ${at}`
