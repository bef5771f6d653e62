import { systemClock } from '@windlass/service/clock.ts'
import { openDatabase } from '@windlass/service/database.ts'
import { keyring, required } from '@windlass/service/env.ts'
import { Problem } from '@windlass/service/problem.ts'
import { createSealer } from '@windlass/service/seal.ts'
import type { Tables } from '../tables.ts'
import { administrator, resetSecondFactors } from './factors.ts'

// `npm run admin:reset`: removes the second factors of an administrator; exits with 1 where there are none.
const { env, argv } = process
const username = argv[2] ?? required(env, 'ADMIN_USERNAME')
const database = openDatabase<Tables>(required(env, 'PLATFORM_DATABASE_URL'), { name: 'admin-reset' })
const deps = { database, sealer: createSealer(keyring(env, 'PLATFORM_KEY')), clock: systemClock }
try {
  await resetSecondFactors(deps, administrator(username), 'system')
  console.log(`The second factors of ${username} were removed and their sessions ended.`)
} catch (error) {
  if (!(error instanceof Problem)) throw error
  console.error(`${username}: ${error.message}`)
  process.exitCode = 1
} finally {
  await database.close()
}
