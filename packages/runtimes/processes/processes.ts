import { LOOPBACK_HOST } from '@windlass/service/process/loopback.ts'
import { spawn } from 'node:child_process'
import { open } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'
import {
  demandMigrated,
  RuntimeError,
  type Runtime,
  type ServerRole,
  type ServerSpec,
  type ServerState,
  type Slot,
} from '../runtime.ts'
import { ALLOCATOR, nodeFlags } from '../server-process.ts'
import { withLock } from './file-lock.ts'
import { isPortFree } from './free-port.ts'
import { lastLines, rotate } from './log-file.ts'
import { comeLater } from './priority.ts'
import { isHeldByStranger } from './listeners.ts'
import { end, findByArguments, identify, isRunning, userOf as userOfProcess } from './process-identity.ts'
import { markOf, readRunFile, removeRunFile, writeRunFile, type RunFile } from './run-file.ts'
import { prepareUser, type Owner } from './server-user.ts'
import type { Spares } from './spares.ts'

interface ProcessesOptions {
  /** Folder of the run files, one for each server. */
  runFolder: string
  /** Folder of the servers' logs. */
  logFolder: string
  /** What Node runs, by role. */
  programs: Readonly<Record<ServerRole, string>>
  /** Heap limit of a server, in megabytes. */
  memory: number
  /** Bytes after which a log is rotated; by default 5 MB. */
  maxLogBytes?: number
  /** Whether a server must run as a user of its own where we are root; otherwise it runs as ourselves if it has to. */
  requireUsers?: boolean
  /** Who writes anchors' folders; by default root. */
  owner?: Owner
  /** Node's compile cache. */
  compileCache?: string
  /** Loaded from `programs`; without them each server loads its program when it starts. */
  spares?: Spares
  /** Milliseconds from a start until the platform's services come before the server; by default 10,000. */
  comesLaterAfterMs?: number
}

const STOP_PATIENCE_MS = 6_000

/**
 * Servers as processes of this machine. They are detached and outlive the control plane. After a restart it adopts
 * them by run file, start time and user. Those whose run file is missing are ended, and started again.
 */
export function createProcesses(options: ProcessesOptions): Runtime {
  const runFileOf = (name: string) => join(options.runFolder, `${name}.json`)
  const logFileOf = (name: string) => join(options.logFolder, `${name}.log`)
  const alone = <T>(name: string, act: () => Promise<T>): Promise<T> => {
    makePrivateFolder(options.runFolder)
    return withLock(`${runFileOf(name)}.lock`, act)
  }
  const watchers = new Set<(anchorId: string) => void>()

  return {
    kind: 'processes',
    start: async spec => {
      const name = nameOf(spec.anchorId, spec.role, spec.slot)
      const ended = () => watchers.forEach(watcher => watcher(spec.anchorId))
      const { server, serve } = await alone(name, async (): Promise<Launched> => {
        const file = runFileOf(name)
        const adopted = await adopt(file, spec)
        if (!adopted) await endUnrecorded(file)
        if (adopted) {
          // It reads files that were written since it started.
          await userOf(spec, process.execPath, { ...options, requireUsers: false })
          return { server: adopted }
        }
        const user = await userOf(spec, programOf(spec, options), options)
        const launched = await launch(spec, { runFile: file, logFile: logFileOf(name), ended, user }, options)
        await writeRunFile(file, launched.server).catch(async (error: unknown) => {
          await end(launched.server, STOP_PATIENCE_MS)
          throw new RuntimeError('server-not-started', `The run file of ${name} cannot be written.`, error)
        })
        return launched
      })
      const serves = await serve?.()
      comeLater(server, options.comesLaterAfterMs)
      return { ...stateOf(server, true), ...(serves ? { serves } : {}) }
    },
    migrate: async (spec, withinSeconds) => {
      const logFile = logFileOf(nameOf(spec.anchorId, spec.role, spec.slot))
      demandMigrated(spec.role, await migrateOnce(spec, { logFile, withinSeconds }, options))
    },
    inspect: async (anchorId, role, slot, now) => {
      const found = await readRunFile(runFileOf(nameOf(anchorId, role, slot)))
      return found && stateOf(found, (await isRunning(found)) && !isHeldByStranger(found, now))
    },
    stop: (anchorId, role, slot) =>
      alone(nameOf(anchorId, role, slot), async () => {
        const file = runFileOf(nameOf(anchorId, role, slot))
        const known = await readRunFile(file)
        if (known) await end(known, STOP_PATIENCE_MS)
        await endUnrecorded(file)
        await removeRunFile(file)
      }),
    log: (anchorId, role, lines, slot) => lastLines(logFileOf(nameOf(anchorId, role, slot)), lines),
    address: ({ port }) => `http://${LOOPBACK_HOST}:${port}`,
    isPortFree,
    canRun: async (role, from) => existsSync(from?.program ?? options.programs[role]),
    imageId: async () => null,
    // An adopted process reports no exit.
    watch: ended => {
      watchers.add(ended)
      return { stop: () => void watchers.delete(ended) }
    },
    tidy: async () => {
      const names = await readdir(options.logFolder).catch(() => [])
      const logs = names.filter(name => name.endsWith('.log'))
      const limit = options.maxLogBytes ?? 5 * 2 ** 20
      await Promise.all(logs.map(name => rotate(join(options.logFolder, name), limit)))
    },
    close: () => options.spares?.stop(),
  }
}

const userOf = (
  spec: ServerSpec,
  program: string,
  { requireUsers: required = false, owner = { uid: 0, gid: 0 } }: ProcessesOptions,
) => prepareUser(spec, { program, required, owner })

/** A server's name derives from its identity only. */
const nameOf = (anchorId: string, role: ServerRole, slot: Slot = 'a') =>
  slot === 'a' ? `${anchorId}-${role}` : `${anchorId}-${role}-${slot}`

/** Only what the run file names, which nobody else can write: arguments can be anyone's. */
async function adopt(file: string, spec: ServerSpec): Promise<RunFile | null> {
  const known = await readRunFile(file)
  if (!known || !(await isRunning(known))) return null
  const runsAs = await userOfProcess(known.pid)
  // A spare is root's until it is assigned.
  const isRightUsers = runsAs === null || runsAs === process.getuid?.() || runsAs === spec.user?.uid
  if (isRightUsers && !isHeldByStranger(known)) return known
  await end(known, STOP_PATIENCE_MS)
  return null
}

/** A start was interrupted before its run file was written, or the file is lost. */
async function endUnrecorded(file: string): Promise<void> {
  const unrecorded = await findByArguments(word => word === markOf(file))
  await Promise.all(unrecorded.map(each => end(each, STOP_PATIENCE_MS)))
}

interface Launching {
  runFile: string
  logFile: string
  ended: () => void
  /** Null: ourselves. */
  user: { uid: number; gid: number } | null
}

interface Launched {
  server: RunFile
  /** Makes a server of a spare, which belongs to the anchor as soon as the run file says so. Returns whether it serves. */
  serve?: () => Promise<boolean>
}

async function launch(spec: ServerSpec, launching: Launching, options: ProcessesOptions): Promise<Launched> {
  const program = programOf(spec, options)
  if (!(await isPortFree(spec.port))) {
    throw new RuntimeError('port-taken', `Port ${spec.port} is used by another program.`)
  }
  makePrivateFolder(dirname(launching.logFile))
  const spare = program === options.programs[spec.role] ? await options.spares?.take(spec.role) : null
  if (!spare) return { server: await launchProgram(spec, launching, options) }
  const { pid, startTime, command, child, assign } = spare
  const { runFile, logFile, user, ended } = launching
  child.once('exit', ended)
  return {
    server: { pid, startTime, ...describe(spec, user), startedAt: new Date().toISOString(), command },
    serve: () =>
      assign({
        ...{ title: markOf(runFile), folder: spec.folder, logFile, user },
        env: environmentOf(spec, options),
      }),
  }
}

async function launchProgram(
  spec: ServerSpec,
  { runFile, logFile, ended, user }: Launching,
  options: ProcessesOptions,
): Promise<RunFile> {
  const log = await open(logFile, 'a', 0o600)
  try {
    const args = [...nodeFlags(options.memory), programOf(spec, options), markOf(runFile)]
    const child = spawn(process.execPath, args, {
      cwd: spec.folder,
      detached: true,
      ...(user ?? {}),
      env: environmentOf(spec, options),
      stdio: ['ignore', log.fd, log.fd],
    })
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    child.once('exit', ended)
    child.unref()
    const identity = child.pid === undefined ? null : await identify(child.pid)
    const startTime = identity?.startTime ?? 'ended'
    const command = [process.execPath, ...args]
    return {
      pid: child.pid ?? 0,
      startTime,
      ...describe(spec, user),
      startedAt: new Date().toISOString(),
      command,
    }
  } catch (error) {
    throw new RuntimeError('server-not-started', `The ${spec.role} server could not be started.`, error)
  } finally {
    await log.close()
  }
}

/** Resolves to the exit code; null: it was ended. */
async function migrateOnce(
  spec: ServerSpec,
  { logFile, withinSeconds }: { logFile: string; withinSeconds: number },
  options: ProcessesOptions,
): Promise<number | null> {
  const program = programOf(spec, options)
  const user = await userOf(spec, program, options)
  makePrivateFolder(dirname(logFile))
  const log = await open(logFile, 'a', 0o600)
  try {
    const child = spawn(process.execPath, [program, '--migrate'], {
      cwd: spec.folder,
      env: environmentOf(spec, options),
      ...(user ?? {}),
      stdio: ['ignore', log.fd, log.fd],
      timeout: withinSeconds * 1_000,
      killSignal: 'SIGKILL',
    })
    return await new Promise<number | null>((resolve, reject) =>
      child.once('exit', resolve).once('error', reject),
    )
  } finally {
    await log.close()
  }
}

function programOf({ from, role }: ServerSpec, { programs }: ProcessesOptions): string {
  const program = from?.program ?? programs[role]
  if (existsSync(program)) return program
  throw new RuntimeError('server-image-missing', `The program of the ${role} server is missing.`)
}

// Without our own environment, which has secrets.
function environmentOf(spec: ServerSpec, { compileCache }: ProcessesOptions): Record<string, string> {
  const files = Object.entries(spec.files).map(([name, path]) => [name, join(spec.folder, path)])
  return {
    PATH: dirname(process.execPath),
    ...ALLOCATOR,
    ...(compileCache ? { NODE_COMPILE_CACHE: compileCache } : {}),
    ...Object.fromEntries(files),
    ...spec.env,
    PORT: String(spec.port),
  }
}

function describe({ anchorId, role, slot, port, version }: ServerSpec, user: Launching['user']) {
  const uid = user?.uid ?? process.getuid?.()
  return {
    name: nameOf(anchorId, role, slot),
    anchorId,
    role,
    port,
    version,
    ...(uid !== undefined && { uid }),
  }
}

function stateOf({ anchorId, role, port, version, startedAt }: RunFile, running: boolean): ServerState {
  return { anchorId, role, running, port, version, startedAt }
}
