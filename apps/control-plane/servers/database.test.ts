import { kycMigrations } from '@windlass/kyc-providers/create-provider.ts'
import { ensureRole } from '@windlass/postgres/databases.ts'
import { migrate, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import type { Vault } from '../anchors/vault.ts'
import type { Deps } from '../deps.ts'
import { countOpenTransfers, listOwed } from '../removal/open-transfers.ts'
import {
  anchorDatabaseUrl,
  databaseNameOf,
  dropAnchorDatabase,
  endLogins,
  ensureAnchorDatabase,
  grantServerRights,
  withClient,
  withDatabase,
  type DatabaseAddress,
} from './database.ts'

const migrationsOf = (app: string) => fileURLToPath(new URL(`../../${app}/migrations/`, import.meta.url))
const business = [sharedMigrations, kycMigrations, migrationsOf('business-server')]
const sep = [sharedMigrations, migrationsOf('sep-server')]

const anchorId = randomBytes(10).toString('hex')
const passwords = { owner: 'o', sep: 's', business: 'b' }
const admin = { name: `creates_${anchorId}`, password: 'c' }
const pools: pg.Pool[] = []
let superuser: pg.Pool
let deps: Pick<Deps, 'anchorDatabases' | 'config'>

function connect(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 2 })
  pool.on('error', () => undefined)
  pool.on('connect', client => client.on('error', () => undefined))
  pools.push(pool)
  return pool
}
const urlOf = (address: DatabaseAddress) =>
  anchorDatabaseUrl(deps.config.anchorsDatabaseUrl, anchorId, address)
const asOwner = (schema: 'sep' | 'business') => connect(urlOf({ schema, password: passwords.owner }))
const grantRights = () =>
  withClient(urlOf({ schema: 'business', password: passwords.owner }), owner =>
    grantServerRights(owner, anchorId),
  )
const as = (login: 'sep' | 'business') => connect(urlOf({ login, password: passwords[login] }))

beforeAll(async () => {
  superuser = connect(inject('postgresUrl'))
  await ensureRole(superuser, admin.name, admin.password, { createsDatabases: true })
  const url = new URL(inject('postgresUrl'))
  url.username = admin.name
  url.password = admin.password
  url.pathname = '/postgres'
  deps = { anchorDatabases: connect(url.href), config: { anchorsDatabaseUrl: url.href } as Deps['config'] }
})
afterAll(async () => {
  await dropAnchorDatabase(deps, anchorId)
  await Promise.all(pools.filter(pool => pool !== superuser).map(pool => pool.end()))
  await superuser.query(`drop role ${admin.name}`)
  await superuser.end()
})

const denied = { code: '42501' }
const TRANSFER = `insert into transfers (id, sep, direction, state, account, stellar_account, rail, currency)
  values (gen_random_uuid(), '24', 'deposit', 'new', 'GA', 'GA', 'UPI', 'INR')`
const HIT = `with list as (insert into sanctions_lists (source, list_id, format, file_name, digest, entries, names, by)
    values ('UN', 'un-consolidated', 'un-xml', 'list.xml', '', 1, 1, 'operator:1') returning version),
  name as (insert into screened_names (subject_kind, subject_id, role, sealed)
    values ('customer', '1', 'customer', '') returning id)
  insert into screening_hits (name_id, list, source, entry_id, entry_name, detail, score)
  select id, version, 'UN', '1', 'A', '', 1 from list, name`
const PAYMENT = `insert into ledger_payments (cause, purpose, destination, amount) values ('x', 'refund', 'GA', 5)`

describe('the database of an anchor', () => {
  it('of an earlier version, where both servers share the owner’s login, is brought to a login for each', async () => {
    const name = databaseNameOf(anchorId)
    await deps.anchorDatabases.query(`create role ${name} login password 'o'`)
    await deps.anchorDatabases.query(`grant ${name} to current_user`)
    await deps.anchorDatabases.query(`create database ${name} owner ${name}`)
    const old = { sep: asOwner('sep'), business: asOwner('business') }
    for (const schema of ['sep', 'business'] as const) await old[schema].query(`create schema ${schema}`)
    await migrate(old.sep, sep)
    await migrate(old.business, business)
    await old.sep.query("insert into outbox (topic, key) values ('kept', 'kept')")

    await ensureAnchorDatabase(deps, anchorId, passwords)
    await grantRights()

    const { rows } = await as('sep').query('select topic from outbox')
    expect(rows).toEqual([{ topic: 'kept' }])
    // The SEP server migrates its own schema, the business server checks that its own is current.
    await migrate(as('sep'), sep)
    await as('sep').query('create table later (id int)')
    await migrate(as('business'), business)
    // Servers of the earlier version continue until they are restarted, and exports read everything.
    expect((await old.sep.query('select topic from outbox')).rows).toHaveLength(1)
  })

  it('is the same when it is prepared again, and Postgres has no error to log', async () => {
    const queries = [vi.spyOn(deps.anchorDatabases, 'query'), vi.spyOn(pg.Client.prototype, 'query')]
    await Promise.all([ensureAnchorDatabase(deps, anchorId, passwords), grantRights()])
    const sent = queries.map(({ mock }) => mock.results)
    vi.restoreAllMocks()
    expect(sent.map(({ length }) => length)).not.toContain(0)
    await Promise.all(sent.flat().map(({ value }) => value as unknown))
    await as('sep').query('select topic from outbox')
  })

  it('of several assets refuses servers of a release that knows one, and says why', async () => {
    await as('business').query(`insert into further_assets values ('USDC:G')`)
    await expect(migrate(as('business'), business)).rejects.toThrow(/serves several assets.*no way back/)
    await migrate(as('business'), business, { knows: 'further-assets' })
    await migrate(asOwner('business'), business)
    // As a backup reads it.
    await withDatabase(deps.config.anchorsDatabaseUrl, databaseNameOf(anchorId), async client => {
      await client.query('set row_security = off')
      await client.query('select * from business.schema_migrations')
    })
    await asOwner('business').query('truncate further_assets')
  })

  it.each([
    ['read', 'select * from business.ledger_payments'],
    ['order', PAYMENT.replace('ledger_payments', 'business.ledger_payments')],
    ['release', 'delete from business.reservations'],
    ['become', `set role ${databaseNameOf(anchorId)}`],
    ['become', `set role ${databaseNameOf(anchorId)}_business`],
    ['hide among', 'create schema mine'],
  ])('does not let the SEP server’s login %s payments: %s', async (_, statement) => {
    await expect(as('sep').query(statement)).rejects.toMatchObject(denied)
  })

  it('never lets the SEP server’s login create a schema, however often it is prepared meanwhile', async () => {
    // As a preparation of an earlier release left it that failed.
    await asOwner('business').query(
      `grant create on database ${databaseNameOf(anchorId)} to ${databaseNameOf(anchorId)}_sep`,
    )
    await ensureAnchorDatabase(deps, anchorId, passwords)
    const outcomes = new Set<string>()
    let isOver = false
    const attempts = Array.from({ length: 4 }, async (_, index) => {
      while (!isOver)
        outcomes.add(
          await withClient(urlOf({ login: 'sep', password: passwords.sep }), async sep => {
            await sep.query(`create schema tried_${index}`)
            return 'created'
          }).catch((error: { code?: string }) => error.code ?? 'no code'),
        )
    })
    for (let left = 25; left > 0; left--) await ensureAnchorDatabase(deps, anchorId, passwords)
    isOver = true
    await Promise.all(attempts)
    expect([...outcomes]).toEqual([denied.code])
  })

  it('runs nothing as its owner that the SEP server’s login left where the owner looks for names', async () => {
    const role = databaseNameOf(anchorId)
    await withDatabase(inject('postgresUrl'), role, client =>
      client.query(`create schema ${role} authorization ${role}_sep`),
    )
    await as('sep').query(`
      create table caught (call text);
      create function ${role}.starts_with(name, text) returns boolean language plpgsql as
        $$ begin insert into sep.caught values ('starts_with'); return true; end $$;
      create function ${role}.format(text, name, text) returns text language plpgsql as
        $$ begin insert into sep.caught values ('format'); return 'select 1'; end $$;
      create function ${role}.more(numeric, integer) returns boolean language plpgsql as
        $$ begin insert into sep.caught values ('>'); return true; end $$;
      create operator ${role}.> (function = ${role}.more, leftarg = numeric, rightarg = integer)`)
    await asOwner('business').query(`
      with entry as (insert into journal_entries (cause, kind) values ('planted', 'x') returning id)
      insert into journal_lines (entry_id, account, unit, amount)
        select id, account, 'EUR', amount from entry, (values ('customers', -5), ('rail', 5)) as line (account, amount)`)
    const vault = { get: async () => ({ secret: passwords.owner }) } as unknown as Vault
    const all = { ...deps, database: {} } as Deps
    await ensureAnchorDatabase(deps, anchorId, passwords)
    expect(await countOpenTransfers(all, anchorId, vault)).toBe(0)
    expect(await listOwed(all, anchorId, vault)).toEqual([{ unit: 'EUR', amount: '5' }])
    expect((await as('sep').query('select call from caught')).rows).toEqual([])
    await withDatabase(inject('postgresUrl'), role, client => client.query(`drop schema ${role} cascade`))
  })

  it.each([
    ['delete from ledger_payments'],
    ['truncate ledger_payments'],
    ['update ledger_payments set amount = 1'],
    ["update ledger_payments set destination = 'GB'"],
    ['update rail_orders set amount = 1'],
    [`update rail_orders set destination = '{"masked": "•••• 1"}'`],
    ["update ledger_receipts set sender = 'GB'"],
    ['delete from transfer_steps'],
    ['delete from journal_lines'],
    ['update journal_lines set amount = 1'],
    ['delete from transfers'],
    ['alter table ledger_payments disable trigger paid_once'],
    ['drop trigger paid_once on ledger_payments'],
    ['alter table transfers_to_bind disable trigger filled_once'],
    ['alter table bound_facts disable trigger filled_once'],
    ['create table mine (id int)'],
    [`select grant_server_rights('${databaseNameOf(anchorId)}_business')`],
    ['delete from schema_migrations'],
    ['select * from sep.outbox'],
    [`set role ${databaseNameOf(anchorId)}`],
  ])('does not let the business server’s login rewrite what was paid: %s', async statement => {
    await as('business').query(`${PAYMENT} on conflict do nothing`)
    await expect(as('business').query(statement)).rejects.toMatchObject(denied)
    const { rows } = await asOwner('business').query('select amount, destination from ledger_payments')
    expect(rows).toEqual([{ amount: '5.0000000', destination: 'GA' }])
  })

  it('lets a payment go out once, whatever the business server’s login does', async () => {
    const login = as('business')
    await login.query(`${PAYMENT} on conflict do nothing`)
    await login.query("update ledger_payments set state = 'paid', paid_at = now()")
    await expect(login.query("update ledger_payments set state = 'queued'")).rejects.toMatchObject({
      code: '23514',
    })
    await login.query(`insert into rail_orders (cause, kind, rail, amount, currency, destination, state)
      values ('y', 'payout', 'UPI', 1, 'INR', '{}', 'paid')`)
    await expect(login.query("update rail_orders set state = 'queued'")).rejects.toMatchObject({
      code: '23514',
    })
  })

  it('lets the business server’s login queue again what people canceled, and change nothing else of it', async () => {
    const login = as('business')
    await login.query(PAYMENT.replace("'x'", "'again'"))
    const change = (set: string) => login.query(`update ledger_payments set ${set} where cause = 'again'`)
    const again = "state = 'queued', amount = 7, destination = 'GC', reopened = reopened + 1"
    await expect(change(again)).rejects.toMatchObject(denied)
    await change("state = 'canceled'")
    await expect(change('amount = 7')).rejects.toMatchObject(denied)
    await change(again)
    await expect(change('amount = 8')).rejects.toMatchObject(denied)
    const { rows } = await login.query("select state, amount from ledger_payments where cause = 'again'")
    expect(rows).toEqual([{ state: 'queued', amount: '7.0000000' }])
  })

  it('keeps what operators did and decided as it was written, whatever the business server’s login does', async () => {
    const login = as('business')
    const refused = { code: '23514' }
    await login.query(TRANSFER)
    await login.query(`insert into operator_actions (transfer_id, kind, reason, state, requested_by, two_people)
      select id, 'cancel', 'a', 'waiting', 'operator:1', true from transfers`)
    const decide = "update operator_actions set state = 'done', decided_by = 'operator:2'"
    await expect(login.query("update operator_actions set reason = 'b'")).rejects.toMatchObject(refused)
    await login.query(decide)
    await expect(login.query(decide)).rejects.toMatchObject(refused)
    await expect(login.query('delete from operator_actions')).rejects.toMatchObject(refused)

    await login.query(HIT)
    await login.query(`insert into screening_decisions (hit_id, decision, reason, by)
      select id, 'clear', 'a', 'operator:1' from screening_hits`)
    await expect(login.query("update screening_decisions set by = 'operator:2'")).rejects.toMatchObject(
      refused,
    )
    await expect(login.query('delete from screening_decisions')).rejects.toMatchObject(refused)
  })

  it('gives the pair that takes over logins of its own with the same rights, and ends the others’ afterwards', async () => {
    const next = { owner: passwords.owner, sep: 's2', business: 'b2' }
    await ensureAnchorDatabase(deps, anchorId, next, 'b')
    const asNext = (login: 'sep' | 'business') => connect(urlOf({ login, slot: 'b', password: next[login] }))
    const role = databaseNameOf(anchorId)
    const { rows } = await asNext('sep').query('select session_user as login, current_user as role')
    expect(rows).toEqual([{ login: `${role}_sep_b`, role: `${role}_sep` }])
    // Both serve at once. What the new one creates the old one reads.
    await asNext('sep').query('create table made_by_the_next (id int)')
    await as('sep').query('select from made_by_the_next')
    await asNext('business').query(`${PAYMENT} on conflict do nothing`)
    await expect(asNext('business').query('delete from ledger_payments')).rejects.toMatchObject(denied)
    await expect(asNext('business').query('reset role; delete from ledger_payments')).rejects.toMatchObject(
      denied,
    )
    await expect(asNext('sep').query(`set role ${role}`)).rejects.toMatchObject(denied)

    // What it makes as itself does not keep the anchor from being prepared.
    await asNext('sep').query('set role none; create table made_as_itself (id int)')
    await ensureAnchorDatabase(deps, anchorId, next, 'b')

    await endLogins(deps, anchorId, 'a')
    for (const login of ['sep', 'business'] as const) {
      await expect(as(login).query('select 1')).rejects.toMatchObject({ code: expect.stringMatching(/^28/) })
      await asNext(login).query('select 1')
    }
    // And back, with other passwords.
    await ensureAnchorDatabase(deps, anchorId, { ...passwords, sep: 's3', business: 'b3' })
    await endLogins(deps, anchorId, 'b')
    await connect(urlOf({ login: 'sep', password: 's3' })).query('select from made_by_the_next')
    await expect(asNext('sep').query('select 1')).rejects.toMatchObject({
      code: expect.stringMatching(/^28/),
    })
  })
})
