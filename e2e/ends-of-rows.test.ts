import { removedKinds } from '@windlass/contracts/anchor/retention.ts'
import { kycMigrations } from '@windlass/kyc-providers/create-provider.ts'
import { openDatabase, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ENDS, PERSONAL } from './ends-of-rows.ts'

const appOf = (app: string) => new URL(`../apps/${app}/`, import.meta.url).pathname
const programs = Object.keys(ENDS).filter(app => app !== 'shared')

/** Sources of a program and of what programs share, without tests. */
const sourcesOf = (app: string): string =>
  [appOf(app), ...['service', 'kyc-providers'].map(name => `${appOf(app)}../../packages/${name}/`)]
    .flatMap(folder => globSync('**/*.ts', { cwd: folder }).map(path => folder + path))
    .filter(path => !/node_modules|\.test\.ts$|\/testing\//.test(path))
    .map(path => readFileSync(path, 'utf8'))
    .join('\n')

it.each(programs)('$0: each table says when its rows end', async app => {
  const { url, drop } = await testDatabase(sharedMigrations, kycMigrations, `${appOf(app)}migrations/`)
  const database = openDatabase<never>(url, { name: 'test' })
  try {
    const { rows } = await database.pool.query<{ name: string; parted: boolean; cascades: boolean }>(
      `select relname as name, relkind = 'p' as parted, exists (
         select 1 from pg_constraint where conrelid = c.oid and contype = 'f' and confdeltype = 'c') as cascades
       from pg_class c where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`,
    )
    const ends = { ...ENDS.shared, ...ENDS[app] }
    const found = rows.map(({ name }) => name)
    const own = found.filter(name => !(name in (ENDS.shared ?? {})))
    expect(own.toSorted()).toEqual(Object.keys(ENDS[app] ?? {}).toSorted())
    const sources = sourcesOf(app)
    const isDeleted = (name: string) =>
      new RegExp(String.raw`deleteFrom\('(\w+\.)?${name}[' ]|delete from (\w+\.)?${name}\b`, 'i').test(
        sources,
      )
    for (const { name, parted, cascades } of rows) {
      const end = ends[name] ?? ''
      expect(end, name).toMatch(/^(removed|dropped|with|bounded:|kept:) /)
      if (end.startsWith('dropped ')) expect(parted, `${name} has no partitions`).toBe(true)
      if (end.startsWith('with ')) expect(cascades, `${name} goes with no other row`).toBe(true)
      if (end.startsWith('removed ')) expect(isDeleted(name), `nothing removes rows of ${name}`).toBe(true)
    }
  } finally {
    await database.close()
    await drop()
  }
})

it.each(Object.keys(PERSONAL))('$0: each column about people says when it is emptied', async app => {
  const { url, drop } = await testDatabase(sharedMigrations, kycMigrations, `${appOf(app)}migrations/`)
  const database = openDatabase<never>(url, { name: 'test' })
  try {
    // Digests and proofs are bytes too; plain text is found by the name of its column.
    const { rows } = await database.pool.query<{ name: string; cascades: boolean }>(
      `select table_name || '.' || column_name as name, exists (
         select 1 from pg_constraint where conrelid = table_name::regclass and contype = 'f' and confdeltype = 'c') as cascades
       from information_schema.columns
       where table_schema = 'public' and (
         (data_type = 'bytea' and column_name ~ '^(sealed|details|facts|secret|summary_secret|client_secret)')
         or (data_type = 'text' and column_name ~ '^(email|phone|first_name|last_name|iban|text)$'
           and table_name not in ('manual_entries', 'mock_kyc_sessions')))`,
    )
    const personal = PERSONAL[app] ?? {}
    expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(personal).toSorted())
    const sources = sourcesOf(app)
    for (const { name, cascades } of rows) {
      const [table = '', column = ''] = name.split('.')
      const end = personal[name] ?? ''
      expect(end, name).toMatch(/^(removed|with|retention:|nobody:) /)
      if (end.startsWith('with ')) expect(cascades, `${name} goes with no other row`).toBe(true)
      const isDeleted = new RegExp(String.raw`deleteFrom\('${table}'|delete from ${table}\b`).test(sources)
      const isEmptied =
        new RegExp(String.raw`update ${table} set[^;]*\b${column} = null`).test(sources) ||
        new RegExp(String.raw`updateTable\('${table}'\)[^;]*\b${column}: null`).test(sources)
      if (/^(removed|retention:) /.test(end))
        expect(isDeleted || isEmptied, `nothing empties ${name}`).toBe(true)
      if (end.startsWith('retention: ')) expect(removedKinds).toContain(end.slice('retention: '.length))
    }
  } finally {
    await database.close()
    await drop()
  }
})

it('every kind that retention removes empties a column about people, and is one of the job', () => {
  const kinds = Object.values(PERSONAL['business-server'] ?? {}).flatMap(
    end => /^retention: (.+)$/.exec(end)?.[1] ?? [],
  )
  expect([...new Set(kinds)].toSorted()).toEqual([...removedKinds].toSorted())
  const job = readFileSync(`${appOf('business-server')}workspace/retention/kinds.ts`, 'utf8')
  const removed = [...job.matchAll(/kind: '([a-z-]+)'/g)].map(([, kind]) => kind)
  expect([...new Set(removed)].toSorted()).toEqual([...removedKinds].toSorted())
})
