import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dropDatabase } from '@windlass/postgres/databases.ts'
import { migrate } from '@windlass/service/postgres/database.ts'
import pg from 'pg'
import { inject } from 'vitest'

export interface TestDatabase {
  /** Address of the test's own database, migrated and empty. */
  url: string
  /** Removes it, disconnecting any client that is left. Close your pools first, or they report the broken connection. */
  drop(): Promise<void>
}

/**
 * The test's own migrated database: a clone of a template that is migrated once per run for each state of the
 * given migrations folders (in the order `migrate` takes them; none gives an empty database).
 */
export async function testDatabase(...migrations: string[]): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await asSuperuser(async superuser => {
    const template = migrations.length === 0 ? 'template0' : await templateFor(superuser, migrations)
    await superuser.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  })
  return { url: urlOf(name), drop: () => asSuperuser(superuser => dropDatabase(superuser, name)) }
}

/** A copy of a test's database as it is now, such as an older state to return to. Connections to it are ended. */
export async function copyDatabase({ url }: Pick<TestDatabase, 'url'>): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  const source = new URL(url).pathname.slice(1)
  await asSuperuser(async superuser => {
    await superuser.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
      source,
    ])
    await superuser.query(`CREATE DATABASE ${name} TEMPLATE ${source} STRATEGY FILE_COPY`)
  })
  return { url: urlOf(name), drop: () => asSuperuser(superuser => dropDatabase(superuser, name)) }
}

async function templateFor(superuser: pg.Client, migrations: string[]): Promise<string> {
  const template = `template_${fingerprint(migrations)}`
  // Test files run at the same time; the lock ends with the session, so a failed file blocks no other.
  await superuser.query('SELECT pg_advisory_lock(hashtext($1))', [template])
  try {
    const { rowCount } = await superuser.query('SELECT 1 FROM pg_database WHERE datname = $1', [template])
    if (rowCount === 0) await buildTemplate(superuser, template, migrations)
  } finally {
    await superuser.query('SELECT pg_advisory_unlock(hashtext($1))', [template])
  }
  return template
}

/** It is named once it is complete, so a failed migration leaves no partial template. */
async function buildTemplate(superuser: pg.Client, template: string, migrations: string[]): Promise<void> {
  const unfinished = `unfinished_${randomBytes(8).toString('hex')}`
  await superuser.query(`CREATE DATABASE ${unfinished} TEMPLATE template0 STRATEGY FILE_COPY`)
  const pool = new pg.Pool({ connectionString: urlOf(unfinished), max: 1 })
  try {
    await migrate(pool, migrations)
  } finally {
    await pool.end()
  }
  await superuser.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`)
}

function fingerprint(migrations: string[]): string {
  const hash = createHash('sha256')
  for (const folder of migrations) {
    for (const file of readdirSync(folder).sort()) hash.update(file).update(readFileSync(join(folder, file)))
  }
  return hash.digest('hex').slice(0, 24)
}

function urlOf(database: string): string {
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${database}`
  return url.href
}

async function asSuperuser<T>(act: (superuser: pg.Client) => Promise<T>): Promise<T> {
  const superuser = new pg.Client({ connectionString: inject('postgresUrl') })
  await superuser.connect()
  try {
    return await act(superuser)
  } finally {
    await superuser.end()
  }
}
