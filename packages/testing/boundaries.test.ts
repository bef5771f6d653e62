import { globSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { crossedBoundaries } from './boundaries.ts'
import { connectionsWithoutSearchPath, programSources, readsOfOthers } from './connections.ts'
import { wrongDependencies } from './dependencies.ts'
import { envelopesByTheSdk } from './envelopes.ts'
import { unboundedFetches } from './fetches.ts'
import { brokenOwnership, isChecked, ruleBreaks } from './slices.ts'
import { bannedPhrases, longDecisions } from './wording.ts'

it('every import keeps the rules, and only entries read the environment', async () => {
  expect(await crossedBoundaries()).toEqual([])
})

it('each table belongs to one slice, and no two slices import each other', () => {
  expect(brokenOwnership()).toEqual([])
})

describe('connections to Postgres', () => {
  it('name where names are looked for, or why they need not, in every program', () => {
    const sources = programSources()
    expect(sources.length).toBeGreaterThan(500)
    expect(connectionsWithoutSearchPath(sources)).toEqual([])
  })

  it('with more rights than who owns a database find, call and read nothing of theirs that is not listed', () => {
    expect(readsOfOthers(programSources())).toEqual([])
  })

  it.each([
    ["withSearchPath(url, 'public')", ['search-path-of-others: a.ts']],
    ["withSearchPath(urlOf(name, 'a'))\n`SELECT 1 FROM pg_class JOIN pg_roles ON true`", []],
    ["client.query('SET LOCAL search_path = public')", ['search-path-of-others: a.ts']],
    ["inDatabase(url, name, c => c.query('select 1 from observed'))", ['reads-of-others: a.ts: observed']],
    ['withSearchPath(url)\n`SELECT name\n FROM ${table.full}`', ['reads-of-others: a.ts: ${table.full}']],
    ["inDatabase(url, 'select public.protect($1)')", ["calls-of-others: a.ts: 'select public.protect($1)'"]],
    ["// from those\nclient.query('select 1 from observed')", []],
  ])('with more rights are read: %s', (text, found) => {
    expect(readsOfOthers([{ path: 'a.ts', text }], {}, {})).toEqual(found)
  })

  it.each([
    ['new pg.Client({ connectionString: url })', ['connection-without-search-path: a.ts']],
    ['new pg.Pool({ connectionString: withSearchPath(url), max: count(1) })', []],
    ['const connectionString = withSearchPath(url)\nnew pg.Client({ connectionString })', []],
    [
      'const connectionString = url\nnew pg.Client({ connectionString })',
      ['connection-without-search-path: a.ts'],
    ],
    [
      "openDatabase<Tables>(config.anchorsDatabaseUrl, { name: 'a' })",
      ['service-pool-with-others-rights: a.ts'],
    ],
    ["openDatabase<Tables>(config.databaseUrl, { name: 'a' })", []],
  ])('are read: %s', (text, found) => {
    expect(connectionsWithoutSearchPath([{ path: 'a.ts', text }], {})).toEqual(found)
  })

  it('are not listed without need', () => {
    expect(connectionsWithoutSearchPath([], { 'a.ts': 'asks nothing' })).toEqual([
      'listed-without-need: a.ts',
    ])
  })
})

describe('requests of programs', () => {
  it('follow no redirect and read no answer of any size, unless they are listed with the reason', () => {
    expect(unboundedFetches(programSources())).toEqual([])
  })

  it.each([
    ["await fetch(url, { redirect: 'error', signal: until(1) })", []],
    ['const answer = await fetch(url, { signal: until(1) })', ['follows-redirects: apps/a/a.ts']],
    ["(await fetch(url, { redirect: 'error' })).json()", ['reads-any-size: apps/a/a.ts']],
    ['await client.fetch(id)', []],
  ])('are read: %s', (text, found) => {
    expect(unboundedFetches([{ path: 'apps/a/a.ts', text }], {})).toEqual(found)
  })

  it('are not listed without need', () => {
    expect(unboundedFetches([], { 'apps/a/a.ts': 'a reason' })).toEqual(['listed-without-need: apps/a/a.ts'])
  })
})

describe('envelopes of others', () => {
  it('are read by no program with the SDK, which refuses some that the ledger takes', () => {
    expect(envelopesByTheSdk(programSources())).toEqual([])
  })

  it.each([
    ['TransactionBuilder.fromXdr(xdr, passphrase)', ['envelope-read-by-the-sdk: a.ts']],
    ['new Transaction(envelope, passphrase)', ['envelope-read-by-the-sdk: a.ts']],
    ['readEnvelope(xdr, passphrase)', []],
    ['new xdr.Transaction({ fee })', []],
  ])('are found: %s', (text, found) => {
    expect(envelopesByTheSdk([{ path: 'a.ts', text }], {})).toEqual(found)
  })

  it('are not listed without need', () => {
    expect(envelopesByTheSdk([], { 'a.ts': 'reads its own' })).toEqual(['listed-without-need: a.ts'])
  })
})

describe('the rules of slices', () => {
  const app = 'apps/business-server'
  const broken = (files: Record<string, string>) =>
    ruleBreaks(
      app,
      Object.entries(files).map(([path, text]) => ({ path: `${app}/${path}`, text })),
    )

  it('refuse an import of a layer above, and allow those below and beside', () => {
    const above = { 'money/journal/entries.ts': "import '../../payments/pay.ts'" }
    expect(broken(above)).toEqual([
      `layer-imports-above: ${app}: money/journal → payments (${app}/money/journal/entries.ts)`,
    ])
    expect(broken({ 'payments/pay.ts': "import '../money/journal/entries.ts'" })).toEqual([])
    expect(broken({ 'money/pricing/price.ts': "import type { X } from '../settings/terms.ts'" })).toEqual([])
  })

  it('refuse two slices of a layer that import each other', () => {
    const found = broken({
      'people/customers/a.ts': "import '../compliance/b.ts'",
      'people/compliance/b.ts': "import '../customers/a.ts'",
    })
    expect(found.map(line => line.split(':')[0])).toEqual(Array(2).fill('slices-import-each-other'))
  })

  it('refuse another slice’s queries, table and routes', () => {
    const found = broken({ 'payments/pay.ts': "import { find } from '../people/customers/queries.ts'" })
    expect(found).toEqual([
      `slice-keeps-its-queries-table-and-routes: ${app}: payments → people/customers (${app}/payments/pay.ts)`,
    ])
  })

  it('refuse a folder that no layer names', () => {
    expect(broken({ 'helpers/a.ts': '' })).toEqual([`folder-without-layer: ${app}: helpers`])
  })
})

it('each package declares what it uses, and uses what it declares', () => {
  expect(wrongDependencies()).toEqual([])
})

it('a dependency that nothing uses, that only tests use or that is not declared is found', () => {
  const dependencies = { used: '1.0.0', idle: '1.0.0', tested: '1.0.0', 'x/idle': '1.0.0' }
  const files = {
    'apps/a/package.json': JSON.stringify({ name: 'a', dependencies }),
    'apps/a/main.ts':
      "import used from 'used/part.ts'\nimport {\n  other,\n} from '@of/other'\nawait import('lazy')\n",
    'apps/a/a.test.ts': "import tested from 'tested'\nimport more from 'more'\nconst text = 'x/idleness'",
    'package.json': JSON.stringify({
      name: 'root',
      devDependencies: { '@types/used': '1.0.0', '@types/no': '1' },
    }),
  }
  expect(wrongDependencies(new Map(Object.entries(files)))).toEqual([
    'unused-dependency: apps/a/package.json: nothing names idle',
    'unused-dependency: apps/a/package.json: nothing names x/idle',
    'dependency-of-tests: apps/a/package.json: move tested to devDependencies',
    'undeclared-dependency: apps/a/package.json: @of/other is imported',
    'undeclared-dependency: apps/a/package.json: lazy is imported',
    'unused-dependency: package.json: nothing names @types/no',
  ])
})

it('every slice is checked, whatever its name, and what helps tests is not', () => {
  const cwd = new URL('../../', import.meta.url)
  const folders = globSync('apps/*/*/{,*/}{routes,tables,queries}.ts', { cwd: cwd.pathname }).filter(
    path => !path.includes('/testing/'),
  )
  expect(folders.length).toBeGreaterThan(50)
  expect(folders.filter(path => !isChecked(path))).toEqual([])
  expect(isChecked('apps/platform-api/test-deposits/start.ts')).toBe(true)
  for (const path of [
    'apps/platform-api/testing/app.ts',
    'apps/x/slice/a.test.ts',
    'apps/x/testing/tables.ts',
  ])
    expect(isChecked(path)).toBe(false)
})

it('no code, text or document uses a banned phrase', () => {
  expect([...bannedPhrases(), ...longDecisions()]).toEqual([])
})

it('each decision record has a unique number', () => {
  const numbers = readdirSync(new URL('../../docs/adr/', import.meta.url)).map(name => name.slice(0, 4))
  expect(numbers.length).toBeGreaterThan(20)
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([])
})
