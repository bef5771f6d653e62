import { migrate } from '@windlass/service/postgres/database.ts'
import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterEach, describe, expect, it } from 'vitest'

const CHECKOUT = fileURLToPath(new URL('..', import.meta.url))
const RELEASED = join(CHECKOUT, 'e2e/released')
const SHARED = 'packages/service/migrations'

/** The migrations of each service, in the order it applies them. */
const SERVICES: Readonly<Record<string, readonly string[]>> = {
  'platform-api': [SHARED, 'packages/kyc-providers/migrations', 'apps/platform-api/migrations'],
  'control-plane': [SHARED, 'apps/control-plane/migrations'],
  aggregator: [SHARED, 'apps/aggregator/migrations'],
  'secrets-store': ['apps/secrets-store/migrations'],
  'sep-server': [SHARED, 'apps/sep-server/migrations'],
  'business-server': [SHARED, 'apps/business-server/migrations'],
}

const cleanUp: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act()
})

const migrationsOf = (release: string): Record<string, string> =>
  JSON.parse(readFileSync(join(RELEASED, release, 'migrations.json'), 'utf8'))

/** Folders with the migrations that a release had, and no later ones. */
function foldersOf(release: string, service: string): string[] {
  const root = mkdtempSync(join(tmpdir(), 'windlass-release-'))
  cleanUp.push(() => rmSync(root, { recursive: true }))
  return (SERVICES[service] ?? []).map((folder, index) => {
    const copy = join(root, String(index))
    mkdirSync(copy)
    for (const file of Object.keys(migrationsOf(release)))
      if (dirname(file) === folder) cpSync(join(CHECKOUT, file), join(copy, basename(file)))
    return copy
  })
}

async function poolOf(database: TestDatabase): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString: database.url, max: 1 })
  cleanUp.push(database.drop, () => pool.end())
  return pool
}

async function countRows(pool: pg.Pool): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations'",
  )
  const counts: Record<string, number> = {}
  for (const { name } of rows) {
    const found = await pool.query<{ count: number }>(`select count(*)::int as count from ${name}`)
    counts[name] = found.rows[0]?.count ?? 0
  }
  return counts
}

/** The database of a service as a release left it, brought to the present. */
async function upgraded(release: string, service: string) {
  const pool = await poolOf(await testDatabase())
  await migrate(pool, foldersOf(release, service))
  const rows = join(RELEASED, release, `${service}.sql`)
  if (existsSync(rows)) await pool.query(readFileSync(rows, 'utf8'))
  const before = await countRows(pool)
  await migrate(
    pool,
    (SERVICES[service] ?? []).map(folder => join(CHECKOUT, folder)),
  )
  return { pool, before, after: await countRows(pool) }
}

describe.each(readdirSync(RELEASED))('from release %s', release => {
  it('no migration was changed or removed', () => {
    const changed = Object.entries(migrationsOf(release)).filter(([file, sha256]) => {
      const path = join(CHECKOUT, file)
      return !existsSync(path) || createHash('sha256').update(readFileSync(path)).digest('hex') !== sha256
    })
    expect(changed.map(([file]) => file)).toEqual([])
  })

  it.each(Object.keys(SERVICES))('the database of the %s is upgraded with every row', async service => {
    const { before, after } = await upgraded(release, service)
    const kept = Object.keys(before).filter(name => name in after)
    expect(kept.map(name => [name, after[name]])).toEqual(kept.map(name => [name, before[name]]))
  })

  const hasRows = existsSync(join(RELEASED, release, 'business-server.sql'))
  it.runIf(hasRows)('an anchor’s journal opens with what it held and owed', async () => {
    const { pool } = await upgraded(release, 'business-server')
    const { rows } = await pool.query(
      "select account, sum(amount)::float8 as amount from journal_lines where unit = 'asset' group by 1 order by 1",
    )
    // 1,000 issued, 25 came, 10 were paid; 150 are owed to depositors, 20 to a withdrawal under way, 5 are to be refunded.
    expect(rows).toEqual([
      { account: 'customers', amount: -170 },
      { account: 'opening', amount: -840 },
      { account: 'suspense', amount: -5 },
      { account: 'treasury', amount: 1015 },
    ])
  })
})
