import { createServer, type Server, type ServerOptions } from '@windlass/service/http/server.ts'
import { createCounter, publishGauge, type Sample } from '@windlass/service/observe/metrics.ts'
import type { Running } from '@windlass/service/process/run.ts'
import { placeData } from '@windlass/postgres/data-folder.ts'
import { fork, type ChildProcess } from 'node:child_process'
import type { StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Home, homeAt } from '../home.ts'
import { BACKUPS } from '../services.ts'
import { definedIn, portOf } from '../settings.ts'
import { readSchedule } from './schedule.ts'
import {
  type BackupsState,
  type News,
  readBackupsState,
  type Task,
  TASKS,
  withNews,
  writeBackupsState,
} from './state.ts'

interface Limits {
  /** Without a sign of life the worker hangs in a call of the operating system. */
  silentMs: number
  /** How long one round of a task may take. */
  roundMs: Readonly<Record<Task, number>>
  /** Pause before a worker that ended is started again. */
  againMs: number
}

const MINUTE_MS = 60_000
const LIMITS: Limits = {
  silentMs: MINUTE_MS,
  roundMs: { backup: 720 * MINUTE_MS, log: 15 * MINUTE_MS, verify: 720 * MINUTE_MS },
  againMs: MINUTE_MS / 2,
}
const STOP_WITHIN_MS = 2_500
const WORKER = fileURLToPath(new URL('./worker/main.ts', import.meta.url))

const failures = createCounter('windlass_backup_failures_total', 'Backup tasks that failed', ['task'])

/**
 * Has a process of its own make backups, and says how they are: as metrics, and in a file of WINDLASS_HOME. The place may be
 * on a network disk that no longer answers. A process that waits for one cannot even be ended, so nobody waits for it.
 */
export async function startKeeper(
  env: NodeJS.ProcessEnv,
  logger: NonNullable<ServerOptions['logger']>,
  given: Partial<Limits> = {},
): Promise<Running & { port: number }> {
  const limits = { ...LIMITS, ...given }
  const variables = definedIn(env)
  const home = homeAt(variables.WINDLASS_HOME)
  let state = initialState(readSchedule(variables), readBackupsState(home))
  const save = (next: BackupsState): void => writeBackupsState(home, (state = next))
  save(state)
  for (const task of TASKS) failures.inc({ task }, 0)

  const began = new Map<Task, number>()
  let heardAt: number | undefined
  const receive = (message: News | 'alive'): void => {
    heardAt = performance.now()
    if (message === 'alive') return
    if (message.event === 'began') began.set(message.task, performance.now())
    else if (message.event !== 'gap') began.delete(message.task)
    if (message.event === 'failed') {
      failures.inc({ task: message.task })
      logger.warn({ task: message.task }, message.error)
    }
    if (message.event === 'gap')
      logger.warn('a part of the log was removed before it was stored; backing up again')
    const { newest } = state
    save(withNews(state, message, new Date()))
    if (state.newest && state.newest.file !== newest?.file)
      logger.info({ file: state.newest.file, bytes: state.newest.bytes }, 'backed up')
  }

  const stopping = new AbortController()
  let worker: ChildProcess | undefined
  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const child = startWorker(env, receive)
      worker = child
      began.clear()
      heardAt = undefined
      await new Promise(resolve => child.once('exit', resolve).once('error', resolve))
      if (stopping.signal.aborted) return
      logger.warn({ code: child.exitCode, signal: child.signalCode }, 'the backups’ process ended')
      await sleep(limits.againMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  void work()
  const watch = setInterval(() => {
    const hanging = hangingTask(began, heardAt, limits)
    if (!worker || worker.exitCode !== null || !hanging) return
    // Ended already, and still there: it waits for the disk.
    if (worker.killed && !began.has(hanging)) return
    receive({
      ...{ event: 'failed', task: hanging },
      error: `${state.place ?? 'The databases'} did not answer in time. See that its disk is mounted and its server runs.`,
    })
    worker.kill('SIGKILL')
  }, limits.silentMs / 4)

  const server = await createServer({ name: BACKUPS.name, logger, documents: false })
  publish(server.app.metrics, home, () => state)
  const [[variable, fallback] = ['', 0]] = BACKUPS.ports
  const port = await server.listen(portOf(variables, variable, fallback), variables.BIND_HOST)
  return {
    port,
    stop: async () => {
      stopping.abort()
      clearInterval(watch)
      const closing = server.close()
      const child = worker
      if (child && child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        const ended = new Promise(resolve => child.once('exit', resolve))
        await Promise.race([ended, sleep(STOP_WITHIN_MS, undefined, { ref: false })])
        child.kill('SIGKILL')
        child.unref()
        if (child.connected) child.disconnect()
      }
      await closing
    },
  }
}

function initialState(
  schedule: ReturnType<typeof readSchedule>,
  before: BackupsState | undefined,
): BackupsState {
  const { place = null, everyHours = 0, logEverySeconds = 0 } = schedule ?? {}
  // What was known is of the place where it was.
  const known = before?.place === place ? before : { tasks: {} }
  return { ...known, place, everySeconds: everyHours * 3_600, logEverySeconds }
}

function startWorker(env: NodeJS.ProcessEnv, receive: (message: News | 'alive') => void): ChildProcess {
  const { WINDLASS_SOCKETS: _sockets, WINDLASS_CHANNEL: _channel, ...own } = env
  const child = fork(WORKER, { env: own, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  child.on('message', receive as (message: unknown) => void)
  return child
}

/** A task whose round takes too long; of a worker that gives no sign of life, the one that it is at. */
function hangingTask(
  began: ReadonlyMap<Task, number>,
  heardAt: number | undefined,
  limits: Limits,
): Task | undefined {
  const now = performance.now()
  const late = [...began].find(([task, at]) => now - at > limits.roundMs[task])?.[0]
  if (late) return late
  // While it loads it says nothing yet.
  return heardAt !== undefined && now - heardAt > limits.silentMs
    ? ([...began.keys()][0] ?? 'backup')
    : undefined
}

function publish(registry: Server['app']['metrics'], home: Home, state: () => BackupsState): void {
  const ageOf = (time: string | undefined): number | null =>
    time === undefined ? null : Math.max(0, (Date.now() - Date.parse(time)) / 1_000)
  const gauge = (
    name: string,
    help: string,
    read: () => Sample[] | number | null | Promise<Sample[]>,
    labels?: string[],
  ) => publishGauge(registry, { name, help, read, ...(labels && { labels }) })
  gauge('windlass_backup_age_seconds', 'Age of the newest backup', () => ageOf(state().newest?.endedAt))
  gauge('windlass_backup_interval_seconds', 'How often backups are made; 0: none are scheduled', () =>
    state().place === null ? 0 : state().everySeconds,
  )
  gauge('windlass_backup_bytes', 'Size of the newest backup', () => state().newest?.bytes ?? null)
  gauge('windlass_backup_log_age_seconds', 'Time since which the log is not stored', () =>
    state().logEverySeconds === 0 ? null : ageOf(state().logUpTo),
  )
  gauge(
    'windlass_backup_verified_age_seconds',
    'Time since the newest backup was verified by the schedule',
    () => ageOf(state().tasks.verify?.doneAt),
  )
  gauge(
    'windlass_backup_failing_seconds',
    'Time since which a backup task fails; 0: its last try succeeded',
    () => TASKS.map(task => ({ labels: { task }, value: ageOf(state().tasks[task]?.failingSince) ?? 0 })),
    ['task'],
  )
  const disks = { home: home.folder, postgres: placeData(home.postgres).folder }
  const ofDisks = (name: string, help: string, of: (found: StatsFs) => number) =>
    gauge(
      name,
      help,
      () =>
        Promise.all(
          Object.entries(disks).map(async ([disk, folder]) => ({
            ...{ labels: { disk }, value: of(await statfs(folder)) },
          })),
        ),
      ['disk'],
    )
  ofDisks('windlass_disk_free_bytes', 'Free space of a disk', ({ bavail, bsize }) => bavail * bsize)
  ofDisks('windlass_disk_bytes', 'Size of a disk', ({ blocks, bsize }) => blocks * bsize)
  ofDisks('windlass_disk_free_files', 'Files that a disk has room for (inodes)', ({ ffree }) => ffree)
  ofDisks('windlass_disk_files', 'Files that a disk can have at most (inodes)', ({ files }) => files)
}
