import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url))
const CACHE = join(CHECKOUT, 'node_modules', '.cache', 'windlass')
const LINTED = join(CACHE, 'linted.json')
const BOUNDARIES = join(CACHE, 'boundaries.json')
const SOURCES = '{apps,packages,e2e,bench}/**/*.{ts,tsx}'
/** What lint depends on beside the file itself. */
const RULES = ['.oxlintrc.json', 'package-lock.json', 'tsconfig.json', 'packages/testing/*.mjs']

interface Check {
  name: string
  command: string[]
  /** What is to be done when it found nothing. */
  then?: () => void
}

const tool = (name: string, path: string, ...flags: string[]) => [join('node_modules', name, path), ...flags]
const own = (name: string): Check => ({ name, command: [join('packages', 'testing', `${name}.ts`)] })

/** Every check of the sources. `all`: what was found in order before is read again, too. */
function checks(all: boolean): Check[] {
  const types = tool('typescript-7', 'bin/tsc', '--project', '.')
  const format = tool('prettier', 'bin/prettier.cjs', '--check', '--log-level', 'warn')
  return [
    ...boundaries(all),
    { name: 'types', command: all ? [...types, '--incremental', 'false'] : types },
    ...lint(all),
    { name: 'format', command: all ? [...format, '.'] : [...format, '--cache', '.'] },
    ...['slices', 'dependencies', 'wording'].map(own),
  ]
}

/** What the boundaries depend on beside the lines that import or read the environment. */
const BOUNDARY_RULES = [
  ...[
    'package-lock.json',
    'tsconfig.json',
    'packages/testing/import-rules.ts',
    'packages/testing/boundaries.ts',
  ],
  '{apps,packages}/*/package.json',
]
const CROSSING = /\b(?:import|from|require)\b|process[.]env/

/** Most edits import nothing new: then every import is where it was when none crossed a boundary. */
function boundaries(all: boolean): Check[] {
  const key = hashOf(
    ...globSync(BOUNDARY_RULES, { cwd: CHECKOUT }).map(file => readFileSync(join(CHECKOUT, file))),
    ...globSync(SOURCES, { cwd: CHECKOUT, exclude: isGenerated }).map(crossingsOf),
  )
  if (!all && readKept(BOUNDARIES).has(key)) return []
  return [{ ...own('boundaries'), then: () => keep(BOUNDARIES, [key]) }]
}

const crossingsOf = (file: string): string => {
  const lines = readFileSync(join(CHECKOUT, file), 'utf8').split('\n')
  return [file, ...lines.filter(line => CROSSING.test(line))].join('\n')
}

/** A changed type may break a rule in a file that did not change: `--all`, which CI uses, finds it. */
function lint(all: boolean): Check[] {
  const before = all ? new Set<string>() : readKept(LINTED)
  const files = new Map(
    globSync(SOURCES, { cwd: CHECKOUT, exclude: isGenerated }).map(file => [file, keyOf(file)]),
  )
  const changed = [...files].filter(([, key]) => !before.has(key)).map(([file]) => file)
  if (changed.length === 0) return []
  const which = changed.length > files.size / 2 ? ['apps', 'packages', 'e2e', 'bench'] : changed
  return [
    {
      name: 'lint',
      command: tool('oxlint', 'bin/oxlint', '--quiet', '--type-aware', ...which),
      then: () => keep(LINTED, [...files.values()]),
    },
  ]
}

const isGenerated = (path: string) => /(^|\/)(node_modules|dist|\.windlass)(\/|$)/.test(path)

function keep(file: string, keys: readonly string[]): void {
  mkdirSync(CACHE, { recursive: true })
  writeFileSync(file, JSON.stringify(keys))
}

function readKept(file: string): Set<string> {
  try {
    return new Set(JSON.parse(readFileSync(file, 'utf8')) as string[])
  } catch {
    return new Set()
  }
}

const hashOf = (...texts: (string | Buffer)[]) => {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(text)
  return hash.digest('base64')
}
const rules = hashOf(...globSync(RULES, { cwd: CHECKOUT }).map(file => readFileSync(join(CHECKOUT, file))))
const keyOf = (file: string) => hashOf(rules, file, readFileSync(join(CHECKOUT, file)))

/** Runs a check, prints what it found, and says whether that is nothing. */
async function holds({ name, command, then }: Check): Promise<boolean> {
  const child = spawn(process.execPath, command, { cwd: CHECKOUT, stdio: ['ignore', 'pipe', 'pipe'] })
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => said.push(text))
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  if (code === 0) then?.()
  else console.error(`✗ ${name}\n${Buffer.concat(said).toString()}`)
  return code === 0
}

const found = await Promise.all(checks(process.argv.includes('--all')).map(holds))
process.exitCode = found.every(Boolean) ? 0 : 1
