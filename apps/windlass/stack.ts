import { PartWatch } from './part-states.ts'
import { LOOPBACK_HOST } from '@windlass/service/process/loopback.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { findRunning } from '@windlass/postgres/start.ts'
import { identify } from '@windlass/runtimes/processes/process-identity.ts'
import { readOrCreateBaseEnv, type Variables } from './base-env.ts'
import { databaseUrl } from '@windlass/postgres/databases.ts'
import { rememberKeysOfData, requireKeysOfData } from './data-keys.ts'
import { rememberMigrations, requireMigrationsOfData } from './data-migrations.ts'
import { readSchedule } from './backups/schedule.ts'
import { chooseBackupsPort, chooseProxyPort, rememberProxyPort, requireFreePorts } from './choose-ports.ts'
import { protectAuditLog, writeCheckpoint } from './databases.ts'
import { CHECKOUT, type Home, prepareHome } from './home.ts'
import { anchorServers, endAll, leftServices } from './leftovers.ts'
import { rotateLogs } from './log-files.ts'
import { postgresPart } from './postgres-part.ts'
import { requireSameDeployment } from './production-home.ts'
import { formatSeconds, type Progress } from './progress.ts'
import { readRelease } from './built-from.ts'
import { createReleaseParts, type ReleaseParts, variablesOfStack } from './release-parts.ts'
import { describePorts, servicePart } from './service-part.ts'
import { launcherVersion, type Restart, RestartError, serveRestarts } from './restarts.ts'
import { releaseLock, type StackLock, takeLock, updateLock } from './run-files.ts'
import { BACKUPS, type Service } from './services.ts'
import { ownVariables, publicVariables } from './settings-list.ts'
import { deriveVariables, portOf, readSettings, type Settings } from './settings.ts'
import type { Step } from './timeline.ts'
import { Supervisor } from './supervise.ts'
import { prepareUsers, type Users } from './users.ts'

interface StackOptions {
  home: Home
  environment: NodeJS.ProcessEnv
  progress: Progress
  /** When aborted, stops a stack that is still starting. */
  interrupted: AbortSignal
  /** What to start instead of Windlass' own services. */
  services?: readonly Service[]
}

/** A running stack. */
export interface Stack {
  settings: Settings
  /** The stack's own variables: addresses, ports, credentials. */
  variables: Variables
  /** What its start consisted of. */
  timeline: readonly Step[]
  /** Restarts parts, or all that can be, one after the other: each takes over from its predecessor, no request is lost. */
  restart: Restart
  /** Stops everything in reverse order, within ten seconds. May be called again. */
  stop(): Promise<void>
}

/** The start was interrupted. */
export class InterruptedError extends Error {
  constructor() {
    super('stopped before the stack was ready')
  }
}

interface Supervised {
  supervisor: Supervisor
  needs: readonly string[]
  detail: string
  handsOver: boolean
}

interface Stoppable {
  name: string
  needs: readonly string[]
  stop(patience: number): Promise<void>
  /** Milliseconds it may take, where that is not what others get. */
  patience?(usual: number): Promise<number>
}

const LOG_CHECK_MS = 30_000
/** An ordered stop takes at most ten seconds where there are few anchors. */
const STOP_WITHIN_MS = 9500
const FIRST_PATIENCE_MS = 3500
const LATER_PATIENCE_MS = 1500
/** Many servers that end at once share the processor. */
const PATIENCE_PER_ANCHOR_SERVER_MS = 100
/** Postgres ends cleanly within this, however long the others took: ended by force, it has to recover. */
const POSTGRES_PATIENCE_MS = 5000
const CLEAR_AWAY_MS = 2000

/** A stack of this home is already running. */
export class AlreadyRunningError extends Error {
  readonly lock: StackLock
  constructor(lock: StackLock) {
    super(`Windlass is already running: process ${lock.pid}, since ${lock.startedAt}.`)
    this.lock = lock
  }
}

/**
 * Starts the whole stack: each part once those it needs are healthy, all others at the same time.
 *
 * @throws {AlreadyRunningError} {@link PortsTakenError} ConfigError; after a failure nothing is left running.
 */
export async function raiseStack(options: StackOptions): Promise<Stack> {
  const { home, progress } = options
  const began = performance.now()
  prepareHome(home)
  const baseEnv = readOrCreateBaseEnv(home.baseEnvFile)
  const settings = readSettings(baseEnv.variables, options.environment, options.services)
  requireSameDeployment(home, settings)
  // Where only some parts start, such as in a practice, nothing is backed up.
  if (settings.databases.length > 0 && !options.services) {
    readSchedule(settings.variables)
    settings.services.push(BACKUPS)
  }
  if (settings.databases.length > 0) {
    requireKeysOfData(home, settings.variables)
    await requireMigrationsOfData(home)
  }
  const lock = await acquireLock(home)
  const startedFrom = { launcher: launcherVersion(), release: readRelease(), checkout: CHECKOUT }
  const supervised: Supervised[] = []
  const starts: Promise<void>[] = []
  const ending = new AbortController()
  const interrupted = AbortSignal.any([options.interrupted, ending.signal])
  let rotation: NodeJS.Timeout | undefined
  const watch = new PartWatch(home)
  let superuser: string | undefined
  let parts: ReleaseParts | undefined
  const restart: Restart = async (names, restarted) => {
    await parts?.readAgain().catch((error: unknown) => {
      throw new RestartError('this release', error instanceof Error ? error.message : String(error))
    })
    await restartParts(supervised, names, restarted)
  }
  const endRestarts = serveRestarts(home, restart)
  const stop = once(async () => {
    endRestarts()
    clearInterval(rotation)
    watch.stop()
    const written = superuser ? writeCheckpoint(superuser).catch(() => undefined) : Promise.resolve()
    await lower(supervised, home, progress, written)
    releaseLock(home.run)
  })
  try {
    progress.heading(`Windlass  (data in ${home.folder})`)
    if (baseEnv.generated) progress.done('base env file', `generated ${home.baseEnvFile}`)
    await clearLeftovers(home, progress)
    const proxyPort = await chooseProxyPort(settings, progress)
    const chosen = { home: home.folder, proxyPort, backupsPort: await chooseBackupsPort(settings) }
    const derived = deriveVariables(settings, home.folder, proxyPort)
    const variables = variablesOfStack(settings, chosen)
    const question = { ...chosen, baseEnvFile: home.baseEnvFile, variables: settings.variables }
    parts = createReleaseParts(settings.services, variables, options.services ? undefined : question)
    if (settings.databases.length > 0) superuser = superuserUrl(variables)
    await requireFreePorts(settings.services, variables, postgresNeedsPort(settings, variables, home))
    for (const sentence of settings.replaced) progress.note(sentence)

    const users = await prepareUsers(settings, variables, home, progress)
    supervised.push(...planParts(settings, variables, home, progress, { interrupted, users, watch, parts }))
    const sinceBegin = () => performance.now() - began
    const timeline: Step[] = [{ name: PREPARED, from: 0, to: sinceBegin() }]
    starts.push(...startAll(supervised, progress, sinceBegin, timeline))
    await Promise.race([Promise.all(starts), whenAborted(interrupted)])
    await protectEmbeddedAuditLog(settings, variables)
    progress.plain(`\n  ${supervised.length} parts healthy after ${formatSeconds(performance.now() - began)}`)
    const shared = ownVariables(variables, { ...baseEnv.variables, ...derived })
    const services = settings.services.map(({ name }) => name)
    updateLock(home.run, {
      ...lock,
      ready: true,
      services,
      variables: publicVariables(shared),
      ...startedFrom,
    })
    rememberProxyPort(settings, home, proxyPort)
    if (settings.databases.length > 0) {
      rememberKeysOfData(home, settings.variables)
      await rememberMigrations(home, settings.databases, variables, startedFrom.release)
    }
    rotation = setInterval(() => rotateLogs(home), LOG_CHECK_MS).unref()
    watch.begin([...(superuser ? (['postgres'] as const) : []), ...settings.services], variables)
    return { settings, variables: shared, timeline, restart, stop }
  } catch (error) {
    ending.abort()
    await stop()
    // Unfinished work (a data folder, a console) is stopped and removed.
    await Promise.race([Promise.allSettled(starts), sleep(CLEAR_AWAY_MS)])
    throw error
  }
}

/** Once the platform has migrated its database. */
async function protectEmbeddedAuditLog({ databases }: Settings, variables: Variables): Promise<void> {
  const platform = databases.find(({ variable }) => variable === 'PLATFORM_DATABASE_URL')
  if (!platform) return
  await protectAuditLog(superuserUrl(variables), platform.name, platform.name)
}

function superuserUrl(variables: Variables): string {
  const server = `postgres://${LOOPBACK_HOST}:${portOf(variables, 'POSTGRES_PORT', 5432)}`
  return databaseUrl(server, 'postgres', 'postgres', variables.POSTGRES_PASSWORD ?? '')
}

async function acquireLock(home: Home): Promise<StackLock> {
  const identity = (await identify(process.pid)) ?? { pid: process.pid, startTime: '' }
  const startedAt = new Date().toISOString()
  const lock: StackLock = {
    ...identity,
    name: 'windlass',
    startedAt,
    ready: false,
    services: [],
    variables: {},
  }
  const holder = await takeLock(home.run, lock)
  if (holder !== undefined) throw new AlreadyRunningError(holder)
  return lock
}

async function clearLeftovers(home: Home, progress: Progress): Promise<void> {
  const left = await leftServices(home)
  if (left.length === 0) return
  progress.note(`cleaning up after a killed start: ${left.map(({ name }) => name).join(', ')}`)
  await endAll(left, 3000)
}

/** The port of our own Postgres from an earlier start counts as free. */
function postgresNeedsPort(settings: Settings, variables: Variables, home: Home): boolean {
  if (settings.databases.length === 0) return false
  return findRunning(home.postgres)?.port !== portOf(variables, 'POSTGRES_PORT', 5432)
}

function planParts(
  settings: Settings,
  variables: Variables,
  home: Home,
  progress: Progress,
  run: { interrupted: AbortSignal; users: Users; watch: PartWatch; parts: ReleaseParts },
): Supervised[] {
  const { interrupted, users, watch } = run
  const parts: Supervised[] = settings.services.map(service => ({
    supervisor: new Supervisor(
      servicePart(service.name, run.parts, home, {
        interrupted,
        user: users.get(service.name),
        onSlow: sentence => progress.note(sentence),
      }),
      progress,
      ending => watch.ended(service.name, ending),
    ),
    needs: service.needs,
    detail: describePorts(service, variables),
    handsOver: service.handsOver === true && process.platform !== 'win32',
  }))
  if (settings.databases.length > 0) {
    parts.unshift({
      supervisor: new Supervisor(
        postgresPart(settings, variables, home, progress, interrupted),
        progress,
        ending => watch.ended('postgres', ending),
      ),
      needs: [],
      detail: `${LOOPBACK_HOST}:${portOf(variables, 'POSTGRES_PORT', 5432)}`,
      handsOver: false,
    })
  }
  return parts
}

/** What comes before the parts: keys, ports, users. */
const PREPARED = 'preparation'

function startAll(
  supervised: readonly Supervised[],
  progress: Progress,
  sinceBegin: () => number,
  timeline: Step[],
): Promise<void>[] {
  const started = new Map<string, Promise<void>>()
  for (const { supervisor, needs, detail } of supervised) {
    const { name, title } = supervisor.part
    const start = async () => {
      await Promise.all(needs.map(need => started.get(need)))
      const from = sinceBegin()
      const after = timeline.findLast(step => step.name === PREPARED || needs.includes(step.name))?.name
      await supervisor.start()
      const to = sinceBegin()
      timeline.push({ name, from, to, after })
      progress.done(title, detail, to - from)
    }
    started.set(name, start())
  }
  return [...started.values()]
}

/** In the order of the list: what others need comes first. */
async function restartParts(
  supervised: readonly Supervised[],
  names: readonly string[],
  restarted: (title: string) => void,
): Promise<void> {
  const able = supervised.filter(({ handsOver }) => handsOver)
  const unable = names.find(name => !able.some(({ supervisor }) => supervisor.part.name === name))
  if (unable !== undefined) {
    const known = able.map(({ supervisor }) => supervisor.part.name).join(', ')
    throw new RestartError(unable, `"${unable}" cannot be restarted alone. Parts that can: ${known}`)
  }
  for (const { supervisor } of able) {
    const { name, title } = supervisor.part
    if (names.length > 0 && !names.includes(name)) continue
    try {
      await supervisor.replace()
    } catch (error) {
      throw new RestartError(title, error instanceof Error ? error.message : String(error))
    }
    restarted(title)
  }
}

/**
 * Stops in reverse order: first what nothing else needs, and so on; anchors' servers once nothing restarts them.
 *
 * @param written once Postgres has written out what it had in memory: little is left for it to write when it stops
 */
async function lower(
  supervised: readonly Supervised[],
  home: Home,
  progress: Progress,
  written: Promise<void>,
): Promise<void> {
  let left: Stoppable[] = [
    ...supervised.map(({ supervisor, needs }) => ({
      name: supervisor.part.name,
      needs: supervisor.part.name === 'control-plane' ? [...needs, 'anchors'] : needs,
      stop: (patience: number) => supervisor.stop(patience),
    })),
    {
      name: 'anchors',
      needs: ['postgres', 'local-network', 'reverse-proxy'],
      stop: async patience => endAll(await anchorServers(home), patience),
      patience: async usual => usual + (await anchorServers(home)).length * PATIENCE_PER_ANCHOR_SERVER_MS,
    },
  ]
  const deadline = performance.now() + STOP_WITHIN_MS
  let patience = FIRST_PATIENCE_MS
  while (left.length > 0) {
    const needed = new Set(left.flatMap(part => part.needs))
    const layer = left.filter(({ name }) => !needed.has(name))
    left = left.filter(part => !layer.includes(part))
    if (left.length === 0) {
      await Promise.race([written, sleep(LATER_PATIENCE_MS)])
      patience = Math.max(POSTGRES_PATIENCE_MS, deadline - performance.now() - LATER_PATIENCE_MS)
    }
    await Promise.allSettled(layer.map(part => stopOne(part, patience, progress)))
    patience = LATER_PATIENCE_MS
  }
}

async function stopOne(part: Stoppable, usual: number, progress: Progress): Promise<void> {
  const patience = (await part.patience?.(usual)) ?? usual
  const began = performance.now()
  await part.stop(patience)
  if (performance.now() - began < patience) return
  progress.warn(`${part.name} did not stop within ${formatSeconds(patience)} and was ended by force`)
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(new InterruptedError())
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
  })
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => (done ??= act())
}
