import { systemClock } from '@windlass/service/work/clock.ts'
import { openDatabase } from '@windlass/service/postgres/database.ts'
import { keyring, required } from '@windlass/service/process/env.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createSealer } from '@windlass/service/seals/seal.ts'
import { normalizedEmail } from '../mail/email.ts'
import type { Tables } from '../tables.ts'
import { administrator, resetSecondFactors, subjectsWithSecondFactor } from './factors.ts'

// `npm run admin:reset`: removes the second factors of administrators; exits with 1 where one has none.
const { env, argv } = process
const firstOwner = required(env, 'ADMIN_USERNAME')
const given = argv.slice(2)
const usernames = given.length > 0 ? given : [firstOwner]
const database = openDatabase<Tables>(required(env, 'PLATFORM_DATABASE_URL'), { name: 'admin-reset' })
const deps = { database, sealer: createSealer(keyring(env, 'PLATFORM_KEY')), clock: systemClock }
try {
  for (const typed of usernames) await reset(typed === firstOwner ? typed : normalizedEmail(typed))
} finally {
  await database.close()
}

async function reset(username: string): Promise<void> {
  try {
    await resetSecondFactors(deps, administrator(username), 'system')
    console.log(`The second factors of ${username} were removed and their sessions ended.`)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const others = [...(await subjectsWithSecondFactor(database.db, 'admin'))].sort()
    const have = others.length > 0 ? ` Administrators who have one: ${others.join(', ')}.` : ''
    console.error(`${username}: ${error.message}${have}`)
    process.exitCode = 1
  }
}
