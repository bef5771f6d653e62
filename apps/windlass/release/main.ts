import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  createWriteStream,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import { CHECKOUT } from '../home.ts'
import { buildPackage, PACKAGES, planOf, readManifest } from './packages.ts'
import { prepareRelease } from './prepare.ts'
import { originOf } from './origin.ts'
import { createBom, listLicenses, requireAllowedLicenses } from './sbom.ts'

const USAGE = `npm run release -- prepare
npm run release -- <folder> [--repository https://… | --package <name>]

Writes what a release publishes into a folder: the npm packages, the windlass command, the bill of materials, the
licenses, what changed in the APIs, SHA256SUMS of all, and of which commit they were made. It refuses licenses that it does
not know. The same commit makes the same files. "prepare" comes before the commit: it gives the
versions and writes the changelogs.

  --repository URL  the address that the packages name as their source
  --package NAME    makes the folder that package alone, not packed`

/** Tests, and what runs them: manifests of workspaces stay, since npm reads them. */
const FOR_DEVELOPERS =
  /\.test\.tsx?$|(^|\/)testing\/(?!package\.json$)|^(e2e|bench)\/(?!package\.json$)|^\.(ci|github|githooks)\//

const { values, word } = readArguments()
if (values.package) buildPackage(planOf(values.package), resolve(word))
else await (word === 'prepare' ? prepare() : release(resolve(word)))

function readArguments() {
  try {
    const { values: given, positionals } = parseArgs({
      args: process.argv.slice(2),
      options: { repository: { type: 'string' }, package: { type: 'string' }, help: { type: 'boolean' } },
      allowPositionals: true,
    })
    if (given.help) return end(0, USAGE)
    const [first, ...others] = positionals
    return first === undefined || others.length > 0 ? end(2, USAGE) : { values: given, word: first }
  } catch (error) {
    return end(2, `${(error as Error).message}\n\n${USAGE}`)
  }
}

function end(code: number, text: string): never {
  ;(code === 0 ? process.stdout : process.stderr).write(`${text}\n`)
  process.exit(code)
}

async function prepare(): Promise<void> {
  const products = await prepareRelease(CHECKOUT, new Date().toISOString().slice(0, 10))
  if (products.length === 0) return void process.stdout.write('No change waits in .changeset.\n')
  execFileSync('npm', ['install', '--package-lock-only'], { cwd: CHECKOUT, stdio: 'inherit' })
  node(join(CHECKOUT, 'packages/api-documents/print.ts'), '--release')
  process.stdout.write(
    `${products.join('\n')}\nThe changelogs, versions, API documents and hashes of migrations are written: commit them.\n`,
  )
}

async function release(folder: string): Promise<void> {
  const bom = createBom(committedAt())
  requireAllowedLicenses(bom)
  mkdirSync(folder, { recursive: true })
  const work = mkdtempSync(join(tmpdir(), 'windlass-release-'))
  try {
    for (const plan of PACKAGES) {
      const built = join(work, plan.folder)
      writeManifest(built, buildPackage(plan, built), `packages/${plan.folder}`)
      packInto(built, folder)
    }
    packInto(await commandPackage(work), folder)
    writeFileSync(join(folder, 'windlass.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`)
    writeFileSync(join(folder, 'LICENSES.md'), listLicenses(bom))
    cpSync(join(CHECKOUT, 'docs/api/CHANGES.md'), join(folder, 'API-CHANGES.md'))
    writeSums(folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** What npm needs to publish with a statement of where it was built (https://docs.npmjs.com/generating-provenance-statements). */
function writeManifest(folder: string, manifest: Record<string, unknown>, directory: string): void {
  const repository = values.repository && {
    repository: { type: 'git', url: `git+${values.repository}`, directory },
  }
  const whole = {
    ...manifest,
    ...repository,
    keywords: ['stellar', 'anchor', 'sep-24', 'sep-10', 'payments'],
    publishConfig: { access: 'public', provenance: true },
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(whole, null, 2)}\n`)
}

async function commandPackage(work: string): Promise<string> {
  const folder = join(work, 'windlass')
  mkdirSync(folder)
  const { name, version, description, license } = readManifest(CHECKOUT)
  const bin = { windlass: './windlass.mjs' }
  writeManifest(
    folder,
    { name, version, description, license, type: 'module', bin, engines: { node: '>=20' } },
    '.',
  )
  for (const file of ['windlass.mjs', 'README.md'])
    cpSync(join(import.meta.dirname, file), join(folder, file))
  cpSync(join(CHECKOUT, 'CHANGELOG.md'), join(folder, 'CHANGELOG.md'))
  await packSources(join(folder, 'release.tar.gz'))
  return folder
}

/** What git knows, without tests, in one order and with one time: Node runs no TypeScript below node_modules. */
async function packSources(file: string): Promise<void> {
  const archive = pack()
  const written = pipeline(archive, createGzip({ level: 9 }), createWriteStream(file))
  const mtime = new Date(committedAt())
  for (const name of sourceFiles()) {
    const path = join(CHECKOUT, name)
    const mode = statSync(path).mode & 0o100 ? 0o755 : 0o644
    archive.entry({ name, mode, mtime }, readFileSync(path))
  }
  archive.finalize()
  await written
}

function sourceFiles(): string[] {
  return git('ls-files', '-z')
    .split('\0')
    .filter(name => name !== '' && !FOR_DEVELOPERS.test(name))
    .toSorted()
}

function packInto(folder: string, into: string): void {
  for (const name of ['LICENSE']) cpSync(join(CHECKOUT, name), join(folder, name))
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', into], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
}

/** SHA256SUMS, and from what they were made: the same commit makes the same statement. */
function writeSums(folder: string): void {
  const names = readdirSync(folder).filter(name => /\.(tgz|md|cdx\.json)$/.test(name))
  const files = names.toSorted().map(name => ({ name, sha256: sha256Of(join(folder, name)) }))
  const lines = files.map(({ name, sha256 }) => `${sha256}  ${name}\n`)
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
  const origin = originOf(files, {
    repository: values.repository ?? null,
    commit: git('rev-parse', 'HEAD').trim(),
    lockfileSha256: sha256Of(join(CHECKOUT, 'package-lock.json')),
    node: process.version,
  })
  writeFileSync(join(folder, 'provenance.intoto.json'), `${JSON.stringify(origin, null, 2)}\n`)
  process.stdout.write(lines.join(''))
}

function sha256Of(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

function node(...args: string[]): void {
  execFileSync(process.execPath, args, { cwd: CHECKOUT, stdio: ['ignore', 'inherit', 'inherit'] })
}

function git(...args: string[]): string {
  return execFileSync('git', ['-c', 'safe.directory=*', ...args], {
    cwd: CHECKOUT,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
}

/** Gives the time of the commit, so that the same one makes the same files. */
function committedAt(): string {
  return new Date(git('log', '-1', '--format=%cI').trim()).toISOString()
}
