import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning } from '@windlass/runtimes/processes/process-identity.ts'
import { fingerprint } from './built-from.ts'
import type { Home } from './home.ts'
import type { StackLock } from './run-files.ts'
import { BACKUPS, SERVICES } from './services.ts'

/** What has been restarted so far. */
interface Report {
  id: string
  /** Titles of the parts, in order. */
  done: string[]
  /** The part that did not start, and why: the old one still runs. */
  failed?: { part: string; reason: string }
  ended: boolean
}

/** Restarts parts one after the other, and reports each. Throws {@link RestartError}. */
export type Restart = (parts: readonly string[], restarted: (title: string) => void) => Promise<void>

/** A new process of a part did not become healthy; the old one still runs. */
export class RestartError extends Error {
  readonly part: string
  constructor(part: string, reason: string) {
    super(reason)
    this.part = part
  }
}

const requestFile = ({ run }: Home): string => join(run, 'restart.request')
const reportFile = ({ run }: Home): string => join(run, 'restart.report')

/** Serves requests of other terminals: a file, and SIGUSR2. Returns what ends that. */
export function serveRestarts(home: Home, restart: Restart): () => void {
  let under: Promise<void> = Promise.resolve()
  const listener = () => {
    under = under.then(() => carryOut(home, restart)).catch(() => undefined)
  }
  if (process.platform !== 'win32') process.on('SIGUSR2', listener)
  return () => void process.off('SIGUSR2', listener)
}

async function carryOut(home: Home, restart: Restart): Promise<void> {
  const { id, parts }: { id: string; parts: string[] } = JSON.parse(readFileSync(requestFile(home), 'utf8'))
  const report: Report = { id, done: [], ended: false }
  const write = () => writeWhole(reportFile(home), report)
  write()
  try {
    await restart(parts, title => {
      report.done.push(title)
      write()
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    report.failed = { part: error instanceof RestartError ? error.part : '', reason }
  }
  report.ended = true
  write()
}

function writeWhole(file: string, content: object): void {
  writeFileSync(`${file}.partial`, JSON.stringify(content), { mode: 0o600 })
  renameSync(`${file}.partial`, file)
}

/**
 * Has a running stack restart parts; without names, all that can be.
 *
 * @throws {RestartError} and Error, where the stack cannot or ends.
 */
export async function requestRestart(
  home: Home,
  lock: StackLock,
  parts: readonly string[],
  restarted: (title: string) => void,
): Promise<void> {
  if (lock.launcher === undefined || process.platform === 'win32')
    throw new Error('The running stack cannot restart parts one by one. Use npm stop, then npm start.')
  const id = randomUUID()
  writeWhole(requestFile(home), { id, parts })
  process.kill(lock.pid, 'SIGUSR2')
  for (let shown = 0; ; await sleep(100)) {
    const report = readReport(home, id)
    for (const title of report?.done.slice(shown) ?? []) restarted(title)
    shown = report?.done.length ?? 0
    if (report?.failed) throw new RestartError(report.failed.part, report.failed.reason)
    if (report?.ended) return
    if (!(await isRunning(lock)))
      throw new Error('The stack ended meanwhile. See npm run logs, then npm start.')
  }
}

function readReport(home: Home, id: string): Report | undefined {
  try {
    const report = JSON.parse(readFileSync(reportFile(home), 'utf8')) as Report
    return report.id === id ? report : undefined
  } catch {
    return undefined
  }
}

const TRANSPORT = ['service-process.ts', 'launcher.ts', 'sockets.ts']

/**
 * Where this differs from what a running launcher was started from, parts of the new release need a new launcher: it
 * starts processes in another way, or other ones. Programs, flags and settings are read again before each restart.
 */
export function launcherVersion(): string {
  const shapes = [...SERVICES, BACKUPS].map(
    ({ name, ports, needs, handsOver, startsAnchors, user, folders }) => [
      ...[name, ports, needs, handsOver, startsAnchors, user, folders],
    ],
  )
  const transport = fingerprint(TRANSPORT.map(name => `apps/windlass/${name}`))
  return createHash('sha256').update(transport).update(JSON.stringify(shapes)).digest('hex').slice(0, 16)
}
