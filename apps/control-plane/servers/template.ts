import type { ServerSpec } from '@windlass/runtimes/runtime.ts'
import { createHash } from 'node:crypto'
import pg from 'pg'
import { randomSecret } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { markMigrations, TEMPLATES, withDatabase } from './database.ts'
import { runMigrations } from './run-migrations.ts'
import { identifyMigrations } from './migrations.ts'

const BUILDING = 727_007

/**
 * The name of a database whose schema `business` has the tables of the spec's release and belongs to a role of the same
 * name: anchors' databases begin as a copy of it. Built once for each release, by the release's own program. Null where
 * there is none now: the anchor's own database is migrated then.
 */
export async function ensureTemplate(deps: Deps, spec: ServerSpec): Promise<string | null> {
  try {
    const migrations = await identifyMigrations(deps, spec)
    if (migrations === null) return null
    const client = await deps.anchorDatabases.connect()
    try {
      const name = await nameOf(client, migrations)
      const ready =
        (await exists(client, name)) || (await buildAlone(deps, client, { name, migrations, spec }))
      client.release()
      return ready ? name : null
    } catch (error) {
      // The connection goes, and with it its lock.
      client.release(true)
      throw error
    }
  } catch (error) {
    deps.logger.warn({ err: error }, 'there is no template for anchors’ databases')
    return null
  }
}

/** A server of several platforms has templates of each: a role is given by those alone who created it. */
async function nameOf(client: pg.ClientBase, migrations: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select current_user as name')
  const hash = createHash('sha256').update(`${rows[0]?.name}\n${migrations}`).digest('hex')
  return `${TEMPLATES}${hash.slice(0, 24)}`
}

async function exists(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
  return rowCount === 1
}

interface Template {
  name: string
  migrations: string
  spec: ServerSpec
}

/** False: another control plane, or another job of this one, builds it. */
async function buildAlone(deps: Deps, client: pg.ClientBase, template: Template): Promise<boolean> {
  const query = (lock: string) =>
    client.query<{ held: boolean }>(`select ${lock}($1, hashtext($2)) as held`, [BUILDING, template.name])
  const { rows } = await query('pg_try_advisory_lock')
  if (!rows[0]?.held) return false
  if (!(await exists(client, template.name))) {
    await build(deps, client, template)
    await dropOthers(client, template.name)
  }
  await query('pg_advisory_unlock')
  return true
}

/** It gets its name when it is complete: what a build that died has left is dropped. */
async function build(deps: Deps, client: pg.ClientBase, { name, migrations, spec }: Template): Promise<void> {
  const unfinished = `${name}_unfinished`
  const [role, database] = [pg.escapeIdentifier(name), pg.escapeIdentifier(unfinished)]
  const password = randomSecret().secret
  await client.query(`drop database if exists ${database} with (force)`)
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name])
  if (rowCount === 0) await client.query(`create role ${role}`)
  await client.query(`alter role ${role} login password ${pg.escapeLiteral(password)}`)
  await client.query(`grant ${role} to current_user`)
  await client.query(`create database ${database}`)
  await client.query(`revoke all on database ${database} from public`)
  await client.query(`grant connect on database ${database} to ${role}`)
  const server = deps.config.anchorsDatabaseUrl
  await withDatabase(server, unfinished, admin => admin.query(`create schema business authorization ${role}`))
  const url = Object.assign(new URL(server), {
    ...{ username: name, password, pathname: `/${unfinished}` },
    search: '?options=-csearch_path%3Dbusiness',
  })
  await runMigrations(deps, spec, url.href)
  await withDatabase(server, unfinished, admin => markMigrations(admin, migrations))
  await client.query(`alter role ${role} nologin password null`)
  // A copy needs that nobody is connected to it.
  await client.query(`alter database ${database} allow_connections false`)
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
    unfinished,
  ])
  await client.query(`alter database ${database} rename to ${role}`)
}

/** Those of earlier releases. A role stays while an anchor's database that was just copied has tables of it. */
async function dropOthers(client: pg.ClientBase, name: string): Promise<void> {
  const { rows } = await client.query<{ other: string }>(
    `select datname as other from pg_database
       where starts_with(datname, $1) and datname <> $2 and datdba = current_user::regrole`,
    [TEMPLATES, name],
  )
  for (const { other } of rows) {
    const role = pg.escapeIdentifier(other.replace(/_unfinished$/, ''))
    // Another control plane copies it.
    await client.query(`drop database if exists ${pg.escapeIdentifier(other)}`).catch(() => undefined)
    await client.query(`drop role if exists ${role}`).catch(() => undefined)
  }
}
