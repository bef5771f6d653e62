import { openDatabase } from '@windlass/service/database.ts'
import { keyring, optional, required } from '@windlass/service/env.ts'
import type { Tables } from '../tables.ts'
import { verifyAudit } from './verify.ts'

// `npm run audit:verify`: says whether the audit log is whole; exits with 1 where it is not.
const { env } = process
const database = openDatabase<Tables>(required(env, 'PLATFORM_DATABASE_URL'), { name: 'audit-verify' })
const keys = optional(env, 'PLATFORM_KEY') === undefined ? undefined : keyring(env, 'PLATFORM_KEY')
const horizonUrl = optional(env, 'HORIZON_URL')
const account = horizonUrl && (await import('./settings.ts')).ledgerAccountOf(env)
const state = await verifyAudit(database.db, {
  ...(keys ? { keyring: keys } : {}),
  ...(account && horizonUrl ? { ledger: { account, horizonUrl } } : {}),
})
await database.close()
if (state.ok) console.log(`The audit log is whole: ${state.entries} entries.`)
else console.error(`The audit log was changed. ${state.problem} ${state.entries} entries before it fit.`)
if (state.signedUpTo) console.log(`Signed up to entry ${state.signedUpTo}.`)
if (state.anchoredUpTo) console.log(`On the ledger up to entry ${state.anchoredUpTo}.`)
for (const unchecked of state.unchecked) console.log(`Not checked: ${unchecked}`)
process.exitCode = state.ok ? 0 : 1
