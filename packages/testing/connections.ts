import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isChecked } from './slices.ts'

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url))

/** Connections that name no search path, and why nobody with fewer rights can put a function in their way. */
const WITHOUT_SEARCH_PATH: Readonly<Record<string, string>> = {
  'apps/windlass/containers/until-postgres-answers.ts': 'asks nothing',
  'apps/windlass/commands/own-postgres.ts': 'is the login of a service, in the database that only it uses',
  'apps/control-plane/servers/database.ts': 'gets addresses of withDatabase and anchorDatabaseUrl',
  'apps/control-plane/bank-statements/main.ts': 'gets its address of anchorDatabaseUrl',
  'apps/control-plane/removal/open-transfers.ts': 'gets its address of anchorDatabaseUrl',
  'apps/control-plane/removal/dump-database.ts': 'gets its address of anchorDatabaseUrl',
  'packages/postgres/base-backup.ts': 'gets its address of the backup, which names one',
  'packages/postgres/start.ts': 'asks nothing',
  'packages/service/postgres/listen.ts': 'is the login of a service, in the database that only it uses',
  'packages/service/postgres/database.ts': 'is the login of a service, in the database that only it uses',
  'packages/service/postgres/frozen.ts': 'asks nothing',
}

/** Addresses with the rights of an owner or a superuser in databases where others log in. */
const PRIVILEGED = /\b(anchorsDatabaseUrl|ANCHORS_DATABASE_URL|superuserUrl|databaseNameOf)\b/

interface Source {
  path: string
  text: string
}

/**
 * Violations, one line each: a connection to Postgres whose address names no search path and that is not listed with a
 * reason, a listed file without such a connection, and a pool of a service over a privileged address.
 */
export function connectionsWithoutSearchPath(
  sources: readonly Source[],
  known = WITHOUT_SEARCH_PATH,
): string[] {
  const found = new Set<string>()
  const broken: string[] = []
  for (const { path, text } of sources) {
    for (const { index } of text.matchAll(/new pg\.(?:Client|Pool)\(/g)) {
      if (namesSearchPath(text, index)) continue
      found.add(path)
      if (!(path in known)) broken.push(`connection-without-search-path: ${path}`)
    }
    for (const { index } of text.matchAll(/openDatabase(?:<\w+>)?\(/g))
      if (PRIVILEGED.test(argumentsAt(text, index))) broken.push(`service-pool-with-others-rights: ${path}`)
  }
  const stale = Object.keys(known).filter(path => !found.has(path))
  return [...broken, ...stale.map(path => `listed-without-need: ${path}`)]
}

/** In the call, or where the constant is made that the call names. */
const namesSearchPath = (text: string, index: number): boolean => {
  const given = argumentsAt(text, index)
  if (given.includes('withSearchPath(')) return true
  return /\bconnectionString\b(?!:)/.test(given) && /const connectionString = withSearchPath\(/.test(text)
}

function argumentsAt(text: string, index: number): string {
  let depth = 0
  for (let at = text.indexOf('(', index); at < text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')' && --depth === 0) return text.slice(index, at + 1)
  }
  return text.slice(index)
}

/** The sources of every program. */
export const programSources = (): Source[] =>
  globSync('{apps,packages}/**/*.ts', { cwd: CHECKOUT, exclude: name => name === 'node_modules' })
    .filter(isChecked)
    .filter(path => !path.startsWith('packages/testing/'))
    .map(path => ({ path, text: readFileSync(join(CHECKOUT, path), 'utf8') }))
