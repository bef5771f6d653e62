import { ConfigError, databaseAddress } from '@windlass/service/process/env.ts'
import { requireSupportedPostgres } from '@windlass/service/postgres/postgres-version.ts'
import pg from 'pg'
import type { Variables } from '../base-env.ts'
import { requireMigrationsAt } from '../data-migrations.ts'
import { DATABASES } from '../services.ts'

/** What each database of a Postgres that Windlass does not start answers. */
export async function checkOwnDatabases(
  variables: Variables,
): Promise<{ state: 'good' | 'bad'; text: string }[]> {
  const own = DATABASES.filter(({ variable }) => variables[variable])
  return Promise.all(
    own.map(async ({ variable }) => {
      try {
        return {
          state: 'good',
          text: `${variable}: Postgres ${await askVersion(variable, databaseAddress(variables, variable))}`,
        }
      } catch (error) {
        const why = error instanceof Error ? error.message || error.name : String(error)
        return { state: 'bad', text: error instanceof ConfigError ? why : `${variable}: ${why}` }
      }
    }),
  )
}

async function askVersion(variable: string, connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000, query_timeout: 5_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const version = await requireSupportedPostgres(client)
    const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
    if (rows[0]?.standby)
      throw new Error('this is a standby, which takes no writes: give the address that leads to the primary')
    await requireMigrationsAt(client, variable)
    return version
  } finally {
    await client.end().catch(() => undefined)
  }
}
