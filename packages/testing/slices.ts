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

/**
 * Violations of slice ownership, one line each. A slice is a folder directly below an app, or a package.
 * 1. Two slices of an app import each other, directly or through a third.
 * 2. SQL in two slices names the same table. The owner exports queries and actions for the others.
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
    return [...importCircles(app, own), ...tablesOfTwoOwners(app, own, tables)]
  })
}

function sliceOf(app: string, path: string): string | null {
  const [first, ...rest] = relative(app, path).split('/')
  return first === undefined || rest.length === 0 || NO_SLICE.has(first) ? null : first
}

function importCircles(app: string, sources: Source[]): string[] {
  const imports = new Map<string, Map<string, string>>()
  for (const { path, text } of sources) {
    const from = sliceOf(app, path)
    if (from === null) continue
    for (const [, target = ''] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      const to = sliceOf(app, relative(CHECKOUT, resolve(CHECKOUT, dirname(path), target)))
      if (to === null || to === from) continue
      const known = imports.get(from) ?? new Map<string, string>()
      imports.set(from, known.set(to, known.get(to) ?? path))
    }
  }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(imports.get(from)?.keys() ?? [])].some(
      next => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
    )
  return [...imports].flatMap(([from, targets]) =>
    [...targets]
      .filter(([to]) => reaches(to, from))
      .map(([to, path]) => `slices-import-each-other: ${app}: ${from} → ${to} (${path})`),
  )
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
