import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { serveRuntime } from '@windlass/runtimes/processes/delegated.ts'
import { createProcesses } from '@windlass/runtimes/processes/processes.ts'
import { createSpares, SPARES } from '@windlass/runtimes/processes/spares.ts'
import type { Runtime } from '@windlass/runtimes/runtime.ts'
import type { LauncherAnswer, LauncherNotice, LauncherRequest } from '@windlass/service/process/launcher.ts'
import type { Variables } from './base-env.ts'
import type { Home } from './home.ts'
import type { Service } from './services.ts'
import { compileCacheOf, FIRST_ANCHOR_USER, LAST_ANCHOR_USER } from './users.ts'

/** What the launcher does as root for the control plane, which runs as a user of its own: it starts anchors' servers. */
interface Privileges {
  runtime: Pick<Runtime, 'watch' | 'close'>
  carryOut: ReturnType<typeof serveRuntime>
}

/**
 * Null where a service has none.
 *
 * @param user its id
 */
export function privilegesOf(
  service: Service,
  user: number | undefined,
  variables: Variables,
  home: Home,
): Privileges | null {
  const programs = variables.ANCHOR_PROGRAMS
  if (user === undefined || !service.startsAnchors || !programs) return null
  const shared = {
    programs: { sep: join(programs, 'sep.mjs'), business: join(programs, 'business.mjs') },
    memory: Number(variables.ANCHOR_MEMORY_MB) || 192,
  }
  const runtime = createProcesses({
    ...shared,
    runFolder: home.anchorRuns,
    logFolder: join(home.logs, 'anchors'),
    spares: createSpares({
      ...shared,
      count: Number(variables.ANCHOR_SPARES ?? SPARES),
      // Root's own: spares drop their rights only when they are assigned.
      compileCache: compileCacheOf('anchor-servers'),
    }),
    requireUsers: true,
    owner: { uid: user, gid: user },
  })
  const carryOut = serveRuntime(runtime, {
    anchorsFolder: join(home.folder, 'anchors'),
    releasesFolder: join(home.folder, 'releases'),
    firstUser: FIRST_ANCHOR_USER,
    lastUser: LAST_ANCHOR_USER,
  })
  return { runtime, carryOut }
}

/** No request is longer: a service that was taken over must not fill the launcher's memory. */
const LONGEST_LINE = 2 ** 20

/**
 * Answers a service's requests, which are lines of JSON, until it ends. What it sends may be anything: Node's own channel
 * between processes would throw in this one.
 */
export function serveLauncher(channel: Duplex, { runtime, carryOut }: Privileges): void {
  const send = (message: LauncherAnswer | LauncherNotice) => {
    if (channel.writable) channel.write(`${JSON.stringify(message)}\n`)
  }
  const watching = runtime.watch(detail => send({ notice: 'server-ended', detail }))
  channel.on('error', () => channel.destroy())
  channel.once('close', () => {
    watching.stop()
    runtime.close?.()
  })
  let rest = ''
  channel.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) void answer(parse(line))
    if (rest.length > LONGEST_LINE) channel.destroy()
  })

  async function answer({ id = 0, act = '', args }: Partial<LauncherRequest>): Promise<void> {
    try {
      send({ id, result: await carryOut(act, Array.isArray(args) ? args : []) })
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      send({ id, error: { code, message } })
    }
  }
}

/** An object, whatever the line is. */
function parse(line: string): Partial<LauncherRequest> {
  try {
    return { ...(JSON.parse(line) as Partial<LauncherRequest> | null) }
  } catch {
    return {}
  }
}
