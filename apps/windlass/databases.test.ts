import {
  dropDatabase,
  dropRole,
  ensureDatabase,
  ensureRole,
  databaseUrl,
} from '@windlass/postgres/databases.ts'
import { migrate, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { childEnvironment } from '@windlass/testing/processes.ts'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { protectAuditLog } from './databases.ts'
import { CHECKOUT } from './home.ts'

const MIGRATIONS = [
  sharedMigrations,
  join(CHECKOUT, 'packages', 'kyc-providers', 'migrations'),
  join(CHECKOUT, 'apps', 'platform-api', 'migrations'),
]
const url = inject('postgresUrl')
const name = `platform_${randomBytes(6).toString('hex')}`
const later = mkdtempSync(join(tmpdir(), 'windlass-later-'))
const superuser = new pg.Pool({ connectionString: url, max: 1 })
let platform: pg.Pool

beforeAll(async () => {
  const { host } = new URL(url)
  await ensureRole(superuser, name, 'password')
  await ensureDatabase(superuser, name, name)
  platform = new pg.Pool({
    connectionString: databaseUrl(`postgres://${host}`, name, name, 'password'),
    max: 1,
  })
  // The database is dropped before the server has ended the last connection.
  platform.on('error', () => undefined)
})
afterAll(async () => {
  await platform.end()
  await dropDatabase(superuser, name)
  await dropRole(superuser, name)
  await superuser.end()
  rmSync(later, { recursive: true })
})

describe('the audit log in a Postgres of the stack', () => {
  it('is left as it is until the platform has made its tables', async () => {
    expect(await protectAuditLog(url, name, name)).toBe(false)
    await migrate(platform, MIGRATIONS)
    expect(await protectAuditLog(url, name, name)).toBe(true)
    expect(await protectAuditLog(url, name, name)).toBe(true)
  })

  it('takes entries of the platform’s login, which can neither change nor remove it', async () => {
    await platform.query(
      "insert into audit_log select 1, now(), 'a', 'b', 'c', '{}', hash, hash from audit_head",
    )
    await platform.query('update audit_head set sequence = 1')
    for (const statement of [
      'delete from audit_log',
      'truncate audit_log',
      'alter table audit_log disable trigger all',
      'drop table audit_log',
      'drop table audit_signature',
      'drop schema public cascade',
      `alter schema public owner to ${name}`,
      'alter table audit_log rename to other',
    ]) {
      await expect(platform.query(statement), statement).rejects.toMatchObject({ code: '42501' })
    }
    const { rows } = await platform.query('select sequence from audit_log')
    expect(rows).toHaveLength(1)
  })

  it('does not keep later migrations of other tables from running', async () => {
    const text =
      'create table later (id int); alter table customers add column later int; create index on later (id);'
    writeFileSync(join(later, '9999-later.sql'), text)
    await migrate(platform, [...MIGRATIONS, later])
    const { rows } = await platform.query('select later from customers')
    expect(rows).toEqual([])
  })
})

it('the container that makes databases says at once that Postgres has another password', () => {
  const { host } = new URL(url)
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(CHECKOUT, 'apps', 'windlass', 'containers', 'databases', 'main.ts')],
    {
      env: {
        ...childEnvironment(),
        POSTGRES_URL: `postgres://${name}@${host}/${name}`,
        POSTGRES_PASSWORD: 'another',
      },
      encoding: 'utf8',
    },
  )
  expect(stderr).toBe(
    'Postgres has another POSTGRES_PASSWORD. Change it there first: docs/guides/secrets.md\n',
  )
  expect(status).toBe(78)
})
