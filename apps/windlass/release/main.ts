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
import { createBom, listLicenses } from './sbom.ts'

const USAGE = `npm run release -- prepare
npm run release -- <folder> [--repository https://… | --package <name>]

Writes what a release publishes into a folder: the npm packages, the windlass command, the bill of materials, the
licenses, and SHA256SUMS of all. The same commit makes the same files. "prepare" comes before the commit: it gives the
versions and writes the changelogs.

  --repository URL  the address that the packages name as their source
  --package NAME    makes the folder that package alone, not packed`

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
    `${products.join('\n')}\nThe changelogs, versions and API documents are written: commit them.\n`,
  )
}

async function release(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const work = mkdtempSync(join(tmpdir(), 'windlass-release-'))
  try {
    for (const plan of PACKAGES) {
      const built = join(work, plan.folder)
      writeManifest(built, buildPackage(plan, built), `packages/${plan.folder}`)
      packInto(built, folder)
    }
    packInto(await commandPackage(work), folder)
    const bom = createBom(committedAt())
    writeFileSync(join(folder, 'windlass.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`)
    writeFileSync(join(folder, 'LICENSES.md'), listLicenses(bom))
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

/** All files that git knows, in one order and with one time: Node runs no TypeScript below node_modules. */
async function packSources(file: string): Promise<void> {
  const archive = pack()
  const written = pipeline(archive, createGzip({ level: 9 }), createWriteStream(file))
  const mtime = new Date(committedAt())
  for (const name of git('ls-files', '-z').split('\0').filter(Boolean).toSorted()) {
    const path = join(CHECKOUT, name)
    const mode = statSync(path).mode & 0o100 ? 0o755 : 0o644
    archive.entry({ name, mode, mtime }, readFileSync(path))
  }
  archive.finalize()
  await written
}

function packInto(folder: string, into: string): void {
  for (const name of ['LICENSE']) cpSync(join(CHECKOUT, name), join(folder, name))
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', into], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
}

function writeSums(folder: string): void {
  const names = readdirSync(folder).filter(name => /\.(tgz|json|md)$/.test(name))
  const lines = names.toSorted().map(
    name =>
      `${createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex')}  ${name}\n`,
  )
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
  process.stdout.write(lines.join(''))
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
