import { textWithin } from '@windlass/service/outbound/bounded-text.ts'
import { LOOPBACK, LOOPBACK_HOST } from '@windlass/service/process/loopback.ts'
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, fstatSync, openSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { end, identify, isRunning, processorTime } from '@windlass/runtimes/processes/process-identity.ts'
import { markOf } from '@windlass/runtimes/processes/run-file.ts'
import type { Variables } from './base-env.ts'
import { CHECKOUT, type Home } from './home.ts'
import { privilegesOf, serveLauncher } from './launcher.ts'
import { lastLogLines, logFileOf } from './log-files.ts'
import { writeRunFile } from './run-files.ts'
import type { Service } from './services.ts'
import { portOf } from './settings.ts'
import { bindSockets, type BoundSocket, socketsVariable } from './sockets.ts'
import { compileCacheOf, readSecretFiles } from './users.ts'

/** A part that runs: a service, or Postgres. */
export interface RunningPart {
  pid: number
  /** Where its log begins in the log file. */
  logStart: number
  /** Resolves when it ends, with the reason. */
  ended: Promise<Ending>
  /** Port at which this process alone answers. */
  probe?: number
  /** Ends it, by force after `patience` milliseconds. */
  stop(patience: number): Promise<void>
  /** Ends it once its requests have ended, where another process has its sockets. */
  handOver?(patience: number): Promise<void>
}

export interface Ending {
  description: string
  /** A wrong setting (exit code 78, EX_CONFIG): a restart would end the same way. */
  hopeless: boolean
}

/** For a service that cannot be recorded: nobody would find it to stop it. */
const UNRECORDED_PATIENCE_MS = 1000

/** Exit code of a service whose settings are wrong (sysexits.h). */
const EX_CONFIG = 78

/** Descriptors up to here are standard input, output, error, and the channel to the launcher. */
const FIRST_SOCKET = 4

/**
 * Starts a service; its output goes to its log file, which outlives this process.
 *
 * @param user id of its user; undefined: ourselves
 * @param sockets what it listens on; with them it gets one of its own, at which its health is asked for
 */
export async function launchService(
  service: Service,
  variables: Variables,
  home: Home,
  user?: number,
  sockets: readonly BoundSocket[] = [],
): Promise<RunningPart> {
  const log = openSync(logFileOf(home, service.name), 'a', 0o600)
  const logStart = fstatSync(log).size
  const runFile = unusedRunFile(home, service.name)
  const program = [...(service.flags ?? []), resolve(CHECKOUT, service.script)]
  const privileges = privilegesOf(service, user, variables, home)
  const [probe] = sockets.length > 0 ? bindSockets(0, LOOPBACK) : []
  const inherited = probe ? [...sockets, probe] : sockets
  // The probe answers for the first port.
  const ports = inherited.map(each => (each === probe ? sockets[0]?.port : each.port) ?? 0)
  const channels = {
    ...(privileges && { WINDLASS_CHANNEL: '3' }),
    ...(probe && { WINDLASS_SOCKETS: socketsVariable(ports, FIRST_SOCKET) }),
  }
  const child = spawn(process.execPath, [...program, markOf(runFile)], {
    cwd: CHECKOUT,
    stdio: ['ignore', log, log, privileges ? 'pipe' : 'ignore', ...inherited.map(({ fd }) => fd)],
    // Its own session: Ctrl-C reaches only the supervisor, which stops everything in order.
    detached: true,
    ...identityOf(service, variables, user, channels),
  })
  closeSync(log)
  probe?.close()
  if (privileges) serveLauncher(child.stdio[3] as Duplex, privileges)
  const ended = endingOf(child)
  const pid = await pidOf(child)
  const identity = (await identify(pid)) ?? { pid, startTime: 'ended' }
  try {
    writeRunFile(runFile, { ...identity, name: service.name, startedAt: new Date().toISOString() })
  } catch (error) {
    await end(identity, UNRECORDED_PATIENCE_MS)
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartFailure(`${service.title} was stopped: its run file cannot be written (${reason})`, false)
  }
  const removeRunFile = () => rmSync(runFile, { force: true })
  void ended.then(removeRunFile)
  return {
    pid,
    logStart,
    ended,
    ...(probe && { probe: probe.port }),
    stop: async patience => {
      await end(identity, patience)
      removeRunFile()
    },
    handOver: async patience => {
      if (await isRunning(identity)) process.kill(pid, 'SIGUSR2')
      await Promise.race([ended, sleep(patience, undefined, { ref: false })])
      await end(identity, UNRECORDED_PATIENCE_MS)
    },
  }
}

/** While one process takes over from another there are two. */
function unusedRunFile(home: Home, name: string): string {
  const file = join(home.run, `${name}.json`)
  return existsSync(file) ? join(home.run, `${name}-next.json`) : file
}

function identityOf({ name }: Service, variables: Variables, user: number | undefined, channels: Variables) {
  const NODE_COMPILE_CACHE = compileCacheOf(name)
  if (user === undefined) return { env: { ...variables, ...channels, NODE_COMPILE_CACHE } }
  const own = { ...channels, NODE_COMPILE_CACHE, HOME: '/nonexistent' }
  return { uid: user, gid: user, env: { ...readSecretFiles(variables, user), ...own } }
}

function pidOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () => resolve(child.pid ?? 0))
  })
}

function endingOf(child: ChildProcess): Promise<Ending> {
  return new Promise(resolve => {
    child.once('exit', (code, signal) =>
      resolve({
        description: signal === null ? `exit code ${code}` : `signal ${signal}`,
        hopeless: code === EX_CONFIG,
      }),
    )
    child.once('error', error => resolve({ description: error.message, hopeless: true }))
  })
}

/** The address of a service's health check. */
function healthAddress(service: Service, variables: Variables, probe?: number): string {
  if (probe !== undefined) return `http://${LOOPBACK_HOST}:${probe}${service.health}`
  const [variable, fallback] = service.ports[0] ?? ['', 0]
  const host = variables.BIND_HOST ?? 'localhost'
  const reachable = ['localhost', '0.0.0.0', '::'].includes(host) ? LOOPBACK_HOST : host
  return `http://${reachable}:${portOf(variables, variable, fallback)}${service.health}`
}

export interface Health {
  healthy: boolean
  /** Why it is not healthy; absent: it is. */
  why?: 'silent' | 'database' | 'disk-full' | 'check'
  description: string
}

/**
 * Checks a service's health once.
 *
 * @param probe port of one of its processes
 */
export const checkHealth = (service: Service, variables: Variables, probe?: number): Promise<Health> =>
  checkHealthAt(healthAddress(service, variables, probe))

/** Asks one address for its health, once. */
export async function checkHealthAt(address: string): Promise<Health> {
  try {
    const response = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(3000) })
    const body = await textWithin(response.body)
    if (response.ok) return { healthy: true, description: 'healthy' }
    return {
      ...{ healthy: false, why: reasonIn(body) },
      description: `answers ${response.status} ${failingChecks(body)}`,
    }
  } catch {
    return { healthy: false, why: 'silent', description: 'no answer' }
  }
}

function reasonIn(body: string): NonNullable<Health['why']> {
  const checks = failingChecks(body)
  if (/\bfull\b/.test(checks)) return 'disk-full'
  return /\bdatabase\b/.test(checks) ? 'database' : 'check'
}

function failingChecks(body: string): string {
  try {
    const { checks }: { checks?: Record<string, unknown> } = JSON.parse(body)
    const failing = Object.entries(checks ?? {}).filter(([, state]) => state !== 'ok')
    return failing.length > 0
      ? `(${failing.map(([name, state]) => `${name}: ${JSON.stringify(state)}`).join(', ')})`
      : ''
  } catch {
    return ''
  }
}

interface Patience {
  /** Milliseconds that a part may spend without a sign of work. */
  timeout?: number
  /** Milliseconds after which one that is still at work is given up. */
  most?: number
  /** Called each time the timeout has passed for a part that is still at work. */
  onSlow?: (sentence: string) => void
}

/**
 * Resolves once the service is healthy. A part that has not answered yet and still works, by its log or its processor time,
 * is waited for: on a machine that has much to do a start takes minutes, and starting again would make it longer.
 *
 * @throws {Error} with the end of its log when it ends or takes too long.
 */
export async function untilHealthy(
  service: Service,
  part: RunningPart,
  variables: Variables,
  home: Home,
  { timeout = 60_000, most = 10 * timeout, onSlow }: Patience = {},
): Promise<void> {
  let ending: Ending | undefined
  void part.ended.then(result => {
    ending = result
  })
  const fail = (what: string, hopeless: boolean) => {
    const file = logFileOf(home, service.name)
    const lines = lastLogLines(file, 12, part.logStart).map(line => `      ${line}`)
    const log = lines.length > 0 ? [`. The end of ${file}:`, ...lines].join('\n') : ''
    return new StartFailure(`${service.title} ${what}${log}`, hopeless)
  }
  const began = performance.now()
  let deadline = began + timeout
  let before = await workOf(part, logFileOf(home, service.name))
  for (;;) {
    const health = await checkHealth(service, variables, part.probe)
    if (health.healthy) return
    if (ending !== undefined) throw fail(`ended with ${ending.description}`, ending.hopeless)
    const now = performance.now()
    if (now > deadline) {
      const seconds = Math.round((now - began) / 1000)
      const work = await workOf(part, logFileOf(home, service.name))
      // One that answers has started: it waits for something else, and works at that.
      const isStarting = health.why === 'silent' && hasWorked(before, work) && now - began < most
      if (!isStarting) throw fail(`was not healthy after ${seconds} s: ${health.description}`, false)
      onSlow?.(
        `${service.title} is still starting after ${seconds} s; waiting for its health check to answer`,
      )
      before = work
      deadline = now + timeout
    }
    await sleep(40)
  }
}

interface Work {
  logged: number
  ticks: number | null
}

const workOf = async ({ pid }: RunningPart, logFile: string): Promise<Work> => ({
  logged: statSync(logFile, { throwIfNoEntry: false })?.size ?? 0,
  ticks: await processorTime(pid),
})

/** A process that hangs uses a tick sometimes, for its timers. Half a second in the time is work. */
const WORK_TICKS = 50

const hasWorked = (before: Work, now: Work): boolean =>
  now.logged > before.logged || (now.ticks ?? 0) - (before.ticks ?? 0) >= WORK_TICKS

/** A service did not start; the message includes the end of its log. */
export class StartFailure extends Error {
  readonly hopeless: boolean
  constructor(message: string, hopeless: boolean) {
    super(message)
    this.hopeless = hopeless
  }
}
