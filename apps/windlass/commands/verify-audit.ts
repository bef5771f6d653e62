import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { databaseUrl } from '@windlass/postgres/databases.ts'
import { findRunning } from '@windlass/postgres/start.ts'
import { ConfigError } from '@windlass/service/env.ts'
import { readOrCreateBaseEnv, type Variables } from '../base-env.ts'
import { type Command, readFlags } from '../command.ts'
import { CHECKOUT, type Home } from '../home.ts'
import { DATABASES } from '../services.ts'
import { rolePassword } from '../settings.ts'

export const verifyAudit: Command = {
  summary: 'checks that no entry of the audit log was edited or removed',
  usage: `npm run audit:verify

Follows the chain of hashes over the platform's audit log, and compares its end with the signature (PLATFORM_KEY)
and with the ledger (AUDIT_LEDGER_ACCOUNT, HORIZON_URL): of the running stack, or of the database that
PLATFORM_DATABASE_URL names. Exit codes: 0 whole, 1 changed.`,
  run: async ({ args, environment, home }) => {
    readFlags(args, [])
    const own = environment.PLATFORM_DATABASE_URL ? undefined : ownDatabase(home)
    const address = environment.PLATFORM_DATABASE_URL || own?.address
    if (!address) {
      throw new ConfigError('no stack is running: start it with "npm start", or set PLATFORM_DATABASE_URL')
    }
    const script = join(CHECKOUT, 'apps/platform-api/audit/main.ts')
    const env = { ...own?.variables, ...environment, PLATFORM_DATABASE_URL: address }
    const child = spawn(process.execPath, [script], { env, stdio: 'inherit' })
    const { promise, resolve } = Promise.withResolvers<number>()
    child.once('exit', code => resolve(code ?? 1))
    return promise
  },
}

/** The platform's database in the running Postgres of this home, with the platform's own role. */
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
