import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '@windlass/service/process/write-whole.ts'
import type { Home } from '../home.ts'

/** What the schedule does. */
export const TASKS = ['backup', 'log', 'verify'] as const
export type Task = (typeof TASKS)[number]

/** What one task came to. */
interface Outcome {
  /** When it last succeeded. ISO 8601, as all times here. */
  doneAt?: string
  /** Since when it fails; absent: its last try succeeded. */
  failingSince?: string
  /** Why its last try failed. */
  error?: string
}

/** What is known about the backups of this stack. It is on the disk of the data, which answers where theirs does not. */
export interface BackupsState {
  /** Null: none are scheduled. */
  place: string | null
  everySeconds: number
  /** 0: the log is not stored. */
  logEverySeconds: number
  /** Absent: none is known. */
  newest?: { file: string; endedAt: string; bytes: number }
  /** All that was committed before it is stored. */
  logUpTo?: string
  /** When a part of the log was lost before it was stored, and a new backup became necessary. */
  gapAt?: string
  tasks: Partial<Record<Task, Outcome>>
}

/** What a round finds. */
export type Facts = Partial<Pick<BackupsState, 'newest' | 'logUpTo'>>

/** What the schedule reports. */
export type News =
  | { event: 'began' | 'skipped' | 'gap'; task: Task }
  | ({ event: 'done'; task: Task } & Facts)
  | { event: 'failed'; task: Task; error: string }

const fileOf = (home: Home): string => join(home.folder, 'backups-state.json')

/** Undefined: no stack has run here since this is written. */
export function readBackupsState(home: Home): BackupsState | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(home), 'utf8')) as BackupsState
  } catch {
    return undefined
  }
}

export const writeBackupsState = (home: Home, state: BackupsState): void =>
  void writeWhole(fileOf(home), `${JSON.stringify(state, null, 2)}\n`)

/** The state after what was reported. */
export function withNews(state: BackupsState, news: News, now: Date): BackupsState {
  const at = now.toISOString()
  const before = state.tasks[news.task]
  if (news.event === 'gap') return { ...state, gapAt: at }
  if (news.event === 'failed') {
    const failing = { ...before, failingSince: before?.failingSince ?? at, error: news.error }
    return { ...state, tasks: { ...state.tasks, [news.task]: failing } }
  }
  if (news.event !== 'done') return state
  const { newest = state.newest, logUpTo = state.logUpTo } = news
  return {
    ...state,
    ...(newest && { newest }),
    ...(logUpTo && { logUpTo }),
    tasks: { ...state.tasks, [news.task]: { doneAt: at } },
  }
}

/** Something that a person should look at: what, since when, and what to do. */
export interface Concern {
  text: string
  since: string | undefined
  advice: string
}

const FAILING_MS = 5 * 60_000
const LOG_BEHIND_MS = 10 * 60_000
const HOUR_MS = 3_600_000

/** What is wrong with the backups, if anything. */
export function concernsOf(state: BackupsState, now: Date): Concern[] {
  const { place, newest, logUpTo, everySeconds, logEverySeconds, tasks } = state
  if (place === null) return []
  const ageOf = (time: string): number => now.getTime() - Date.parse(time)
  const concerns: Concern[] = []
  for (const task of TASKS) {
    const { failingSince, error = '' } = tasks[task] ?? {}
    if (failingSince === undefined || ageOf(failingSince) < FAILING_MS) continue
    concerns.push({ text: `${FAILS[task]}: ${error}`, since: failingSince, advice: 'npm run doctor' })
  }
  if (newest && ageOf(newest.endedAt) > 1.5 * everySeconds * 1_000 + HOUR_MS)
    concerns.push({
      ...{ text: `the newest backup is old: ${newest.file}`, since: newest.endedAt },
      advice: 'docs/runbooks/WindlassBackupOld.md',
    })
  if (logEverySeconds > 0 && logUpTo && ageOf(logUpTo) > LOG_BEHIND_MS + logEverySeconds * 1_000)
    concerns.push({
      ...{ text: 'the log is not stored: a lost machine costs all changes since then', since: logUpTo },
      advice: 'docs/runbooks/WindlassBackupLogBehind.md',
    })
  return concerns
}

const FAILS: Readonly<Record<Task, string>> = {
  backup: 'backups fail',
  log: 'the log cannot be stored',
  verify: 'the newest backup could not be verified',
}
