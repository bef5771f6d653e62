import { channel } from 'node:diagnostics_channel'
import { closeSync, openSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger } from '../observe/logger.ts'

/** What makes an anchor's server of a spare: docs/adr/0072-spare-servers.md. A line of JSON. */
export interface Assignment {
  /** Its name among the machine's processes. */
  title: string
  folder: string
  logFile: string
  env: Record<string, string>
  /** Null: it stays who it is. */
  user: { uid: number; gid: number } | null
}

/** The argument that makes a spare of a server's program, and what follows it, which is room for its title. */
export const SPARE = '--spare='
/** The spare's answer once it serves its anchor. */
export const SERVING = 'serving\n'

/** Told to what starts a bundle, where it has no compiled code yet: `apps/windlass/anchor-servers/start-program.mjs`. */
const REHEARSED = 'windlass.rehearsed'
const CHANNEL = 3
const LINE_WITHIN_MS = 5
const NONE_YET = Symbol('none yet')
const STANDARD_OUTPUT = 1
const STANDARD_ERROR = 2

/**
 * In a process that was started as a spare: waits until it is assigned to an anchor, then becomes that anchor's server. It
 * ends with the process that started it, unless it is assigned by then. Returns what to call once it serves.
 *
 * @param environment of the process; gets the server's settings
 * @param rehearse has code compiled that a request needs; `thoroughly`: and what else a server's first seconds need, since the
 *   compiled code is kept for all that follow
 */
export async function becomeServer(
  environment: NodeJS.ProcessEnv,
  rehearse: (thoroughly: boolean) => Promise<void>,
): Promise<() => void> {
  if (!process.argv.some(word => word.startsWith(SPARE))) return () => undefined
  const parent = new Socket({ fd: CHANNEL, readable: true, writable: true })
  parent.on('error', () => undefined)
  const assigned = firstLine(parent).catch(() => null)
  // One that is loaded for an anchor that waits finds its line there.
  if ((await Promise.race([assigned, sleep(LINE_WITHIN_MS, NONE_YET)])) === NONE_YET) {
    const rehearsed = channel(REHEARSED)
    await rehearse(rehearsed.hasSubscribers).catch((error: unknown) =>
      createLogger('spare').warn({ err: error }, 'a spare compiles later'),
    )
    // The next spare finds the program compiled: by Node, and by what starts a bundle.
    flushCompileCache()
    rehearsed.publish({})
  }
  const line = await assigned
  if (line === null) process.exit(0)
  assign(JSON.parse(line) as Assignment, environment)
  parent.unref()
  return () => void parent.end(SERVING)
}

async function firstLine(input: Socket): Promise<string | null> {
  for await (const line of createInterface({ input })) return line
  return null
}

function assign({ title, folder, logFile, env, user }: Assignment, environment: NodeJS.ProcessEnv): void {
  // By it the server is found where its run file is lost.
  process.title = title
  process.chdir(folder)
  writeTo(logFile)
  for (const name of Object.keys(environment)) if (!(name in env)) delete environment[name]
  Object.assign(environment, env)
  if (user) drop(user)
}

/** From now on: Node cannot duplicate a descriptor, but the system gives the lowest one that is free. */
function writeTo(logFile: string): void {
  for (const descriptor of [STANDARD_OUTPUT, STANDARD_ERROR]) {
    closeSync(descriptor)
    if (openSync(logFile, 'a', 0o600) !== descriptor) process.exit(1)
  }
}

function drop({ uid, gid }: { uid: number; gid: number }): void {
  process.setgroups?.([])
  process.setgid?.(gid)
  process.setuid?.(uid)
}
