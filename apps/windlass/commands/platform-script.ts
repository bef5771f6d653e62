import { LOOPBACK_HOST } from '@windlass/service/process/loopback.ts'
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { databaseUrl } from '@windlass/postgres/databases.ts'
import { placeData } from '@windlass/postgres/data-folder.ts'
import { findRunning, startPostgres } from '@windlass/postgres/start.ts'
import { ConfigError } from '@windlass/service/process/env.ts'
import { readOrCreateBaseEnv, type Variables } from '../base-env.ts'
import { CHECKOUT, type Home, isInContainers } from '../home.ts'
import { readLock } from '../run-files.ts'
import { DATABASES } from '../services.ts'
import { definedIn, rolePassword } from '../settings.ts'

export interface Where {
  environment: NodeJS.ProcessEnv
  home: Home
}

type DatabaseVariable = (typeof DATABASES)[number]['variable']

/** Runs a script of the platform API: see {@link runScript}. */
export const runPlatformScript = (path: string, args: readonly string[], where: Where): Promise<number> =>
  runScript(`platform-api/${path}`, args, { ...where, variable: 'PLATFORM_DATABASE_URL' })

/**
 * Runs a service's script on the database that `variable` names, or on its own in the running stack, and returns its exit
 * code.
 *
 * @throws {ConfigError} where there is neither.
 */
export async function runScript(
  path: string,
  args: readonly string[],
  where: Where & { variable: DatabaseVariable },
): Promise<number> {
  return withDatabase(where, async reached => {
    const child = startScript(path, args, reached, 'inherit')
    const { promise, resolve } = Promise.withResolvers<number>()
    child.once('exit', code => resolve(code ?? 1))
    return promise
  })
}

/**
 * What a script of the platform API prints.
 *
 * @throws {ConfigError} where there is no database of the platform.
 */
export async function askPlatformScript(
  path: string,
  args: readonly string[],
  where: Where,
): Promise<string> {
  const variable = 'PLATFORM_DATABASE_URL'
  return withDatabase({ ...where, variable }, async reached => {
    const child = startScript(`platform-api/${path}`, args, reached, ['ignore', 'pipe', 'inherit'])
    return child.stdout ? text(child.stdout) : ''
  })
}

/** Starts Postgres meanwhile where the stack is stopped. */
async function withDatabase<T, W extends Where & { variable: DatabaseVariable }>(
  where: W,
  act: (reached: W) => Promise<T>,
): Promise<T> {
  const { home, environment, variable } = where
  const variables = settingsOf(home, environment)
  const isThere = existsSync(placeData(home.postgres).folder)
  if (variables[variable] || findRunning(home.postgres) || !isThere || (await readLock(home.run)))
    return act(where)
  const superuserPassword = variables.POSTGRES_PASSWORD ?? ''
  const postgres = await startPostgres({ dataFolder: home.postgres, port: 0, superuserPassword })
  try {
    return await act(where)
  } finally {
    if (!postgres.adopted) await postgres.stop()
  }
}

/** Says in one line that the database is away, where a script does not catch it. */
const EXPLAINS = join(import.meta.dirname, 'explain-faults.ts')

function startScript(
  path: string,
  args: readonly string[],
  { environment, home, variable }: Where & { variable: DatabaseVariable },
  stdio: StdioOptions,
): ChildProcess {
  const variables = settingsOf(home, environment)
  const address = variables[variable] || ownAddress(home, variables, variable)
  if (!address) {
    throw new ConfigError(
      isInContainers(home)
        ? `no stack runs here as processes. In containers: docker exec windlass-${path.split('/')[0]} node apps/${[path, ...args].join(' ')}`
        : `no stack is running: start it with "npm start", or set ${variable}`,
    )
  }
  const env = { ...variables, [variable]: address }
  const script = join(CHECKOUT, 'apps', path)
  return spawn(process.execPath, ['--import', EXPLAINS, script, ...args], { env, stdio })
}

/** The base env file's variables, which services have too, under the environment's. */
function settingsOf(home: Home, environment: NodeJS.ProcessEnv): Variables {
  if (!existsSync(home.baseEnvFile)) return definedIn(environment)
  const variables = { ...readOrCreateBaseEnv(home.baseEnvFile).variables, ...definedIn(environment) }
  const HORIZON_URL = variables.HORIZON_URL || `http://localhost:${variables.LOCAL_NETWORK_PORT || 8000}`
  return { ...variables, HORIZON_URL }
}

/** A service's database in the Postgres of this home, where it runs: with the role that the service itself has. */
function ownAddress(home: Home, variables: Variables, wanted: DatabaseVariable): string | undefined {
  const port = findRunning(home.postgres)?.port
  const database = DATABASES.find(({ variable }) => variable === wanted)
  if (port === undefined || !database) return undefined
  const { name } = database
  return databaseUrl(`postgres://${LOOPBACK_HOST}:${port}`, name, name, rolePassword(variables, name))
}
