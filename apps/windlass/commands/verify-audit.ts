import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ConfigError } from '@windlass/service/env.ts'
import { type Command, readFlags } from '../command.ts'
import { CHECKOUT } from '../home.ts'
import { readLock } from '../run-files.ts'

export const verifyAudit: Command = {
  summary: 'checks that no entry of the audit log was edited or removed',
  usage: `npm run audit:verify

Walks the chain of hashes over the platform's audit log: of the running stack, or of the database that
PLATFORM_DATABASE_URL names. Exit codes: 0 whole, 1 changed.`,
  run: async ({ args, environment, home }) => {
    readFlags(args, [])
    const variables = { ...(await readLock(home.run))?.variables, ...environment }
    if (!variables.PLATFORM_DATABASE_URL) {
      throw new ConfigError('no stack is running: start it with "npm start", or set PLATFORM_DATABASE_URL')
    }
    const script = join(CHECKOUT, 'apps/platform-api/audit/main.ts')
    const child = spawn(process.execPath, [script], { env: variables, stdio: 'inherit' })
    const { promise, resolve } = Promise.withResolvers<number>()
    child.once('exit', code => resolve(code ?? 1))
    return promise
  },
}
