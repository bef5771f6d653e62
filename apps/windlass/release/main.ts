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
import { prepareRelease } from './prepare.ts'
import { createBom, listLicenses } from './sbom.ts'

/*
 * npm run release -- <folder> [--repository https://…] writes what a release publishes: the npm packages @windlass/wallet,
 * @windlass/local-network and windlass (the command), the bill of materials, the licenses, and SHA256SUMS of all. The same
 * commit makes the same files. Before the commit, npm run release -- prepare gives the versions and writes the changelogs.
 */

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  options: { repository: { type: 'string' } },
  allowPositionals: true,
})
const [given] = positionals
if (given === undefined || positionals.length > 1) {
  process.stderr.write('npm run release -- prepare\nnpm run release -- <folder> [--repository https://…]\n')
  process.exit(2)
}
await (given === 'prepare' ? prepare() : release(resolve(given)))

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
    for (const prepare of [walletPackage, localNetworkPackage, commandPackage])
      packInto(await prepare(work), folder)
    const bom = createBom(committedAt())
    writeFileSync(join(folder, 'windlass.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`)
    writeFileSync(join(folder, 'LICENSES.md'), listLicenses(bom))
    writeSums(folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

type Manifest = Record<string, unknown>

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** What npm needs to publish with a statement of where it was built (https://docs.npmjs.com/generating-provenance-statements). */
function writeManifest(folder: string, manifest: Manifest, directory: string): void {
  const { scripts: _, private: __, ...published } = manifest
  const repository = values.repository && {
    repository: { type: 'git', url: `git+${values.repository}`, directory },
  }
  const whole = {
    ...published,
    ...repository,
    keywords: ['stellar', 'anchor', 'sep-24', 'sep-10', 'payments'],
    publishConfig: { access: 'public', provenance: true },
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(whole, null, 2)}\n`)
}

function walletPackage(work: string): string {
  const from = join(CHECKOUT, 'packages/wallet')
  const folder = join(work, 'wallet')
  const compiler = join(CHECKOUT, 'node_modules/typescript/bin/tsc')
  node(compiler, '-p', join(from, 'tsconfig.build.json'), '--outDir', join(folder, 'dist'))
  cpSync(join(from, 'README.md'), join(folder, 'README.md'))
  writeManifest(folder, readManifest(from), 'packages/wallet')
  return folder
}

function localNetworkPackage(work: string): string {
  const folder = join(work, 'local-network')
  node(join(CHECKOUT, 'packages/local-network/build-package.ts'), folder)
  writeManifest(folder, readManifest(folder), 'packages/local-network')
  return folder
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
