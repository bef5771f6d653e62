import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { serveRuntime } from '@windlass/runtimes/processes/delegated.ts'
import { createProcesses } from '@windlass/runtimes/processes/processes.ts'
import type { Runtime } from '@windlass/runtimes/runtime.ts'
import type { LauncherAnswer, LauncherNotice, LauncherRequest } from '@windlass/service/launcher.ts'
import type { Variables } from './base-env.ts'
import type { Home } from './home.ts'
import type { Service } from './services.ts'
import { portOf } from './settings.ts'
import { FIRST_ANCHOR_USER, LAST_ANCHOR_USER } from './users.ts'

/** What the launcher does as root for a service that runs as a user of its own. */
interface Privileges {
  /** Ports below 1024 that it may listen on. */
  ports: readonly number[]
  /** Starts anchors' servers, each as a user of its own. */
  anchors?: { runtime: Runtime; carryOut: ReturnType<typeof serveRuntime> }
}

/** @param programs folder of the bundled servers of anchors */
export function privilegesOf(service: Service, user: number, variables: Variables, home: Home): Privileges {
  const ports = service.ports.map(([variable, fallback]) => portOf(variables, variable, fallback))
  const programs = variables.ANCHOR_PROGRAMS
  if (!service.startsAnchors || !programs) return { ports }
  const runtime = createProcesses({
    runFolder: home.anchorRuns,
    logFolder: join(home.logs, 'anchors'),
    programs: { sep: join(programs, 'sep.mjs'), business: join(programs, 'business.mjs') },
    memory: Number(variables.ANCHOR_MEMORY_MB) || 192,
    requireUsers: true,
    owner: { uid: user, gid: user },
  })
  const carryOut = serveRuntime(runtime, {
    anchorsFolder: join(home.folder, 'anchors'),
    releasesFolder: join(home.folder, 'releases'),
    firstUser: FIRST_ANCHOR_USER,
    lastUser: LAST_ANCHOR_USER,
  })
  return { ports, anchors: { runtime, carryOut } }
}

/** Answers a service's requests over its channel until it ends. */
export function serveLauncher(child: ChildProcess, { ports, anchors }: Privileges): void {
  const send = (message: LauncherAnswer | LauncherNotice, server?: Server) => {
    if (child.connected) child.send(message, server, () => server?.close())
    else server?.close()
  }
  const watching = anchors?.runtime.watch(detail => send({ notice: 'server-ended', detail }))
  child.once('exit', () => watching?.stop())
  // A service that was taken over may send anything.
  child.on('message', request => void answer((request ?? {}) as Partial<LauncherRequest>))

  async function answer({ id = 0, act = '', args = [] }: Partial<LauncherRequest>): Promise<void> {
    try {
      if (act === 'listen') return send({ id }, await listen(ports, args))
      if (!anchors) throw new Error(`${act} is not allowed`)
      send({ id, result: await anchors.carryOut(act, args) })
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      send({ id, error: { code, message } })
    }
  }
}

async function listen(ports: readonly number[], [port, host]: readonly unknown[]): Promise<Server> {
  if (typeof port !== 'number' || typeof host !== 'string' || !ports.includes(port)) {
    throw new Error(`port ${String(port)} is not this service's`)
  }
  // What connects before the service has the server is refused as by a closed port.
  const server = createServer(socket => socket.resetAndDestroy())
  server.listen({ port, host })
  await once(server, 'listening')
  return server
}
