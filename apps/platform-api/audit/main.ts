import { openDatabase } from '@windlass/service/postgres/database.ts'
import { keyring, optional, required } from '@windlass/service/process/env.ts'
import { TEST_NETWORK } from '@windlass/stellar/network.ts'
import type { Tables } from '../tables.ts'
import { verifyAudit, type AuditState } from './verify.ts'

// `npm run audit:verify`: says whether the audit log is whole; exits with 1 where it is not.
const { env } = process
const database = openDatabase<Tables>(required(env, 'PLATFORM_DATABASE_URL'), { name: 'audit-verify' })
const keys = optional(env, 'PLATFORM_KEY') === undefined ? undefined : keyring(env, 'PLATFORM_KEY')
const url = optional(env, 'HORIZON_URL')?.replace(/\/+$/, '')
const passphrase = optional(env, 'NETWORK_PASSPHRASE') ?? TEST_NETWORK
const account = url && (await import('./settings.ts')).ledgerAccountOf(env)
const state = await verifyAudit(database.db, {
  ...(keys ? { keyring: keys } : {}),
  ...(account && url ? { ledger: { account, url, passphrase } } : {}),
})
await database.close()
if (process.argv[2] === '--json') console.log(JSON.stringify(state, null, 2))
else print(state)
process.exitCode = state.ok ? 0 : 1

function print({ ok, entries, problem, signedUpTo, anchoredUpTo, unchecked }: AuditState): void {
  if (ok) console.log(`The audit log is whole: ${entries} entries.`)
  else console.error(`The audit log was changed. ${problem} ${entries} entries before it fit.`)
  if (signedUpTo) console.log(`Signed up to entry ${signedUpTo}.`)
  if (anchoredUpTo) console.log(`On the ledger up to entry ${anchoredUpTo}.`)
  for (const each of unchecked) console.log(`Not checked: ${each}`)
}
