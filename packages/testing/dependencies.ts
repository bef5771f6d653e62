import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isChecked } from './slices.ts'

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url))
/** What is not imported: oxlint loads the one for `--type-aware`, `check.ts` starts the other. */
const LOADED_BY_OTHERS = new Set(['oxlint-tsgolint', 'typescript-7'])
const ONLY_TESTS = /^(e2e|bench|packages\/testing)\//
const IMPORT =
  /(?:^(?:import|export|\})[^'`\n]* from |^import |\bimport\()'((?:@[\w-]+\/)?[\w-][\w.-]*)(?:\/[^']*)?'/gm

interface Manifest {
  name: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

/** Files by their path in a checkout. */
export type Files = ReadonlyMap<string, string>

/**
 * What the packages of a checkout declare and do not use, or use and do not declare; one line each. A type package counts as
 * used with what it describes. `optionalDependencies` are not looked at: they are programs for one kind of machine.
 *
 * @throws {Error} when so few files were read that nothing was checked.
 */
export function wrongDependencies(files: Files = checkout()): string[] {
  const manifests = [...files.keys()].filter(path => /(^|\/)package\.json$/.test(path))
  return manifests.flatMap(path => {
    const folder = path === 'package.json' ? '' : `${dirname(path)}/`
    const own = [...files].filter(([file]) => file.startsWith(folder) && !/\.json$/.test(file))
    const manifest = JSON.parse(files.get(path) ?? '') as Manifest
    return [...unused(path, manifest, own), ...(folder === '' ? [] : undeclared(path, manifest, own))]
  })
}

type Sources = readonly (readonly [path: string, text: string])[]

const isProduction = (path: string): boolean => isChecked(path) && !ONLY_TESTS.test(path)

function unused(path: string, { dependencies = {}, devDependencies = {} }: Manifest, own: Sources): string[] {
  const usersOf = (name: string) => {
    const named = name.replace(/^@types\//, '').replaceAll('.', '\\.')
    const mention = new RegExp(`(['"\`]|node_modules/)${named}['"\`/]`)
    return own.filter(([, text]) => mention.test(text))
  }
  const all = Object.keys({ ...dependencies, ...devDependencies }).filter(name => !LOADED_BY_OTHERS.has(name))
  const needless = all.filter(name => usersOf(name).length === 0)
  const forTests = Object.keys(dependencies).filter(
    name =>
      !needless.includes(name) && !ONLY_TESTS.test(path) && !usersOf(name).some(([at]) => isProduction(at)),
  )
  return [
    ...needless.map(name => `unused-dependency: ${path}: nothing names ${name}`),
    ...forTests.map(name => `dependency-of-tests: ${path}: move ${name} to devDependencies`),
  ]
}

function undeclared(path: string, { name, dependencies, devDependencies }: Manifest, own: Sources): string[] {
  const imported = own
    .filter(([at]) => /\.tsx?$/.test(at) && isProduction(at))
    .flatMap(([, text]) => [...text.matchAll(IMPORT)].map(([, target = '']) => target))
  return [...new Set(imported)]
    .filter(
      target =>
        target !== name && target !== 'vitest' && !(target in { ...dependencies, ...devDependencies }),
    )
    .map(target => `undeclared-dependency: ${path}: ${target} is imported`)
}

function checkout(): Files {
  const paths = globSync(
    [
      'package.json',
      '*.mjs',
      '*.ts',
      '{apps,packages,e2e,bench}/**/*.{ts,tsx,mjs,css,txt}',
      '{apps/*,packages/*,e2e,bench}/package.json',
    ],
    { cwd: CHECKOUT, exclude: name => ['node_modules', 'dist', '.windlass'].includes(name) },
  )
  if (paths.length < 100) throw new Error(`only ${paths.length} files were read: nothing was checked`)
  return new Map(paths.map(path => [path, readFileSync(join(CHECKOUT, path), 'utf8')] as const))
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const wrong = wrongDependencies()
  wrong.forEach(line => console.error(line))
  process.exitCode = wrong.length === 0 ? 0 : 1
}
