import {
  closeSharedDatabases,
  ensureDatabase,
  ensureRole,
  refuseLargeObjects,
} from '@windlass/postgres/databases.ts'
import pg from 'pg'
import type { Variables } from './base-env.ts'
import { rolePassword, type Settings } from './settings.ts'

/** Creates the stack's missing databases, each with its own role. */
export async function ensureDatabases(
  superuserUrl: string,
  databases: Settings['databases'],
  variables: Variables,
): Promise<void> {
  const pool = new pg.Pool({ connectionString: superuserUrl, max: databases.length || 1 })
  // The pool replaces a connection that breaks while idle; one in use fails its query.
  pool.on('error', () => undefined)
  try {
    await Promise.all(
      databases.map(async database => {
        const { name } = database
        const createsDatabases = 'createsDatabases' in database
        await ensureRole(pool, name, rolePassword(variables, name), { createsDatabases })
        await ensureDatabase(pool, name, name)
      }),
    )
    await closeSharedDatabases(pool)
    const { rows } = await pool.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE datallowconn',
    )
    for (const { datname } of rows) await refuseLargeObjectsIn(superuserUrl, datname)
  } finally {
    await pool.end()
  }
}

async function refuseLargeObjectsIn(superuserUrl: string, database: string): Promise<void> {
  const connectionString = Object.assign(new URL(superuserUrl), { pathname: `/${database}` }).href
  const client = new pg.Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await refuseLargeObjects(client)
  } finally {
    await client.end()
  }
}
