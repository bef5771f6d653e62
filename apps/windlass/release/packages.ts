import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { CHECKOUT } from '../home.ts'

/** What a package for npm is made from. */
interface PackagePlan {
  /** Its folder below `packages/`. */
  folder: string
  /** The oldest Node that runs it. */
  node: string
  /** What others import, by the path of the import. */
  exports: Readonly<Record<string, string>>
  bin?: Readonly<Record<string, string>>
  /** Imported from the project that installs it, so that there is one copy. */
  peers?: Readonly<Record<string, string>>
  /** Types name what Node has. */
  types?: 'node'
  /** Files that its programs read. */
  loads?: readonly string[]
  /** Further files for people. */
  files?: readonly string[]
  /** Loading a module has an effect. */
  sideEffects?: boolean
}

/** Tested with 13.3, 15.1 and 17.2. */
const STELLAR_SDK = { '@stellar/stellar-sdk': '>=13.0.0 <18.0.0' }

/** The npm packages that a release has beside `windlass`. */
export const PACKAGES: readonly PackagePlan[] = [
  { folder: 'wallet', node: '>=20', exports: { '.': 'wallet.ts' }, peers: STELLAR_SDK },
  {
    folder: 'ramp',
    node: '>=20',
    exports: { '.': 'windlass-ramp.ts' },
    peers: STELLAR_SDK,
    sideEffects: true,
  },
  { folder: 'anchor-client', node: '>=20', exports: { '.': 'anchor-client.ts' } },
  {
    folder: 'wallet-checks',
    // That of undici 8.
    node: '>=22.19',
    exports: { '.': 'wallet-checks.ts' },
    bin: { 'wallet-checks': 'main.ts' },
    types: 'node',
  },
  {
    folder: 'local-network',
    // The first release of Node 22 that has node:sqlite without a flag.
    node: '>=22.13',
    exports: { '.': 'local-network.ts', './hooks': 'hooks.ts' },
    bin: { 'local-network': 'main.ts' },
    types: 'node',
    loads: ['explorer/*.{html,css,js}'],
    files: ['docs/*.md', 'action.yml'],
  },
]

export const planOf = (folder: string): PackagePlan => {
  const plan = PACKAGES.find(each => each.folder === folder)
  if (!plan) throw new Error(`${folder} is no package that is published`)
  return plan
}

type Manifest = Record<string, unknown>

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

const OWN_SCOPE = /(['"])@windlass\/([\w-]+\/[^'"]+)\.ts\1/g
const RELATIVE = /((?:from |import\(?\s?)['"]\.\.?\/[^'"]*)\.ts(['"])/g

/**
 * Makes a folder that npm can pack: plain JavaScript with types, since Node runs no TypeScript below node_modules. What it
 * needs of other folders of `packages/` is in it; what it needs of npm it depends on. Returns the manifest.
 */
export function buildPackage(plan: PackagePlan, into: string): Manifest {
  const from = join(CHECKOUT, 'packages', plan.folder)
  rmSync(into, { recursive: true, force: true })
  mkdirSync(into, { recursive: true })
  const programs = [...Object.values(plan.exports), ...Object.values(plan.bin ?? {})]
  const imported = compile(
    programs.map(program => join(from, program)),
    join(into, 'dist'),
    plan.types === 'node',
  )
  const place = (program: string) => `./dist/${plan.folder}/${program.replace(/\.ts$/, '')}`
  const copy = (patterns: readonly string[], to: string) => {
    for (const file of globSync([...patterns], { cwd: from })) cpSync(join(from, file), join(to, file))
  }
  copy(plan.loads ?? [], join(into, 'dist', plan.folder))
  copy(['README.md', 'CHANGELOG.md', ...(plan.files ?? [])], into)
  for (const page of globSync('{*,docs/*}.md', { cwd: into })) dropLinks(join(into, page))

  const { name, version, description, license } = readManifest(from)
  const peers = plan.peers ?? {}
  const needed = [...imported].filter(each => !(each in peers)).toSorted()
  const manifest = {
    ...{ name, version, description, license, type: 'module' },
    ...{ sideEffects: plan.sideEffects ?? false, engines: { node: plan.node } },
    ...(plan.bin && { bin: mapped(plan.bin, program => `${place(program)}.js`) }),
    // For those that read no `exports`: React Native before 0.79, TypeScript's older ways to resolve.
    ...entryOf(plan.exports['.'], place),
    exports: mapped(plan.exports, program => ({
      types: `${place(program)}.d.ts`,
      default: `${place(program)}.js`,
    })),
    ...(plan.peers && { peerDependencies: peers }),
    dependencies: {
      ...Object.fromEntries(needed.map(each => [each, `^${versionOf(each)}`])),
      ...(plan.types && { '@types/node': '>=22' }),
    },
  }
  writeFileSync(join(into, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return manifest
}

const entryOf = (program: string | undefined, place: (program: string) => string) =>
  program === undefined ? {} : { main: `${place(program)}.js`, types: `${place(program)}.d.ts` }

const mapped = <T>(values: Readonly<Record<string, string>>, form: (value: string) => T) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, form(value)]))

const versionOf = (name: string): string =>
  String(readManifest(join(CHECKOUT, 'node_modules', name))['version'])

/** What pages and Node 20 have. */
const EVERYWHERE = { types: [], lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'] }

/**
 * Compiles programs and what they import of `packages/`. Returns the packages of npm that they import. Throws where they use
 * what is not everywhere, unless they are `forNode`.
 */
function compile(programs: readonly string[], into: string, forNode: boolean): Set<string> {
  const { config } = ts.readConfigFile(join(CHECKOUT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(
    {
      ...config.compilerOptions,
      ...(forNode ? {} : EVERYWHERE),
      ...{ noEmit: false, incremental: false, tsBuildInfoFile: null, declaration: true, target: 'es2022' },
      ...{ rewriteRelativeImportExtensions: true, rootDir: 'packages', outDir: into },
      // Not by node_modules, whose files are not compiled.
      paths: { '@windlass/*': ['./packages/*'] },
    },
    CHECKOUT,
  )
  // Where someone calls it from says neither where packages are nor where their types are.
  const host = Object.assign(ts.createCompilerHost(options), { getCurrentDirectory: () => CHECKOUT })
  const program = ts.createProgram(programs, options, host)
  const faults = ts.getPreEmitDiagnostics(program).filter(({ code }) => code !== IMPORTS_OWN_PACKAGE)
  if (faults.length > 0)
    throw new Error(
      ts.formatDiagnostics(faults, {
        getCanonicalFileName: name => name,
        getCurrentDirectory: () => CHECKOUT,
        getNewLine: () => '\n',
      }),
    )
  const imported = new Set<string>()
  program.emit(undefined, (path, text) => {
    const up = relative(dirname(path), into)
    const own = text
      .replace(OWN_SCOPE, (_, quote: string, file: string) => `${quote}${join(up, file)}.js${quote}`)
      .replace(RELATIVE, '$1.js$2')
    for (const { fileName } of ts.preProcessFile(own).importedFiles) imported.add(packageOf(fileName))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, own)
  })
  return new Set([...imported].filter(name => !/^(node:|\.)/.test(name)))
}
const packageOf = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/')
/** "This import uses a '.ts' extension …, but will not be rewritten": it is, below. */
const IMPORTS_OWN_PACKAGE = 2877

/** What a page links to outside the package is named only: nothing is there for those who installed it. */
function dropLinks(page: string): void {
  const text = readFileSync(page, 'utf8')
  const dropped = text.replace(
    /\[([^\]]+)\]\((?!https?:|#)([^)#]+)[^)]*\)/g,
    (link, said: string, path: string) => (existsSync(join(dirname(page), path)) ? link : said),
  )
  writeFileSync(page, dropped)
}
