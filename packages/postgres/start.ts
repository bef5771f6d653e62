import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Binaries, binariesAt, prepareBinaries } from './binaries.ts'
import { type DataPlace, identity, initialiseData, placeData, plainEnvironment } from './data-folder.ts'
import { isAlive, isPostmasterOf, readPostmasterFile, removeStalePostmasterFile } from './postmaster-file.ts'

export interface PostgresOptions {
  /** Folder of the databases; created when missing. See {@link placeData} for when another one is used. */
  dataFolder: string
  /** TCP port on 127.0.0.1 and ::1, as far as the machine has them; 0 takes any free one. */
  port: number
  /** Password of the superuser `postgres`. Another one than at the last start changes it. */
  superuserPassword: string
  /** Folder of the programs of another Postgres than the one from npm. */
  programs?: string
  /** Server settings, as in postgresql.conf. */
  settings?: Record<string, string | number>
  /** Where the server writes its log; by default `server.log` in the data folder. */
  logFile?: string
  /** When aborted, stops a server that is still starting. */
  signal?: AbortSignal
  /** Milliseconds until a start (with recovery after a crash) counts as failed. Default 60 000. */
  startTimeout?: number
}

export interface RunningPostgres {
  /** Address with the superuser's credentials, database `postgres`. */
  url: string
  port: number
  pid: number
  dataFolder: string
  /** True when it was already running, left by a killed parent. */
  adopted: boolean
  /** True when the data folder was created by this start. */
  initialised: boolean
  /** Notes for the person who started it. */
  notices: string[]
  /**
   * Ends open sessions and shuts down cleanly; after `patience` milliseconds (default 6000) it stops immediately, which the
   * next start recovers from. Resolves when the process is gone.
   */
  stop(patience?: number): Promise<void>
}

/** The port is used by something other than our Postgres. */
export class PortTakenError extends Error {
  readonly port: number
  constructor(port: number) {
    super(`port ${port} is taken`)
    this.port = port
  }
}

/** The Postgres that already runs on this data folder, if any. */
export function findRunning(dataFolder: string): { pid: number; port: number | undefined } | undefined {
  const { folder } = placeData(dataFolder)
  const found = readPostmasterFile(folder)
  return found !== undefined && isPostmasterOf(folder, found.pid) ? found : undefined
}

/** Shuts down the Postgres that runs on this data folder, if any. */
export async function stopRunning(dataFolder: string): Promise<boolean> {
  const found = findRunning(dataFolder)
  if (found !== undefined) await shutDown(found.pid)
  return found !== undefined
}

/** Removes the databases wherever they are stored. The server must not run. */
export function removeData(dataFolder: string): void {
  rmSync(placeData(dataFolder).folder, { recursive: true, force: true })
}

/**
 * Starts Postgres on a data folder, or adopts the one that runs on it. The server outlives a killed parent; the
 * next call finds it through its `postmaster.pid`.
 *
 * @throws {PortTakenError} when something else listens on the port.
 * @throws {Error} with the end of the server's log when it does not start.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const place = placeData(options.dataFolder)
  const notices = place.moved === undefined ? [] : [place.moved]
  const { programs } = options
  const binaries = programs ? binariesAt(programs) : prepareBinaries(place.account, place.folder)
  const left = await findLeftBehind(place, options)
  if (left !== undefined) {
    try {
      return await running(left, options, place, { adopted: true, initialised: false, notices })
    } catch (error) {
      if (error instanceof AnotherPassword) await shutDown(left.pid)
      // It was shutting down: a killed server stops answering before its process is gone.
      else if (!(await endsSoon(left.pid))) throw error
      removeStalePostmasterFile(place.folder)
    }
  }

  const port = options.port === 0 ? await freePort() : options.port
  await requireFreePort(port)
  const initialised = await initialiseData(place, binaries, options.superuserPassword, options.signal)
  const launch = async () => ({ pid: await launchOnceFree(place, binaries, { ...options, port }), port })
  const server = await launch()
  const facts = { adopted: false, initialised, notices }
  try {
    return await running(server, options, place, facts)
  } catch (error) {
    await shutDown(server.pid)
    if (!(error instanceof AnotherPassword)) throw error
  }
  await setSuperuserPassword(place, binaries, options.superuserPassword)
  notices.push('The password of the superuser postgres was changed to the one that is configured now.')
  return running(await launch(), options, place, facts)
}

async function endsSoon(pid: number): Promise<boolean> {
  for (let tries = 0; isAlive(pid); tries++) {
    if (tries === 40) return false
    await sleep(50)
  }
  return true
}

async function findLeftBehind(
  place: DataPlace,
  options: PostgresOptions,
): Promise<{ pid: number; port: number } | undefined> {
  const found = readPostmasterFile(place.folder)
  if (found === undefined) return undefined
  if (!isPostmasterOf(place.folder, found.pid)) {
    removeStalePostmasterFile(place.folder)
    return undefined
  }
  const port = await untilReady(place.folder, found.pid, options).catch(async (error: unknown) => {
    if (await endsSoon(found.pid)) return undefined
    throw error
  })
  if (port === undefined) {
    removeStalePostmasterFile(place.folder)
    return undefined
  }
  if (options.port === 0 || options.port === port) return { pid: found.pid, port }
  await shutDown(found.pid)
  return undefined
}

/** Sessions of a killed server end shortly after it and use the data folder until then. */
async function launchOnceFree(
  place: DataPlace,
  binaries: Binaries,
  options: PostgresOptions,
): Promise<number> {
  for (let tries = 0; ; tries++) {
    try {
      return await launch(place, binaries, options)
    } catch (error) {
      // oxlint-disable-next-line compared-sentences/by-codes -- Postgres prints it and ends.
      if (tries === 20 || !/shared memory block/.test(describe(error))) throw error
      await sleep(250)
    }
  }
}

async function launch(place: DataPlace, binaries: Binaries, options: PostgresOptions): Promise<number> {
  const settings = {
    listen_addresses: '127.0.0.1,::1',
    unix_socket_directories: '',
    ...options.settings,
  }
  const logFile = options.logFile ?? join(place.folder, 'server.log')
  mkdirSync(dirname(logFile), { recursive: true })
  const log = openSync(logFile, 'a', 0o600)
  const args = ['-D', place.folder, '-p', String(options.port)]
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`)
  const child = spawn(binaries.postgres, args, {
    ...identity(place.account),
    cwd: place.folder,
    env: plainEnvironment(),
    stdio: ['ignore', log, log],
    // Its own session: Ctrl-C in the terminal must not stop the databases before their users.
    detached: true,
  })
  closeSync(log)
  const pid = await spawned(child)
  child.unref()
  try {
    await untilReady(place.folder, pid, options)
  } catch (error) {
    if (isAlive(pid)) await shutDown(pid)
    throw new Error(`${describe(error)}\n${lastLines(logFile, 12)}`)
  }
  return pid
}

function spawned(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', error => reject(new Error(`Postgres could not be started: ${error.message}`)))
    child.once('spawn', () => resolve(child.pid ?? 0))
  })
}

/** Resolves with the port once the server's lock file says that it accepts connections. */
async function untilReady(folder: string, pid: number, options: PostgresOptions): Promise<number> {
  const timeout = options.startTimeout ?? 60_000
  for (let waited = 0; waited < timeout; waited += 10) {
    const state = readPostmasterFile(folder)
    if (state?.pid === pid && state.ready && state.port !== undefined) return state.port
    if (!isAlive(pid)) throw new Error('Postgres ended while it was starting:')
    options.signal?.throwIfAborted()
    await sleep(10)
  }
  throw new Error(`Postgres was not ready after ${timeout / 1000} s:`)
}

async function running(
  server: { pid: number; port: number },
  options: PostgresOptions,
  place: DataPlace,
  facts: Pick<RunningPostgres, 'adopted' | 'initialised' | 'notices'>,
): Promise<RunningPostgres> {
  const url = `postgres://postgres:${encodeURIComponent(options.superuserPassword)}@${LOOPBACK === '::1' ? '[::1]' : LOOPBACK}:${server.port}/postgres`
  await requireOurPassword(url)
  return {
    ...server,
    ...facts,
    url,
    dataFolder: place.folder,
    stop: patience => shutDown(server.pid, patience),
  }
}

/** The data folder knows the superuser by another password than the one configured. */
class AnotherPassword extends Error {}

async function requireOurPassword(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  try {
    await client.connect()
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === '28P01')) throw error
    throw new AnotherPassword('The superuser has another password.', { cause: error })
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The server runs on its data folder alone, without sessions, and reads one statement. */
function setSuperuserPassword(place: DataPlace, binaries: Binaries, password: string): Promise<void> {
  const args = ['--single', '-D', place.folder, '-c', 'log_statement=none', 'postgres']
  const child = spawn(binaries.postgres, args, {
    ...identity(place.account),
    cwd: place.folder,
    env: plainEnvironment(),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const done = new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', code =>
      code === 0
        ? resolve()
        : reject(new Error(`Postgres ended with exit code ${code} while its password changed.`)),
    )
  })
  child.stdin.end(`ALTER ROLE postgres PASSWORD ${pg.escapeLiteral(password)}\n`)
  return done
}

/** Fast shutdown (sessions end, a checkpoint is written), then immediate shutdown, then SIGKILL. */
async function shutDown(pid: number, cleanly = 6000): Promise<void> {
  for (const [signal, patience] of [
    ['SIGINT', cleanly],
    ['SIGQUIT', 1000],
    ['SIGKILL', 1000],
  ] as const) {
    try {
      process.kill(pid, signal)
    } catch {
      return
    }
    for (let waited = 0; waited < patience; waited += 10) {
      if (!isAlive(pid)) return
      await sleep(10)
    }
  }
}

const addresses = Object.values(networkInterfaces()).flatMap(each => each?.map(({ address }) => address))
/** A machine that has IPv6 alone has no 127.0.0.1. */
const LOOPBACK = !addresses.includes('127.0.0.1') && addresses.includes('::1') ? '::1' : '127.0.0.1'

async function requireFreePort(port: number): Promise<void> {
  for (const host of ['127.0.0.1', '::1']) {
    const error = await listenOnce(port, host)
    if (error?.code === 'EADDRINUSE') throw new PortTakenError(port)
    if (error?.code === 'EACCES')
      throw new Error(`port ${port} needs privileges that this user does not have`)
  }
}

function listenOnce(port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', resolve)
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, LOOPBACK, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

function lastLines(file: string, count: number): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n')
  } catch {
    return ''
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
