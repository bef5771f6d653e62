import { join } from 'node:path'
import { bundledServers } from './anchor-servers/bundled.ts'
import type { Variables } from './base-env.ts'
import { buildFrontEnd } from './front-ends.ts'
import type { Home } from './home.ts'
import type { ReleaseParts } from './release-parts.ts'
import { bundledServices } from './service-bundles/bundled.ts'
import { launchService, untilHealthy } from './service-process.ts'
import type { Service } from './services.ts'
import { portOf, variablesFor } from './settings.ts'
import { type BoundSocket, bindSockets } from './sockets.ts'
import type { Part } from './supervise.ts'

/** A service as a part that is started, and started again as the release has it by then. */
export function servicePart(
  name: string,
  parts: ReleaseParts,
  home: Home,
  {
    interrupted,
    user,
    onSlow,
  }: { interrupted: AbortSignal; user: number | undefined; onSlow?: (sentence: string) => void },
): Part {
  const ready = () => {
    const { service, variables } = parts.of(name)
    return makeReady(service, variables, interrupted)
  }
  // Runs while the parts it needs start, and again at each restart.
  let making: ReturnType<typeof ready> | undefined = ready()
  making.catch(() => undefined)
  let sockets: BoundSocket[] = []
  return {
    name,
    title: parts.of(name).service.title,
    start: async launched => {
      const { service, variables } = parts.of(name)
      const made = making ?? ready()
      making = undefined
      const own = service.hasAllSettings ? variables : variablesFor(name, variables)
      const { script, locations } = await made
      if (sockets.length === 0) sockets = socketsOf(service, variables)
      const settings = { ...own, ...locations }
      const running = await launchService({ ...service, script }, settings, home, user, sockets)
      launched(running)
      try {
        await untilHealthy(service, running, variables, home, { ...(onSlow && { onSlow }) })
      } catch (error) {
        await running.stop(1000)
        throw error
      }
    },
    release: () => {
      for (const socket of sockets.splice(0)) socket.close()
    },
  }
}

/** None on Windows, where processes cannot inherit them. */
function socketsOf({ handsOver, ports }: Service, variables: Variables): BoundSocket[] {
  if (!handsOver || process.platform === 'win32') return []
  const host = variables.BIND_HOST || 'localhost'
  return ports.flatMap(([variable, fallback]) => bindSockets(portOf(variables, variable, fallback), host))
}

/** Builds what the service runs or serves; resolves to its program, and to variables that locate the rest. */
async function makeReady(
  { name, script, bundled, frontEnd, startsAnchors }: Service,
  variables: Variables,
  interrupted: AbortSignal,
): Promise<{ script: string; locations: Variables }> {
  if (frontEnd) await buildFrontEnd(frontEnd, variables, interrupted)
  return {
    script: bundled ? join(await bundledServices(variables, interrupted), `${name}.mjs`) : script,
    locations: startsAnchors ? { ANCHOR_PROGRAMS: await bundledServers(variables, interrupted) } : {},
  }
}

/** Where a service answers, for people. */
export function describePorts(service: Service, variables: Variables): string {
  const [first, ...others] = service.ports.map(([variable, fallback]) =>
    portOf(variables, variable, fallback),
  )
  return [`http://localhost:${first}`, ...others.map(port => `:${port}`)].join(' ')
}
