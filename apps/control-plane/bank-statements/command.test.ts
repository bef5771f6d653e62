import { openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { createSealer } from '@windlass/service/seals/seal.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, it } from 'vitest'
import { openVault, sealNewDataKey } from '../anchors/vault.ts'
import { anchorDatabaseUrl, databaseNameOf } from '../servers/database.ts'
import { migrations, type Tables } from '../tables.ts'

const script = fileURLToPath(new URL('./main.ts', import.meta.url))

it('the command reads each anchor’s own database, as its owner', async () => {
  const control = await testDatabase(sharedMigrations, migrations)
  const database = openDatabase<Tables>(control.url, { name: 'statements-check test' })
  const key = randomBytes(32)
  const master = createSealer(new Map([[1, key]]))
  const id = `check${randomBytes(6).toString('hex')}`
  const data_key = sealNewDataKey(master, id)
  const row = {
    id,
    plan: JSON.stringify({ homeDomain: 'mumbai.example' }),
    data_key,
    sep_port: null,
    business_port: null,
  }
  await database.db
    .insertInto('anchors')
    .values({ ...row, provisioned_at: new Date() })
    .execute()
  const made = await openVault(master, id, data_key).ensure(database.db, 'database', () => ({
    secret: 'secret',
  }))
  const name = databaseNameOf(id)
  const admin = new pg.Client({ connectionString: control.url })
  await admin.connect()
  try {
    await admin.query(`create role ${name} login password '${made.secret}'`)
    await admin.query(`create database ${name} owner ${name}`)
    const owner = new pg.Client({
      connectionString: anchorDatabaseUrl(control.url, id, { password: made.secret }),
    })
    await owner.connect()
    await owner.query(`create schema business`)
    await owner.query(
      `create table business.bank_statements (id int, account text, rail text, file_name text, created_at timestamptz,
         booked_from text, booked_to text, lines int, new_lines int);
       create table business.bank_lines (account text, statement_id int, booked_on text, direction text, amount numeric,
         currency text, bank_reference text, position int);
       insert into business.bank_statements values (1, 'A', 'SEPA', 'tuesday.xml', now(), '2026-11-17', '2026-11-17', 1, 0)`,
    )
    await owner.end()
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [script, ...args], {
        env: {
          ...process.env,
          CONTROL_PLANE_DATABASE_URL: control.url,
          MASTER_KEY: `v1:${key.toString('base64')}`,
        },
        encoding: 'utf8',
      })
    const { stdout, stderr, status } = run()
    expect([stderr, status]).toEqual(['', 1])
    expect(stdout).toContain('mumbai.example')
    expect(stdout).toContain('tuesday.xml (SEPA, 2026-11-17 to 2026-11-17')
    expect(stdout).toContain('1 of 1 lines were taken for earlier ones, 1 of them were left out')
    expect(JSON.parse(run('--json').stdout)).toMatchObject([{ files: [{ leftOut: 1 }] }])
  } finally {
    await database.close()
    await admin.query(`drop database if exists ${name} with (force)`)
    await admin.query(`drop role if exists ${name}`)
    await admin.end()
    await control.drop()
  }
})
