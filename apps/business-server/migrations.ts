import { migrate, openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { flag, required, type Env } from '@windlass/service/process/env.ts'
import { fileURLToPath } from 'node:url'

export const migrations = [sharedMigrations, fileURLToPath(new URL('./migrations/', import.meta.url))]

/** What this release can do with a database that another one may not: 0071-releases-that-know-further-assets.sql. */
export const KNOWS = 'further-assets'

/** Brings the tables to this version as the role of DATABASE_URL, which owns them. */
export async function migrateOnce(env: Env): Promise<void> {
  const { pool } = openDatabase(required(env, 'DATABASE_URL'), { name: 'business-server migrations', max: 1 })
  await migrate(pool, migrations, { knows: KNOWS, mayBeNewer: flag(env, 'DATABASE_MAY_BE_NEWER') })
  await pool.end()
}
