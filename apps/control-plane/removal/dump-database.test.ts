import { ensureRole } from '@windlass/postgres/databases.ts'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { Deps } from '../deps.ts'
import {
  anchorDatabaseUrl,
  dropAnchorDatabase,
  ensureAnchorDatabase,
  withClient,
} from '../servers/database.ts'
import { dumpDatabase } from './dump-database.ts'

const anchorId = randomBytes(10).toString('hex')
const admin = { name: `creates_${anchorId}`, password: 'c' }
let superuser: pg.Pool
let deps: Pick<Deps, 'anchorDatabases' | 'config'>
let root: string
let folder: string

const as = (address: Parameters<typeof anchorDatabaseUrl>[2], statements: string) =>
  withClient(anchorDatabaseUrl(deps.config.anchorsDatabaseUrl, anchorId, address), client =>
    client.query(statements),
  )
const asSep = (statements: string) => as({ login: 'sep', password: 's' }, statements)
const dump = () =>
  dumpDatabase(anchorDatabaseUrl(deps.config.anchorsDatabaseUrl, anchorId, { password: 'o' }), folder)
const rowsOf = (file: string) =>
  readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .flatMap(line => (line ? [JSON.parse(line) as Record<string, string | null>] : []))

beforeAll(async () => {
  superuser = new pg.Pool({ connectionString: inject('postgresUrl'), max: 1 })
  await ensureRole(superuser, admin.name, admin.password, { createsDatabases: true })
  const { href } = Object.assign(new URL(inject('postgresUrl')), {
    ...{ username: admin.name, password: admin.password, pathname: '/postgres' },
  })
  const anchorDatabases = new pg.Pool({ connectionString: href, max: 2 })
  anchorDatabases.on('error', () => undefined)
  deps = { anchorDatabases, config: { anchorsDatabaseUrl: href } as Deps['config'] }
})
beforeEach(async () => {
  await ensureAnchorDatabase(deps, anchorId, { owner: 'o', sep: 's', business: 'b' })
  await as(
    { password: 'o' },
    `create table business.transfers (id int, paid boolean, amount numeric(19,7), note text, list text[], "t" text);
     insert into business.transfers values (1, true, 1.5, null, '{a,null}', 'x')`,
  )
  root = mkdtempSync(join(tmpdir(), 'dump-'))
  folder = join(root, 'a', 'b', 'work')
})
afterEach(async () => {
  await dropAnchorDatabase(deps, anchorId)
  rmSync(root, { recursive: true })
})
afterAll(async () => {
  await deps.anchorDatabases.end()
  await superuser.query(`drop role ${admin.name}`)
  await superuser.end()
})

it('each value is exported as its type writes it, and none is lost', async () => {
  const [table] = await dump()
  expect(table).toMatchObject({ file: 'data/business/transfers.ndjson', rows: 1, omitted: [] })
  expect(rowsOf('data/business/transfers.ndjson')).toEqual([
    { id: '1', paid: 't', amount: '1.5000000', note: null, list: '{a,NULL}', t: 'x' },
  ])
})

describe('who has the login of the SEP server', () => {
  const SPY = `create function sep.spy() returns text language plpgsql as
    $$ begin return current_user::text || ' reads ' || (select count(*) from business.transfers); end $$;`

  it('does not choose where files are written, and takes no other table’s place', async () => {
    for (const name of ['../../../../escaped', '../business/transfers', 'a/b', 'Transfers', '.'])
      await asSep(`create table sep."${name}" (said text); insert into sep."${name}" values ('mine')`)
    const tables = await dump()
    expect(tables.map(({ file }) => file).toSorted()).toEqual([
      'data/business/transfers.ndjson',
      ...[1, 2, 3, 4, 5].map(number => `data/other/${number}.ndjson`),
    ])
    expect(new Set(tables.map(({ name }) => name)).has('../../../../escaped')).toBe(true)
    expect([readdirSync(root), existsSync(join(root, 'a', 'escaped.ndjson'))]).toEqual([['a'], false])
    expect(rowsOf('data/business/transfers.ndjson')).toHaveLength(1)
  })

  it('has nothing run as the owner: neither a cast, an output of a row, nor a view', async () => {
    await asSep(`${SPY}
      create type sep.odd as (x int);
      create table sep.odds (value sep.odd, domain_value text);
      insert into sep.odds values (row(1)::sep.odd, 'y');
      create function sep.text_of(sep.odd) returns text language plpgsql as 'begin return sep.spy(); end';
      create cast (sep.odd as text) with function sep.text_of(sep.odd);
      create function sep.json_of(sep.odd) returns json language plpgsql as 'begin return to_json(sep.spy()); end';
      create cast (sep.odd as json) with function sep.json_of(sep.odd);
      create view sep.seen as select sep.spy() as said`)
    const tables = await dump()
    expect(tables.map(({ name }) => name)).toEqual(['transfers', 'odds'])
    expect(rowsOf('data/sep/odds.ndjson')).toEqual([{ value: '(1)', domain_value: 'y' }])
  })

  it('has nothing run as the owner by a policy: then nothing is exported', async () => {
    await asSep(`${SPY}
      create table sep.kept (said text); insert into sep.kept values ('x');
      alter table sep.kept enable row level security; alter table sep.kept force row level security;
      create policy spies on sep.kept using (sep.spy() <> '')`)
    await expect(dump()).rejects.toThrow('row-level security')
  })
})
