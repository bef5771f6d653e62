import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import { databaseUrl } from '@windlass/postgres/databases.ts'
import { findRunning } from '@windlass/postgres/start.ts'
import { ConfigError } from '@windlass/service/env.ts'
import { readOrCreateBaseEnv, type Variables } from '../base-env.ts'
import { CHECKOUT, type Home } from '../home.ts'
import { DATABASES } from '../services.ts'
import { definedIn, rolePassword } from '../settings.ts'

interface Where {
  environment: NodeJS.ProcessEnv
  home: Home
}

type DatabaseVariable = (typeof DATABASES)[number]['variable']

/** Runs a script of the platform API: see {@link runScript}. */
export const runPlatformScript = (path: string, args: readonly string[], where: Where): Promise<number> =>
  runScript(`platform-api/${path}`, args, { ...where, variable: 'PLATFORM_DATABASE_URL' })

/**
 * Runs a service's script on its database in the running stack, or on the one that `variable` names in the environment,
 * and returns its exit code.
 *
 * @throws {ConfigError} where there is neither.
 */
export async function runScript(
  path: string,
  args: readonly string[],
  { environment, home, variable }: Where & { variable: DatabaseVariable },
): Promise<number> {
  const own = environment[variable] ? undefined : ownDatabase(home, environment, variable)
  const address = environment[variable] || own?.address
  if (!address) {
    throw new ConfigError(`no stack is running: start it with "npm start", or set ${variable}`)
  }
  const env = { ...own?.variables, ...environment, [variable]: address }
  const script = join(CHECKOUT, 'apps', path)
  const child = spawn(process.execPath, [script, ...args], { env, stdio: 'inherit' })
  const { promise, resolve } = Promise.withResolvers<number>()
  child.once('exit', code => resolve(code ?? 1))
  return promise
}

/** A service's database in the Postgres of this home, where it runs: with the role that the service itself has. */
function ownDatabase(
  home: Home,
  environment: NodeJS.ProcessEnv,
  wanted: DatabaseVariable,
): { address: string; variables: Variables } | undefined {
  // Throws where it is another user's, whose databases cannot be found.
  if (existsSync(home.run)) accessSync(home.run, constants.R_OK)
  const port = findRunning(home.postgres)?.port
  const database = DATABASES.find(({ variable }) => variable === wanted)
  if (port === undefined || !database) return undefined
  const { name } = database
  const { variables } = readOrCreateBaseEnv(home.baseEnvFile)
  const address = databaseUrl(`postgres://127.0.0.1:${port}`, name, name, rolePassword(variables, name))
  const { HORIZON_URL: given, LOCAL_NETWORK_PORT: networkPort } = { ...variables, ...definedIn(environment) }
  const HORIZON_URL = given || `http://localhost:${networkPort || 8000}`
  return { address, variables: { ...variables, HORIZON_URL } }
}
