import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { importRules } from './import-rules.ts'

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url))
/** Where the environment may be read: entries, configurations of tools, tests and benchmarks. Everything else gets its settings as arguments. */
const READS_ENVIRONMENT =
  /^(e2e|bench)\/|^packages\/service\/process\/run\.ts$|(^|\/)testing\/|(^|\/)(main|vite\.config|vitest\.config|[^/]+\.test)\.tsx?$/
const FEWEST_MODULES = 100

/**
 * Every import that a rule of `import-rules.ts` forbids, and every module but an entry that reads
 * the environment; one line each.
 *
 * @throws {Error} when so few modules were read that nothing was checked.
 */
export async function crossedBoundaries(): Promise<string[]> {
  const { options, ...ruleSet } = importRules
  const result = await cruise(
    ['apps', 'packages', 'e2e', 'bench'],
    { ...options, baseDir: CHECKOUT, ruleSet, validate: true },
    undefined,
    { tsConfig: extractTSConfig(join(CHECKOUT, 'tsconfig.json')) },
  )
  if (typeof result.output === 'string')
    throw new Error('dependency-cruiser returned text instead of its findings')
  const { modules, summary }: ICruiseResult = result.output
  const own = modules.filter(({ source }) => /^(apps|packages|e2e|bench)\//.test(source))
  if (own.length < FEWEST_MODULES)
    throw new Error(`only ${own.length} modules were read: nothing was checked`)
  const imports = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)
  const environments = own
    .filter(({ source }) => /\.tsx?$/.test(source) && !READS_ENVIRONMENT.test(source))
    .filter(({ source }) => /\bprocess[.]env\b/.test(readFileSync(join(CHECKOUT, source), 'utf8')))
    .map(({ source }) => `environment-is-read-in-main: ${source}`)
  return [...imports, ...environments]
}

if (process.argv[1] && relative(process.argv[1], fileURLToPath(import.meta.url)) === '') {
  const crossed = await crossedBoundaries()
  crossed.forEach(line => console.error(line))
  process.exitCode = crossed.length === 0 ? 0 : 1
}
