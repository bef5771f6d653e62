import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TEST_HELP } from './import-rules.ts'

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url))
const NO_SLICE = new Set(['migrations', 'testing', 'public', 'dist', 'texts', 'node_modules'])
const UNCHECKED = new RegExp(`${TEST_HELP}|(^|/)(dist|node_modules)/`)

/** Whether the rules hold for a file, by its path in the checkout. */
export const isChecked = (path: string): boolean => !UNCHECKED.test(path)

interface Source {
  path: string
  text: string
}

/** Layers of an app, the uppermost first; in `name/*` each folder is a slice of its own, elsewhere the layer is one. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  'apps/business-server': [
    'workspace/*',
    'interactive',
    'bank-files',
    'payments',
    'transfers/*',
    'people/*',
    'rails',
    'money/*',
    'outgoing/*',
  ],
}
/** What another slice calls instead are acts; only `app.ts` knows all routes. */
const PRIVATE = /(^|\/)(queries|table|routes)[.]ts$/

/**
 * Violations of slice ownership, one line each. A slice is a folder directly below an app or below one of its layers.
 * 1. A slice imports one of a layer above its own.
 * 2. Two slices of an app import each other, directly or through a third.
 * 3. A slice imports the queries, the table or the routes of another.
 * 4. SQL in two slices names the same table. The owner exports queries and actions for the others.
 *
 * @throws {Error} when so few files were read that nothing was checked.
 */
export function brokenOwnership(apps = globSync('apps/*', { cwd: CHECKOUT })): string[] {
  const sources = globSync('{apps,packages}/**/*.{ts,tsx}', {
    cwd: CHECKOUT,
    exclude: name => name === 'node_modules',
  })
    .filter(isChecked)
    .map(path => ({ path, text: readFileSync(join(CHECKOUT, path), 'utf8') }))
  if (sources.length < 100) throw new Error(`only ${sources.length} files were read: nothing was checked`)
  const tables = sharedTables()
  return apps.flatMap(app => {
    const own = sources.filter(({ path }) => path.startsWith(`${app}/`))
    return [...ruleBreaks(app, own), ...tablesOfTwoOwners(app, own, tables)]
  })
}

function sliceOf(app: string, path: string): string | null {
  const [first, ...rest] = relative(app, path).split('/')
  if (first === undefined || rest.length === 0 || NO_SLICE.has(first)) return null
  return rest.length > 1 && LAYERS[app]?.includes(`${first}/*`) ? `${first}/${rest[0]}` : first
}

function layerOf(app: string, slice: string): number {
  const [first = ''] = slice.split('/')
  return (LAYERS[app] ?? []).findIndex(layer => layer.split('/')[0] === first)
}

interface Import {
  from: string
  to: string
  /** The file that imports, and the one that is imported. */
  path: string
  target: string
}

function importsBetweenSlices(app: string, sources: Source[]): Import[] {
  return sources.flatMap(({ path, text }) => {
    const from = sliceOf(app, path)
    if (from === null) return []
    return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].flatMap(([, specifier = '']) => {
      const target = relative(CHECKOUT, resolve(CHECKOUT, dirname(path), specifier))
      const to = sliceOf(app, target)
      return to === null || to === from ? [] : [{ from, to, path, target }]
    })
  })
}

/** What breaks the rules of imports between slices (1 to 3 of `brokenOwnership`), one line each. */
export function ruleBreaks(app: string, sources: Source[]): string[] {
  const imports = importsBetweenSlices(app, sources)
  const line = (rule: string) => (each: Import) => `${rule}: ${app}: ${each.from} → ${each.to} (${each.path})`
  return [
    ...foldersWithoutLayer(app, sources),
    ...imports
      .filter(({ from, to }) => layerOf(app, from) > layerOf(app, to))
      .map(line('layer-imports-above')),
    ...importCircles(imports).map(line('slices-import-each-other')),
    ...imports
      .filter(({ target }) => PRIVATE.test(target))
      .map(line('slice-keeps-its-queries-table-and-routes')),
  ]
}

function foldersWithoutLayer(app: string, sources: Source[]): string[] {
  if (LAYERS[app] === undefined) return []
  const slices = new Set(sources.map(({ path }) => sliceOf(app, path)).filter(slice => slice !== null))
  return [...slices]
    .filter(slice => layerOf(app, slice) === -1)
    .map(slice => `folder-without-layer: ${app}: ${slice}`)
}

function importCircles(imports: Import[]): Import[] {
  const targets = Map.groupBy(imports, ({ from }) => from)
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    (targets.get(from) ?? []).some(
      ({ to: next }) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
    )
  const first = new Map(imports.map(each => [`${each.from} ${each.to}`, each]))
  return [...first.values()].filter(({ from, to }) => reaches(to, from))
}

/** Tables of packages and their owners. */
function sharedTables(): Map<string, string> {
  return new Map(
    globSync('packages/*/migrations/*.sql', { cwd: CHECKOUT }).flatMap(path =>
      createdTables(path).map(table => [table, path.split('/').slice(0, 2).join('/')] as const),
    ),
  )
}

function createdTables(migration: string): string[] {
  const text = readFileSync(join(CHECKOUT, migration), 'utf8')
  const named =
    /(?:create\s+table\s+(?:if\s+not\s+exists\s+)?|alter\s+table\s+\w+\s+rename\s+to\s+)"?(\w+)"?/gi
  return [...text.matchAll(named)].map(([, name = '']) => name)
}

function tablesOfTwoOwners(app: string, sources: Source[], shared: Map<string, string>): string[] {
  const tables = new Set(globSync(`${app}/migrations/*.sql`, { cwd: CHECKOUT }).flatMap(createdTables))
  const users = new Map<string, Map<string, string>>()
  for (const { path, text } of sources) {
    const slice = sliceOf(app, path) ?? relative(app, path)
    for (const table of tablesNamedIn(text)) {
      const owner = shared.get(table)
      if (!tables.has(table) && owner === undefined) continue
      const known = users.get(table) ?? new Map<string, string>(owner ? [[owner, owner]] : [])
      users.set(table, known.set(slice, known.get(slice) ?? path))
    }
  }
  return [...users]
    .filter(([, slices]) => slices.size > 1)
    .map(([table, slices]) => `table-of-two-slices: ${app}: ${table} (${[...slices.values()].join(', ')})`)
}

const BUILDER =
  /(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto|innerJoin|leftJoin|rightJoin|fullJoin|crossJoin|using)\(\s*\[?\s*['"`](\w+)/g
const RAW = /\b(?:from|join|into|update|truncate|table|copy)\s+(?:only\s+)?"?([a-z_]+)"?/g

/** Tables in query builder calls and in raw SQL in template literals and quoted strings. */
function tablesNamedIn(text: string): Set<string> {
  const strings = [...text.matchAll(/`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'/gs)].map(([found]) => found)
  const raw = strings
    .filter(found => /\b(select|insert|update|delete|truncate|copy|with)\b/.test(found))
    .flatMap(found => [...found.matchAll(RAW)])
  return new Set([...text.matchAll(BUILDER), ...raw].map(([, table = '']) => table))
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const broken = process.argv[2] ? brokenOwnership(process.argv.slice(2)) : brokenOwnership()
  broken.forEach(line => console.error(line))
  process.exitCode = broken.length === 0 ? 0 : 1
}
