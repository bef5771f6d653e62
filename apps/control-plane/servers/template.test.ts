import { kycMigrations } from '@windlass/kyc-providers/create-provider.ts'
import { ensureRole } from '@windlass/postgres/databases.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import type { ServerSpec } from '@windlass/runtimes/runtime.ts'
import { migrate, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import type { Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import {
  anchorDatabaseUrl,
  databaseNameOf,
  dropAnchorDatabase,
  ensureAnchorDatabase,
  withClient,
} from './database.ts'
import type { StageContext } from '../provisioning/stage.ts'
import { createDatabaseEarly, setUpDatabases } from '../provisioning/stages/set-up-databases.ts'
import { createAnchorDatabase, isJustCreated, prepareBusinessTables } from './prepare.ts'
import { ensureTemplate } from './template.ts'

const ownMigrations = fileURLToPath(new URL('../../business-server/migrations/', import.meta.url))
const businessServers = [sharedMigrations, kycMigrations, ownMigrations]
/** What it takes to see whose the tables are. */
const FEW_TABLES = `create table transfers (id int);
  create function grant_server_rights(server_role text) returns void language plpgsql as $$ begin
    execute format('grant usage on schema business to %I', server_role);
    execute format('grant select on all tables in schema business to %I', server_role);
  end $$;`
const passwords = { owner: 'o', sep: 's', business: 'b' }
const word = randomBytes(6).toString('hex')
const admin = `creates_${word}`
const folder = mkdtempSync(join(tmpdir(), 'windlass-template-'))
const few = [join(folder, 'few')]
const made: string[] = []
let superuser: pg.Pool
let deps: Deps
/** How often the release's own program has migrated, and what it does first. */
let migrated = 0
let before = async () => {}
let migrations = few

const spec = { anchorId: 'a', role: 'business', folder } as ServerSpec
const vault = {
  get: async () => ({ secret: passwords.owner }),
  ensure: async (_: unknown, role: string) => ({ secret: role.endsWith('sep') ? 's' : 'b' }),
} as unknown as Vault

/** A release of which each text is another. */
function setRelease(text: string): void {
  mkdirSync(join(folder, 'files'), { recursive: true })
  writeFileSync(join(folder, 'files', '0001-first.sql'), text)
}

async function runProgram({ folder, files }: ServerSpec): Promise<void> {
  migrated++
  await before()
  const connectionString = readFileSync(join(folder, files.DATABASE_URL_FILE ?? ''), 'utf8')
  const pool = new pg.Pool({ connectionString, max: 1 })
  await migrate(pool, migrations).finally(() => pool.end())
}

async function createAnchor(template: string | null): Promise<string> {
  const anchorId = randomBytes(10).toString('hex')
  made.push(anchorId)
  await ensureAnchorDatabase(deps, anchorId, passwords, 'a', template)
  return anchorId
}

const read = async <T>(
  anchorId: string,
  login: 'sep' | 'business' | undefined,
  query: string,
): Promise<T[]> => {
  const password = passwords[login ?? 'owner']
  const url = anchorDatabaseUrl(deps.config.anchorsDatabaseUrl, anchorId, {
    ...{ login, schema: login ?? 'business', password },
  })
  return withClient(url, async client => (await client.query(query)).rows as T[])
}

/** Templates that this test's role has created. */
async function templates(): Promise<string[]> {
  const { rows } = await superuser.query<{ name: string }>(
    'select datname as name from pg_database where datdba = $1::regrole and datname like $2',
    [admin, 'windlass%'],
  )
  return rows.map(({ name }) => name)
}

beforeAll(async () => {
  mkdirSync(join(folder, 'few'))
  writeFileSync(join(folder, 'few', '0001-few.sql'), FEW_TABLES)
  superuser = new pg.Pool({ connectionString: inject('postgresUrl'), max: 2 })
  await ensureRole(superuser, admin, 'c', { createsDatabases: true })
  const url = Object.assign(new URL(inject('postgresUrl')), {
    username: admin,
    password: 'c',
    pathname: '/postgres',
  })
  deps = {
    anchorDatabases: new pg.Pool({ connectionString: url.href, max: 3 }),
    database: {},
    logger: { warn: () => undefined },
    runtime: { kind: 'processes', migrate: runProgram },
    config: {
      anchorsDatabaseUrl: url.href,
      anchors: { programs: { business: join(folder, 'business.mjs') } },
      work: { healthySeconds: 60 },
    },
  } as unknown as Deps
})
beforeEach(() => {
  setRelease(randomBytes(6).toString('hex'))
  migrated = 0
  before = async () => {}
  migrations = few
})
afterAll(async () => {
  for (const anchorId of made) await dropAnchorDatabase(deps, anchorId)
  await deps.anchorDatabases.end()
  for (const name of await templates()) await superuser.query(`drop database ${name} with (force)`)
  const { rows } = await superuser.query<{ name: string }>(
    `select distinct roleid::regrole::text as name from pg_auth_members where member = $1::regrole and roleid::regrole::text like $2`,
    [admin, 'windlass%'],
  )
  for (const { name } of rows) await superuser.query(`drop role ${name}`)
  await superuser.query(`drop role ${admin}`)
  await superuser.end()
  rmSync(folder, { recursive: true })
})

describe('the template of anchors’ databases', () => {
  it('is migrated once for a release, and what is copied belongs to the anchor', async () => {
    migrations = businessServers
    const anchors = []
    for (let count = 0; count < 2; count++) anchors.push(await createAnchor(await ensureTemplate(deps, spec)))
    for (const anchorId of anchors) {
      await prepareBusinessTables(deps, { ...spec, anchorId }, vault)
      expect(await read(anchorId, 'business', 'select from transfers')).toEqual([])
      await expect(read(anchorId, 'business', 'delete from ledger_payments')).rejects.toMatchObject({
        code: '42501',
      })
      await expect(read(anchorId, 'sep', 'select from business.transfers')).rejects.toMatchObject({
        code: '42501',
      })
      const owners = `select distinct pg_get_userbyid(relowner) as owner from pg_class
        where relnamespace = 'business'::regnamespace
        union select pg_get_userbyid(proowner) from pg_proc where pronamespace = 'business'::regnamespace`
      expect(await read(anchorId, undefined, owners)).toEqual([{ owner: databaseNameOf(anchorId) }])
    }
    expect(migrated).toBe(1)
  })

  it('is complete in a copy, over one connection to it', async () => {
    migrations = businessServers
    const template = await ensureTemplate(deps, spec)
    const opened = vi.spyOn(pg.Client.prototype, 'connect')
    const anchorId = await createAnchor(template)
    const databases = opened.mock.contexts.map(client => (client as pg.Client).database)
    opened.mockRestore()
    expect(databases.filter(name => name === databaseNameOf(anchorId))).toHaveLength(1)
    expect(await read(anchorId, 'business', 'select from transfers')).toEqual([])
    await read(anchorId, 'sep', 'create table mine (id int)')
    for (const statement of ['delete from ledger_payments', 'create table mine (id int)'])
      await expect(read(anchorId, 'business', statement)).rejects.toMatchObject({ code: '42501' })
  })

  it('is trusted to be complete by the run that copied it alone, and another waits for no copy that hangs', async () => {
    const anchorId = randomBytes(10).toString('hex')
    made.push(anchorId)
    const plan = { anchorId } as AnchorPlan
    const runOf = (its: Vault, fenced: () => Promise<never>): StageContext => ({
      ...{ deps, plan, vault: its, fenced, jobId: 'job', signal: new AbortController().signal },
      log: async () => undefined,
      at: () => undefined,
    })
    const [hanging, later] = [{ ...vault }, { ...vault }]
    createDatabaseEarly(runOf(hanging, () => new Promise(() => undefined)))
    const template = await ensureTemplate(deps, spec)
    await createAnchorDatabase(deps, plan, later, template)
    await setUpDatabases.run(runOf(later, () => Promise.reject(new Error('nothing is missing'))))
    expect([hanging, later, later].map(isJustCreated)).toEqual([false, true, false])
  })

  it('cannot be entered by the role that its tables belong to', async () => {
    const name = await ensureTemplate(deps, spec)
    const { rows } = await superuser.query(
      'select datallowconn, rolcanlogin from pg_database, pg_roles where datname = $1 and rolname = $1',
      [name],
    )
    expect(rows).toEqual([{ datallowconn: false, rolcanlogin: false }])
  })

  it('keeps nobody waiting while it is built: those anchors are migrated themselves', async () => {
    const building = Promise.withResolvers<undefined>()
    before = () => building.promise
    const first = ensureTemplate(deps, spec)
    await expect.poll(() => migrated).toBe(1)
    expect(await ensureTemplate(deps, spec)).toBeNull()
    building.resolve(undefined)
    expect(await first).toMatch(/^windlass_template_/)
    const anchorId = await createAnchor(null)
    await prepareBusinessTables(deps, { ...spec, anchorId }, vault)
    expect(await read(anchorId, 'business', 'select from transfers')).toEqual([])
    expect(migrated).toBe(2)
  })

  it('is built by the next one where a build died', async () => {
    before = () => Promise.reject(new Error('killed'))
    expect(await ensureTemplate(deps, spec)).toBeNull()
    expect(await templates()).toContainEqual(expect.stringMatching(/_unfinished$/))
    before = async () => {}
    // The lock of the one that died goes with its connection, a moment later.
    await expect.poll(() => ensureTemplate(deps, spec)).toMatch(/^windlass_template_/)
    expect(await templates()).toEqual([await ensureTemplate(deps, spec)])
  })

  it('gives an anchor its tables where the first attempt died after the copy', async () => {
    const name = await ensureTemplate(deps, spec)
    const anchorId = randomBytes(10).toString('hex')
    made.push(anchorId)
    const database = databaseNameOf(anchorId)
    await deps.anchorDatabases.query(`create role ${database}`)
    await deps.anchorDatabases.query(`grant ${database} to current_user`)
    await deps.anchorDatabases.query(`create database ${database} owner ${database} template ${name}`)

    // And another release has come since.
    setRelease('next')
    const next = await ensureTemplate(deps, spec)
    expect(await templates()).toEqual([next])
    await ensureAnchorDatabase(deps, anchorId, passwords, 'a', next)
    migrated = 0
    await prepareBusinessTables(deps, { ...spec, anchorId }, vault)
    expect(migrated).toBe(1)
    await prepareBusinessTables(deps, { ...spec, anchorId }, vault)
    expect(migrated).toBe(1)
    expect(await read(anchorId, 'business', 'select from transfers')).toEqual([])
  })

  it('is not needed: an anchor begins without one that is gone', async () => {
    const anchorId = await createAnchor('windlass_template_gone')
    await prepareBusinessTables(deps, { ...spec, anchorId }, vault)
    expect(await read(anchorId, 'business', 'select from transfers')).toEqual([])
  })

  it('is not made of a program whose migrations are not known, which migrates each time', async () => {
    const unknown = { ...spec, from: { program: '/releases/1/main.ts' } }
    expect(await ensureTemplate(deps, unknown)).toBeNull()
    const anchorId = await createAnchor(null)
    for (let count = 0; count < 2; count++) {
      await prepareBusinessTables(deps, { ...unknown, anchorId }, vault)
    }
    expect(migrated).toBe(2)
  })
})

describe('the tables of an anchor whose server of the release before runs on', () => {
  it('can be written by it where a trigger writes a new one, also after a migration that failed', async () => {
    const release = (name: string, isIn: (file: string) => boolean): string => {
      const to = join(folder, name)
      for (const file of readdirSync(ownMigrations).filter(isIn))
        cpSync(join(ownMigrations, file), join(to, file))
      return to
    }
    const earlier = release('earlier', file => file < '0500')
    const later = release('later', file => file < '0501')
    writeFileSync(join(later, '0501-fails.sql'), 'select 1 / 0')
    migrations = [sharedMigrations, kycMigrations, earlier]
    const anchorId = await createAnchor(null)
    await prepareBusinessTables(deps, { ...spec, anchorId }, vault)
    setRelease('next')
    migrations = [sharedMigrations, kycMigrations, later]
    await expect(prepareBusinessTables(deps, { ...spec, anchorId }, vault)).rejects.toThrow(/0501-fails/)
    const quote = `insert into firm_rates (sell_asset, buy_asset, amount, fee, fiat_amount, currency, person, expires_at)
      values ('iso4217:INR', 'stellar:A', 5, 1, 500, 'INR', 'one', now() + interval '5 minutes')`
    await read(anchorId, 'business', quote)
    expect(await read(anchorId, 'business', 'select holder, amount from firm_rate_totals')).toContainEqual({
      ...{ holder: 'person:one', amount: '5.0000000' },
    })
  })
})
