import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { databaseUrl } from '@windlass/postgres/databases.ts'
import { findRunning } from '@windlass/postgres/start.ts'
import { ConfigError } from '@windlass/service/env.ts'
import { readOrCreateBaseEnv, type Variables } from '../base-env.ts'
import { CHECKOUT, type Home } from '../home.ts'
import { DATABASES } from '../services.ts'
import { rolePassword } from '../settings.ts'

interface Where {
  environment: NodeJS.ProcessEnv
  home: Home
}

/**
 * Runs a script of the platform API on the database of the running stack, or on the one that PLATFORM_DATABASE_URL
 * names, and returns its exit code.
 *
 * @throws {ConfigError} where there is neither.
 */
export async function runPlatformScript(
  path: string,
  args: readonly string[],
  { environment, home }: Where,
): Promise<number> {
  const own = environment.PLATFORM_DATABASE_URL ? undefined : ownDatabase(home)
  const address = environment.PLATFORM_DATABASE_URL || own?.address
  if (!address) {
    throw new ConfigError('no stack is running: start it with "npm start", or set PLATFORM_DATABASE_URL')
  }
  const env = { ...own?.variables, ...environment, PLATFORM_DATABASE_URL: address }
  const script = join(CHECKOUT, 'apps/platform-api', path)
  const child = spawn(process.execPath, [script, ...args], { env, stdio: 'inherit' })
  const { promise, resolve } = Promise.withResolvers<number>()
  child.once('exit', code => resolve(code ?? 1))
  return promise
}

/** The platform's database in the Postgres of this home, where it runs: with the role that the platform itself has. */
function ownDatabase(home: Home): { address: string; variables: Variables } | undefined {
  const port = findRunning(home.postgres)?.port
  const database = DATABASES.find(({ variable }) => variable === 'PLATFORM_DATABASE_URL')
  if (port === undefined || !database) return undefined
  const { name } = database
  const { variables } = readOrCreateBaseEnv(home.baseEnvFile)
  const address = databaseUrl(`postgres://127.0.0.1:${port}`, name, name, rolePassword(variables, name))
  const HORIZON_URL = variables.HORIZON_URL || `http://localhost:${variables.LOCAL_NETWORK_PORT || 8000}`
  return { address, variables: { ...variables, HORIZON_URL } }
}
