import { buildPackage, planOf } from '@windlass/windlass/release/packages.ts'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const CHECKOUT = fileURLToPath(new URL('../', import.meta.url))
/** A compiler on a busy machine. */
export const COMPILES_WITHIN_MS = 300_000

/** A project of a stranger, with one package in it. */
export interface Project {
  folder: string
  /** The package's own folder. */
  place: string
  manifest: {
    engines: { node: string }
    bin?: Record<string, string>
    main: string
    types: string
    exports: Record<string, { types: string; default: string }>
    dependencies?: Record<string, string>
    peerDependencies?: Record<string, string>
  }
}

/**
 * Makes a package as a release does, and unpacks its tarball into an empty folder as npm would. What it depends on is the
 * checkout's, or what `instead` names; nothing else is there.
 */
export function install(
  name: string,
  folder: string,
  instead: Readonly<Record<string, string>> = {},
): Project {
  const modules = join(folder, 'node_modules')
  const place = join(modules, '@windlass', name)
  mkdirSync(place, { recursive: true })
  buildPackage(planOf(name), join(folder, 'built'))
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: join(folder, 'built'),
  })
  const tarball = readdirSync(folder).find(file => file.endsWith('.tgz')) ?? ''
  execFileSync('tar', ['xzf', join(folder, tarball), '--strip-components=1', '-C', place])
  const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Project['manifest']
  const beside = { ...manifest.dependencies, ...manifest.peerDependencies, '@types/node': '' }
  for (const dependency of Object.keys(beside)) {
    mkdirSync(dirname(join(modules, dependency)), { recursive: true })
    symlinkSync(join(CHECKOUT, 'node_modules', instead[dependency] ?? dependency), join(modules, dependency))
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return { folder, place, manifest }
}

/** The programs of a page, in the order in which they are printed. */
export function samplesOf(page: string): string[] {
  const text = readFileSync(page, 'utf8')
  return [...text.matchAll(/^```(?:ts|js)\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
}

/** What the compiler has against programs of a project, and against the types of our packages there: those of others are not ours. */
export function faultsOfTypes({ folder }: Project, files: readonly string[]): string[] {
  const options = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes']
  const modules = ['--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023,dom,dom.iterable']
  const { stdout } = spawnSync(
    process.execPath,
    [
      join(CHECKOUT, 'node_modules/typescript-7/bin/tsc'),
      ...options,
      ...modules,
      '--types',
      'node',
      ...files,
    ],
    { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 },
  )
  const ours = (line: string) => files.some(file => line.startsWith(file)) || line.includes('@windlass/')
  return stdout.split('\n').filter(line => /^\S+\(\d+,\d+\): error /.test(line) && ours(line))
}

/** Each major release of Node that is here, the running one first: in the PATH, or named by TEST_NODES (paths, `:` between). */
export function findNodes(): Map<number, string> {
  const { PATH = '', TEST_NODES = '' } = process.env
  const named = TEST_NODES.split(delimiter).filter(Boolean)
  const found = PATH.split(delimiter).map(folder => join(folder, 'node'))
  const nodes = new Map<number, string>()
  for (const program of [process.execPath, ...named, ...found]) {
    if (!existsSync(program)) continue
    const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
    const major = Number(/^v(\d+)/.exec(stdout)?.[1])
    if (major && !nodes.has(major)) nodes.set(major, program)
  }
  return nodes
}

/** Whether a Node of this major release runs a package, by its `engines`. */
export const isFor = ({ manifest }: Project, major: number): boolean =>
  major >= Number(/^>=(\d+)/.exec(manifest.engines.node)?.[1])
