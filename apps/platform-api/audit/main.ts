import { openDatabase } from '@windlass/service/database.ts'
import { required } from '@windlass/service/env.ts'
import type { Tables } from '../tables.ts'
import { verifyChain } from './verify.ts'

// `npm run audit:verify`: says whether the audit log is whole; exits with 1 where it is not.
const database = openDatabase<Tables>(required(process.env, 'PLATFORM_DATABASE_URL'), {
  name: 'audit-verify',
})
const { ok, entries, brokenAt } = await verifyChain(database.db)
await database.close()
if (ok) console.log(`The audit log is whole: ${entries} entries.`)
else console.error(`The audit log was changed: entry ${brokenAt} does not fit (${entries} before it do).`)
process.exitCode = ok ? 0 : 1
