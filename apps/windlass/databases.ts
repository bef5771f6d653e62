import { ensureDatabase, ensureRole } from '@windlass/postgres/databases.ts'
import pg from 'pg'
import type { Variables } from './base-env.ts'
import { rolePassword, type Settings } from './settings.ts'

/** Creates the stack's databases, each with a role of its own, where they are missing. */
export async function ensureDatabases(
  superuserUrl: string,
  databases: Settings['databases'],
  variables: Variables,
): Promise<void> {
  const pool = new pg.Pool({ connectionString: superuserUrl, max: databases.length || 1 })
  // A connection that breaks while idle is the pool's to replace; one in use fails its query.
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
  } finally {
    await pool.end()
  }
}
