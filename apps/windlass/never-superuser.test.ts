import { databaseUrl, ensureDatabase, ensureRole } from '@windlass/postgres/databases.ts'
import { findRunning } from '@windlass/postgres/start.ts'
import { fastFolder } from '@windlass/testing/fast-folder.ts'
import { freePorts } from '@windlass/testing/free-ports.ts'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseEnvFile } from './base-env.ts'
import { inspectDatabases, readLastLedger } from './backups/inspect.ts'
import { inDatabase, protectAuditLog } from './databases.ts'
import { type Home, homeAt } from './home.ts'
import { terminalProgress } from './progress.ts'
import { rolePassword } from './settings.ts'
import { raiseStack, type Stack } from './stack.ts'

let root: string
let home: Home
let stack: Stack
let superuser: string
let environment: Record<string, string>

const silent = () => undefined
const start = async () => {
  const progress = { ...terminalProgress(true), heading: silent, note: silent, done: silent, plain: silent }
  stack = await raiseStack({
    ...{ home, progress, environment, services: [] },
    interrupted: new AbortController().signal,
  })
}
const passwordOfSuperuser = () =>
  parseEnvFile(readFileSync(home.baseEnvFile, 'utf8'), home.baseEnvFile).POSTGRES_PASSWORD ?? ''
const server = () => `postgres://127.0.0.1:${findRunning(home.postgres)?.port}`

beforeAll(async () => {
  root = mkdtempSync(join(fastFolder(), 'windlass-superuser-'))
  chmodSync(root, 0o755)
  home = homeAt(join(root, 'home'))
  const [POSTGRES_PORT, PROXY_PORT] = (await freePorts(2)).map(String)
  environment = { POSTGRES_PORT: POSTGRES_PORT ?? '', PROXY_PORT: PROXY_PORT ?? '' }
  await start()
  superuser = databaseUrl(server(), 'postgres', 'postgres', passwordOfSuperuser())
})
afterAll(async () => {
  await stack.stop()
  rmSync(root, { recursive: true })
})

/** As a thief of one database login, in its own database. */
async function as(login: string, database: string, password: string, statements: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl(server(), database, login, password), max: 1 })
  pool.on('error', () => undefined)
  await pool.query(statements).finally(() => pool.end())
}
const asService = (name: string, statements: (login: string) => string) =>
  as(
    name,
    name,
    rolePassword({ POSTGRES_PASSWORD: passwordOfSuperuser() }, name),
    statements(pg.escapeIdentifier(name)),
  )

/** A function that makes its owner the superuser, once the superuser calls it. */
const trap = (login: string, name: string, returns: string, value: string) =>
  `create function ${name} returns ${returns} language plpgsql as
   $$ begin
     begin execute 'alter role ${login} superuser'; exception when insufficient_privilege then null; end;
     return ${value};
   end $$;`
const APPLIED = 'create table schema_migrations (name text, applied_at timestamptz, release text);'
const AUDIT =
  'create table audit_log (id int); create table audit_head (id int); create table audit_signature (id int);'

const superusers = () =>
  inDatabase(superuser, 'postgres', async client => {
    const { rows } = await client.query<{ name: string }>(
      'select rolname as name from pg_roles where rolsuper order by 1',
    )
    return rows.map(({ name }) => name)
  })

describe('who has one database login', () => {
  it('becomes no superuser by what it leaves in its database: at a start, and when a backup is verified or restored', async () => {
    await asService(
      'windlass_signer',
      login =>
        `${APPLIED} insert into schema_migrations values ('0001-signer.sql', now(), null);
         ${trap(login, 'public.to_jsonb(public.schema_migrations)', 'jsonb', `'{}'`)}`,
    )
    await asService(
      'windlass_aggregator',
      login =>
        `${trap(login, 'public.take()', 'text', `'0001-aggregator.sql'`)}
         create view schema_migrations as select public.take() as name, now() as applied_at, null as release`,
    )
    await asService(
      'windlass_secrets_store',
      login =>
        `${trap(login, 'public.take()', 'bigint', '1')}
         create schema business; create table t (t text); insert into t values ('1');
         create table public.journal_lines (entry_id bigint, unit text, amount bigint);
         create table business.journal_lines (entry_id bigint, unit text, amount bigint);
         create view public.journal_entries as select public.take() as id, 'a' as cause;
         create view business.journal_entries as select public.take() as id, 'a' as cause;
         create view public.observed as select public.take() as ledger_sequence, now() as ledger_closed_at;
         create view business.observed as select public.take() as ledger_sequence, now() as ledger_closed_at`,
    )
    await asService(
      'windlass_platform',
      login => `${AUDIT} ${trap(login, 'public.protect_audit_log(owner text, writer text)', 'void', '')}`,
    )
    await inDatabase(superuser, 'postgres', async client => {
      await ensureRole(client, 'anchor_1', 'o')
      await ensureRole(client, 'anchor_1_sep', 's')
      await ensureDatabase(client, 'anchor_1', 'anchor_1')
      await client.query('grant connect on database anchor_1 to anchor_1_sep')
    })
    await as(
      'anchor_1',
      'anchor_1',
      'o',
      `create schema business;
       create table business.observed (ledger_sequence int, ledger_closed_at timestamptz);
       insert into business.observed values (7, now());
       create table business.journal_entries (id int, cause text);
       create table business.journal_lines (entry_id int, unit text, amount numeric);
       insert into business.journal_entries values (1, 'a');
       insert into business.journal_lines values (1, 'asset', 0)`,
    )
    await inDatabase(superuser, 'anchor_1', client =>
      client.query('create schema sep authorization anchor_1_sep'),
    )
    await as(
      'anchor_1_sep',
      'anchor_1',
      's',
      `${trap('anchor_1_sep', 'sep.take()', 'bigint', '1')}
       create view sep.observed as select sep.take() as ledger_sequence, now() as ledger_closed_at;
       create view sep.journal_entries as select sep.take() as id, 'a' as cause;
       create table sep.journal_lines (entry_id bigint, unit text, amount bigint)`,
    )

    await stack.stop()
    await start()
    expect(await readLastLedger(superuser)).toMatchObject({ sequence: 7 })
    const reports = await inspectDatabases(superuser)
    expect(reports.flatMap(({ name, journalEntries }) => (journalEntries === null ? [] : [name]))).toEqual([
      'anchor_1',
    ])
    expect(await protectAuditLog(superuser, 'windlass_platform', 'windlass_platform')).toBe(true)
    expect(await superusers()).toEqual(['postgres'])
  })
})
