import { migrate, openDatabase } from './database.ts'
import { ConfigError, databaseAddress, type Env } from '../process/env.ts'

/**
 * Brings a service's tables to this version and ends: what its program does with `--migrate`. Says in one line what went wrong and
 * returns the exit code, which is 78 (EX_CONFIG) for a wrong setting.
 *
 * @param variable addresses the database
 */
export async function migrateOnce(env: Env, variable: string, folders: readonly string[]): Promise<number> {
  try {
    const { pool } = openDatabase(databaseAddress(env, variable), { name: 'migrations', max: 1 })
    try {
      await migrate(pool, folders)
    } finally {
      await pool.end()
    }
    return 0
  } catch (error) {
    process.stderr.write(`${variable}: ${(error as Error).message}\n`)
    return error instanceof ConfigError ? 78 : 1
  }
}
