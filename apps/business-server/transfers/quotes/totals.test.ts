import {
  migrate,
  openDatabase,
  sharedMigrations,
  type Database,
} from '@windlass/service/postgres/database.ts'
import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import fc from 'fast-check'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { migrations } from '../../migrations.ts'
import type { Tables } from '../../tables.ts'
import { heldRates, openReservations, pruneFirmRates } from './firm-rates.ts'

let test: TestDatabase
let database: Database<Tables>
beforeAll(async () => {
  test = await testDatabase(...migrations)
  database = openDatabase<Tables>(test.url, { name: 'test' })
})
afterAll(async () => {
  await database.close()
  await test.drop()
})
beforeEach(() => clear())

const query = async (text: string, values: readonly unknown[] = []) =>
  (await database.pool.query(text, [...values])).rows
const clear = () => query('delete from firm_rates')

const ASSETS = [null, 'EURC:G'] as const
const PEOPLE = ['cus_1', 'GA', 'GA 7']
const OWNERS = [
  { account: 'GA', memo: null, clientDomain: 'wallet.example' },
  { account: 'GA', memo: '7', clientDomain: 'other.example' },
  { account: 'GB', memo: '7', clientDomain: null },
]

const facts = fc.record({
  asset: fc.constantFrom(...ASSETS),
  amount: fc.integer({ min: 1, max: 999_999_999 }).map(stroops => (stroops / 10_000_000).toFixed(7)),
  client_id: fc.constantFrom('GA', 'GB', null),
  client_memo: fc.constantFrom('7', null),
  client_domain: fc.constantFrom('wallet.example', 'other.example', null),
  person: fc.constantFrom(...PEOPLE, null),
  is_verified: fc.boolean(),
  reserved: fc.boolean(),
  transfer_id: fc.constantFrom('00000000-0000-4000-8000-000000000001', null, null),
  // Some end long before, and some while this runs.
  ends: fc.constantFrom(-8_000, -1, 0, 0.02, 0.1, 300, 300, 305, 900),
})
type Facts = typeof facts extends fc.Arbitrary<infer Of> ? Of : never

const COLUMNS =
  'asset, amount, client_id, client_memo, client_domain, person, is_verified, reserved, transfer_id, expires_at'
/** From 300 seconds on at moments that several have. */
const VALUES = `$1::text, $2::numeric, $3::text, $4::text, $5::text, $6::text, $7::boolean, $8::boolean, $9::uuid, case when $10::float8 < 300
  then now() + $10::float8 * interval '1 second'
  else to_timestamp(5 * ceil(extract(epoch from now()) / 5) + $10::float8) end`
const add = (given: Facts) =>
  query(
    `insert into firm_rates (sell_asset, buy_asset, fee, fiat_amount, currency, ${COLUMNS})
     values ('a', 'b', 0, 1, 'INR', ${VALUES})`,
    Object.values(given),
  )

const place = fc.nat({ max: 50 })
const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('add' as const), facts }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('change' as const), place, facts }) },
  fc.record({ kind: fc.constantFrom('take', 'release', 'remove', 'end'), place }),
  fc.record({ kind: fc.constant('prune' as const) }),
)
type Act = typeof act extends fc.Arbitrary<infer Of> ? Of : never

const ONE = (parameter: string) =>
  `where id = (select id from firm_rates order by id offset ${parameter}::int limit 1)`
const STATEMENTS: Readonly<Record<string, string>> = {
  take: 'update firm_rates set transfer_id = gen_random_uuid()',
  release: 'update firm_rates set transfer_id = null',
  remove: 'delete from firm_rates',
  end: 'update firm_rates set expires_at = now()',
}
const DEADLOCK = '40P01'
/** Two changes of what quotes say may wait for each other, as nothing that the server does would. */
const atOnce = (given: Act): Promise<unknown> =>
  perform(given).catch(error => {
    if (error.code === DEADLOCK) return atOnce(given)
    throw error
  })

async function perform(given: Act): Promise<unknown> {
  if ('facts' in given && 'place' in given)
    return query(`update firm_rates set (${COLUMNS}) = row(${VALUES}) ${ONE('$11')}`, [
      ...Object.values(given.facts),
      given.place,
    ])
  if ('facts' in given) return add(given.facts)
  if ('place' in given) return query(`${STATEMENTS[given.kind]} ${ONE('$1')}`, [given.place])
  return pruneFirmRates(database.db)
}

const SUM = 'count(*)::int as count, (coalesce(sum(amount), 0) * 10000000)::bigint::text as amount'
const HOLDS = 'from firm_rates where expires_at > now() and asset is not distinct from $1'
/** What the rows say, read one by one. */
async function sumOf(asset: string | null, which: string, values: readonly unknown[] = []) {
  const [row] = await query(`select ${SUM} ${HOLDS} and ${which}`, [asset, ...values])
  return { count: row?.count, amount: BigInt(row?.amount) }
}

const OPEN = 'reserved and transfer_id is null'
const CUSTOMER = 'client_id = $2 and client_memo is not distinct from $3'

async function requireEqual(): Promise<void> {
  // Nothing ends between both readings.
  await query(
    "update firm_rates set expires_at = now() where expires_at < now() + interval '1 minute' and expires_at > now()",
  )
  for (const asset of ASSETS) {
    for (const person of PEOPLE)
      expect(
        await database.db.transaction().execute(tx => heldRates(tx, asset, { person, isVerified: false })),
      ).toEqual({
        person: await sumOf(asset, 'person = $2', [person]),
        unverified: await sumOf(asset, 'not is_verified'),
        unreserved: await sumOf(asset, 'not reserved'),
      })
    for (const owner of OWNERS) {
      const { account, memo, clientDomain } = owner
      const [all] = await query(
        `select count(*)::int as count from firm_rates where expires_at > now() and ${OPEN} and ${CUSTOMER.replace('$2', '$1').replace('$3', '$2')}`,
        [account, memo],
      )
      expect(await openReservations(database.db, asset, owner)).toEqual({
        customer: await sumOf(asset, `${OPEN} and ${CUSTOMER}`, [account, memo]),
        client: await sumOf(asset, `${OPEN} and client_domain = $2`, [clientDomain]),
        quotes: all?.count,
      })
    }
  }
}

it('what is held is what the rows say, whatever became of them, one after another', async () => {
  await fc.assert(
    fc
      .asyncProperty(fc.array(act, { minLength: 1, maxLength: 40 }), async acts => {
        for (const each of acts) await perform(each)
        await requireEqual()
      })
      .beforeEach(async () => void (await clear())),
    { numRuns: 60 },
  )
}, 180_000)

it('what is held is what the rows say, also of changes at the same time', async () => {
  await fc.assert(
    fc
      .asyncProperty(fc.array(act, { minLength: 20, maxLength: 60 }), async acts => {
        await Promise.all(acts.map(atOnce))
        await requireEqual()
      })
      .beforeEach(async () => void (await clear())),
    { numRuns: 30 },
  )
}, 180_000)

it('what is held is what the rows of the release before say, and of what it adds while both run', async () => {
  const [, folder = ''] = migrations
  const before = mkdtempSync(join(tmpdir(), 'migrations-'))
  for (const file of readdirSync(folder)) if (file < '0500') cpSync(join(folder, file), join(before, file))
  const [known, knownTo] = [database, await testDatabase()]
  database = openDatabase<Tables>(knownTo.url, { name: 'test' })
  try {
    await migrate(database.pool, [sharedMigrations, before])
    for (const given of fc.sample(facts, { numRuns: 200, seed: 1 })) await add(given)
    await migrate(database.pool, migrations)
    await requireEqual()
    for (const given of fc.sample(facts, { numRuns: 50, seed: 2 })) await add(given)
    await requireEqual()
  } finally {
    await database.close()
    await knownTo.drop()
    database = known
    rmSync(before, { recursive: true })
  }
}, 120_000)
