import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isChecked } from './slices.ts'

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url))

/** Connections that name no search path, and why nobody with fewer rights can put a function in their way. */
const WITHOUT_SEARCH_PATH: Readonly<Record<string, string>> = {
  'apps/windlass/containers/until-postgres-answers.ts': 'asks nothing',
  'apps/windlass/data-migrations.ts': 'is the login of a service, in the database that only it uses',
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

/** Where a search path beyond Postgres' own names is given, and why nobody with fewer rights makes functions there. */
const OTHER_SEARCH_PATHS: Readonly<Record<string, string>> = {
  'packages/service/postgres/search-path.ts': 'makes it of what it is given',
  'apps/control-plane/servers/database.ts':
    'the owner in the schema business, where no server’s login creates, and each server in its own',
  'apps/control-plane/servers/template.ts': 'is the login of a template, in the database that only it uses',
}

/** What is read beside Postgres' own tables on a connection with others' rights, and what keeps a trap from running there. */
const READ_OF_OTHERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'apps/windlass/backups/inspect.ts': {
    '${full}': 'is a table of pg_class, row by row as record_out has it; REFUSE_VIEWS',
    'business.observed': 'hasColumns: a table; REFUSE_VIEWS',
    'business.journal_lines': 'hasColumns: a table; REFUSE_VIEWS',
    'business.journal_entries': 'of the schema’s owner, whose login no server has; REFUSE_VIEWS',
  },
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

/**
 * Violations, one line each: another search path for a connection with others' rights, a function of the database that such a
 * connection calls, and a relation that it reads and that is neither Postgres' own nor listed with a reason.
 */
export function readsOfOthers(
  sources: readonly Source[],
  paths = OTHER_SEARCH_PATHS,
  relations = READ_OF_OTHERS,
): string[] {
  const broken: string[] = []
  for (const { path, text } of sources) {
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    if (/search_path|withSearchPath\([^()]*(?:\([^()]*\)[^()]*)*,/.test(code) && !(path in paths))
      broken.push(`search-path-of-others: ${path}`)
    if (!/withSearchPath\(|inDatabase\(/.test(code) || path in paths) continue
    const known = relations[path] ?? {}
    for (const [statement] of code.matchAll(/`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g)) {
      if (!/\b(?:select|lock|update|delete)\b/i.test(statement)) continue
      if (/\b(?:public|business|sep)\.\w+\(/.test(statement))
        broken.push(`calls-of-others: ${path}: ${statement}`)
      for (const [, relation = ''] of statement.matchAll(/\b(?:FROM|JOIN) ([\w.$\{}"]+)/gi))
        if (!/^pg_\w+$/.test(relation) && !(relation in known))
          broken.push(`reads-of-others: ${path}: ${relation}`)
    }
  }
  return broken
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
