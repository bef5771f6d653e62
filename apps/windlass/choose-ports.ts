import type { Home } from './home.ts'
import { rememberInBaseEnv, type Variables } from './base-env.ts'
import { holderOf, obstacleOn } from './ports.ts'
import type { Progress } from './progress.ts'
import { BACKUPS, type Service } from './services.ts'
import { portOf, type Settings } from './settings.ts'
import { bindSockets } from './sockets.ts'

const WEB_PORT = 80
const WEB_PORT_INSTEAD = 8080

/** One or more ports are in use; the message names each and the variable that changes it. */
export class PortsTakenError extends Error {}

/** Which port the reverse proxy gets: what was requested, else 80, else 8080 with a line saying why. */
export async function chooseProxyPort(settings: Settings, progress: Progress): Promise<number> {
  const { variables, bindHost } = settings
  if (variables.PROXY_PORT !== undefined) return portOf(variables, 'PROXY_PORT', WEB_PORT)
  const obstacle = await obstacleOn(WEB_PORT, bindHost)
  const port = obstacle === undefined ? WEB_PORT : WEB_PORT_INSTEAD
  if (obstacle !== undefined) {
    const why =
      obstacle === 'taken'
        ? `is used by ${holderOf(WEB_PORT)}`
        : 'needs privileges that this user does not have'
    progress.warn(
      `port ${WEB_PORT} ${why}: the reverse proxy and all anchors' domains use ${port} instead ` +
        '(PROXY_PORT in the base env file)',
    )
  }
  return port
}

/** Where only the port of the backups' metrics is taken, such as by a second stack, another one is as good. */
export async function chooseBackupsPort({ services, variables, bindHost }: Settings): Promise<Variables> {
  const [[name, port] = ['', 0]] = BACKUPS.ports
  if (!services.includes(BACKUPS) || variables[name] !== undefined) return {}
  if ((await obstacleOn(port, bindHost)) === undefined) return { [name]: String(port) }
  const sockets = bindSockets(0, bindHost)
  for (const socket of sockets) socket.close()
  return { [name]: String(sockets[0]?.port) }
}

/** Keeps the port of the first start that succeeded: anchors carry it in their home domain. */
export function rememberProxyPort({ variables }: Settings, home: Home, port: number): void {
  if (variables.PROXY_PORT !== undefined) return
  const reason = 'Chosen at the first start; anchors carry it in their home domain.'
  rememberInBaseEnv(home.baseEnvFile, 'PROXY_PORT', String(port), reason)
}

/**
 * Checks every port before anything is started.
 *
 * @throws {PortsTakenError} naming every port in use, the program that uses it, and the variable that changes it.
 */
export async function requireFreePorts(
  services: readonly Service[],
  variables: Variables,
  needsPostgresPort: boolean,
): Promise<void> {
  const wanted = services.flatMap(({ title, ports }) =>
    ports.map(([variable, fallback]) => ({ title, variable, port: portOf(variables, variable, fallback) })),
  )
  if (needsPostgresPort) {
    wanted.unshift({
      title: 'Postgres',
      variable: 'POSTGRES_PORT',
      port: portOf(variables, 'POSTGRES_PORT', 5432),
    })
  }
  requireDistinct(wanted)
  const complaints: string[] = []
  for (const { title, variable, port } of wanted) {
    const host = variable === 'POSTGRES_PORT' ? 'localhost' : (variables.BIND_HOST ?? 'localhost')
    const obstacle = await obstacleOn(port, host)
    if (obstacle === undefined) continue
    const why =
      obstacle === 'taken' ? `is used by ${holderOf(port)}` : 'needs privileges that this user does not have'
    const another = port < 1024 ? port + 8000 : port < 60_000 ? port + 5000 : port - 5000
    complaints.push(`port ${port} (${title}) ${why}; set ${variable}=${another} to use another`)
  }
  if (complaints.length > 0) throw new PortsTakenError(complaints.join('\n'))
}

function requireDistinct(wanted: readonly { title: string; variable: string; port: number }[]): void {
  const seen = new Map<number, string>()
  for (const { variable, port } of wanted) {
    const other = seen.get(port)
    if (other !== undefined)
      throw new PortsTakenError(`${variable} and ${other} are both set to port ${port}`)
    seen.set(port, variable)
  }
}
