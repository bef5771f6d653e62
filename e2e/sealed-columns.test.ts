import { sealedColumns as aggregator } from '@windlass/aggregator/sealed-columns.ts'
import { sealedColumns as businessServer } from '@windlass/business-server/sealed-columns.ts'
import { sealedColumns as controlPlane } from '@windlass/control-plane/sealed-columns.ts'
import { kycMigrations } from '@windlass/kyc-providers/create-provider.ts'
import { sealedColumns as platformApi } from '@windlass/platform-api/sealed-columns.ts'
import { sealedColumns as secretsStore } from '@windlass/secrets-store/sealed-columns.ts'
import { sealedColumns as sepServer } from '@windlass/sep-server/sealed-columns.ts'
import { openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { sealedColumns as signer } from '@windlass/signer/sealed-columns.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { expect, it } from 'vitest'

const migrationsOf = (app: string) => new URL(`../apps/${app}/migrations/`, import.meta.url).pathname
const DIGEST = /[._](hash|digest|mac|previous)$/

/** Each program with the columns of bytes that its keyring does not encrypt, beside digests. */
const programs = [
  {
    app: 'aggregator',
    sealed: aggregator,
    // A page's key encrypts the login that it waits for.
    others: ['outbox.sealed', 'signed_logins.public_key', 'signed_logins.sealed'],
  },
  {
    app: 'business-server',
    sealed: businessServer,
    others: [
      ...['bank_statement_days.bookings', 'ledger_incidents.record', 'logos.content', 'outbox.sealed'],
      // Proofs under the same keys: bound-orders.ts, bound-payments.ts, files.ts, bound-terms.ts and bound-facts.ts make them again, a quote holds for minutes.
      ...['payout_files.approval', 'rail_orders.bound', 'transfers.bound', 'bound_facts.bound'],
      ...['firm_rates.bound', 'ledger_payments.bound', 'claimable_balances.bound', 'gathered_refunds.bound'],
      ...['spent_facts.bound', 'ledger_envelopes.ended', 'screening_hits.cleared', 'screening_hits.decided'],
    ],
  },
  // An anchor's data key, which stays the same, encrypts its secrets.
  { app: 'control-plane', sealed: controlPlane, others: ['anchor_secrets.sealed', 'outbox.sealed'] },
  { app: 'platform-api', sealed: platformApi, others: ['passkeys.public_key'] },
  { app: 'secrets-store', sealed: secretsStore, others: ['outbox.sealed'] },
  { app: 'sep-server', sealed: sepServer, others: ['sep10_used_challenges.transaction'] },
  { app: 'signer', sealed: signer, others: ['outbox.sealed'] },
]

it.each(programs)('$app declares each column that it encrypts', async ({ app, sealed, others }) => {
  const { url, drop } = await testDatabase(sharedMigrations, kycMigrations, migrationsOf(app))
  const database = openDatabase<never>(url, { name: 'test' })
  try {
    const { rows } = await database.pool.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'public' and data_type = 'bytea'`,
    )
    const bytes = sealed.filter(({ base64Where }) => !base64Where)
    const known = [...bytes.map(({ table, column }) => `${table}.${column}`), ...others]
    const found = rows.map(({ name }) => name).filter(name => !DIGEST.test(name))
    expect(found.toSorted()).toEqual(known.toSorted())
    for (const { table, key } of sealed) {
      const unique = await database.pool.query<{ names: string[] }>(
        `select array(select attname::text from pg_attribute
           where attrelid = indrelid and attnum = any(indkey)) as names
         from pg_index where indrelid = $1::regclass and indisunique and indpred is null`,
        [table],
      )
      expect(unique.rows.some(({ names }) => names.every(name => key.includes(name)))).toBe(true)
    }
  } finally {
    await database.close()
    await drop()
  }
})
