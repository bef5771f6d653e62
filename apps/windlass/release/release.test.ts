import { execFile, execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { childEnvironment } from '@windlass/testing/processes.ts'
import { freePortBase, freePorts } from '@windlass/testing/free-ports.ts'
import { CHECKOUT } from '../home.ts'
import { SERVICES } from '../services.ts'
import { PACKAGES } from './packages.ts'
import { type Component, requireAllowedLicenses } from './sbom.ts'
import { describeLocalNetworkPackage } from './testing/local-network-package.ts'

const BUILDS_WITHIN_MS = 900_000
const REPOSITORY = 'https://example.org/windlass.git'
const run = promisify(execFile)
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'safe.directory=*', ...args], { cwd: CHECKOUT, encoding: 'utf8' }).trim()
const succeeds = (program: string, ...args: string[]) =>
  spawnSync(program, args, { cwd: CHECKOUT, stdio: 'ignore' }).status === 0
// Files of a release are those that git knows.
const canRelease =
  succeeds('git', '-c', 'safe.directory=*', 'rev-parse', 'HEAD') && process.platform !== 'win32'
if (!canRelease) console.log('skipped: the release needs a git checkout')

const root = mkdtempSync(join(tmpdir(), 'windlass-published-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

async function release(folder: string): Promise<string> {
  const args = [join(import.meta.dirname, 'main.ts'), folder, '--repository', REPOSITORY]
  return (await run(process.execPath, args, { cwd: CHECKOUT })).stdout
}

/** Unpacks a tarball as npm installs it; packages that it depends on, and `others`, are the checkout's. */
function install(name: string, ...others: string[]): string {
  const tarball =
    readdirSync(published()).find(file => file.startsWith(name) && /-\d[^-]*\.tgz$/.test(file)) ?? ''
  const modules = join(root, name, 'node_modules')
  const place = join(modules, name.replace('windlass-', '@windlass/'))
  mkdirSync(place, { recursive: true })
  execFileSync('tar', ['xzf', join(published(), tarball), '--strip-components=1', '-C', place])
  const scopes = Object.keys(manifestOf(place).dependencies ?? {}).map(
    dependency => dependency.split('/')[0] ?? '',
  )
  for (const scope of new Set([...scopes, ...others]))
    symlinkSync(join(CHECKOUT, 'node_modules', scope), join(modules, scope))
  writeFileSync(join(root, name, 'package.json'), '{"type":"module"}')
  return place
}
const published = () => join(root, 'published')
const manifestOf = (place: string) => JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))

describe.runIf(canRelease)('a release', () => {
  let sums: string
  beforeAll(async () => {
    sums = await release(published())
  }, BUILDS_WITHIN_MS)

  it('has packages with what npm needs for a statement of their origin, and no scripts', () => {
    for (const name of [...PACKAGES.map(({ folder }) => `windlass-${folder}`), 'windlass']) {
      const manifest = manifestOf(install(name))
      expect(manifest).toMatchObject({
        license: 'Apache-2.0',
        repository: { type: 'git', url: `git+${REPOSITORY}` },
        publishConfig: { access: 'public', provenance: true },
      })
      expect([manifest.scripts, manifest.private]).toEqual([undefined, undefined])
      rmSync(join(root, name), { recursive: true })
    }
  })

  describeLocalNetworkPackage(() => install('windlass-local-network', '@types'))

  it('has a command that unpacks the release, installs it, and runs it with data in one place', async () => {
    const place = install('windlass')
    const releases = join(root, 'releases')
    const programs = join(root, 'programs')
    mkdirSync(programs)
    for (const name of ['tar', 'gzip'])
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(programs, name))
    const env = { PATH: programs, HOME: root, WINDLASS_RELEASES: releases }
    const windlass = (...args: string[]) =>
      spawnSync(process.execPath, [join(place, 'windlass.mjs'), ...args], { encoding: 'utf8', env })
    // Without npm it gets as far as the installation.
    expect(windlass('help')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('npm was not found'),
    })

    const [version = ''] = readdirSync(releases)
    expect(version).toBe(manifestOf(CHECKOUT).version)
    linkModules(join(releases, version))
    expect(windlass('help')).toMatchObject({ status: 0, stdout: expect.stringContaining('restore') })
    const key = join(root, 'key.txt')
    expect(windlass('backup', 'key', key)).toMatchObject({ status: 0 })
    expect(existsSync(join(root, '.windlass', 'data', 'base.env'))).toBe(true)
    expect(windlass('nosuch').status).toBe(2)
  })

  // npm run test:faults: installs from the registry.
  it.runIf(process.env.MODE === 'faults')(
    'walks the whole story from an empty folder on a machine that has only Node and npm',
    async () => {
      const folder = join(root, 'empty')
      mkdirSync(folder)
      const tarball = readdirSync(published()).find(file => /^windlass-\d[^-]*\.tgz$/.test(file)) ?? ''
      const variables = ['POSTGRES_PORT', ...SERVICES.flatMap(each => each.ports.map(([name]) => name))]
      const ports = await freePorts(variables.length)
      const environment = {
        ...childEnvironment(),
        ...settingsOfNpm(),
        ...Object.fromEntries(variables.map((name, index) => [name, String(ports[index])])),
        ANCHOR_PORT_BASE: String(freePortBase()),
      }
      const { stdout } = await run(
        'npx',
        ['--yes', `--package=${join(published(), tarball)}`, 'windlass', 'demo', '--exit'],
        {
          cwd: folder,
          env: { ...environment, HOME: folder, npm_config_cache: join(folder, 'cache') },
          maxBuffer: 2 ** 26,
        },
      )
      expect(stdout).toMatch(/All \d+ steps passed/)
      expect(readdirSync(folder).toSorted()).toEqual(['.windlass', 'cache'])
    },
    1_200_000,
  )

  it('lists every package that Windlass runs with, and licenses that allow it', () => {
    const bom = JSON.parse(readFileSync(join(published(), 'windlass.cdx.json'), 'utf8'))
    const components: Component[] = bom.components
    expect([bom.bomFormat, bom.metadata.component.name]).toEqual(['CycloneDX', 'windlass'])
    const names = components.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['fastify', 'pg', '@stellar/stellar-sdk', 'react']))
    expect(names).not.toContain('vitest')
    const installed = components.find(({ name }) => name === 'fastify')
    expect(installed?.hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }])
    expect(() => requireAllowedLicenses({ components })).not.toThrow()
    expect(readFileSync(join(published(), 'LICENSES.md'), 'utf8')).toMatch(
      /^\| fastify \| [\d.]+ \| MIT \|$/m,
    )
  })

  it.each(['GPL-3.0-only', 'NOASSERTION', 'MIT AND SSPL-1.0'])('refuses the license %s', license => {
    const component = { name: 'left-pad', version: '1.0.0', licenses: [{ expression: license }] }
    expect(() => requireAllowedLicenses({ components: [component as Component] })).toThrow(
      `left-pad 1.0.0: ${license}`,
    )
  })

  it('says from which commit and lockfile each of its files was made', () => {
    const statement = JSON.parse(readFileSync(join(published(), 'provenance.intoto.json'), 'utf8'))
    const files: { name: string; digest: { sha256: string } }[] = statement.subject
    const listed = files.map(({ name, digest }) => `${digest.sha256}  ${name}\n`).join('')
    expect(listed).toBe(readFileSync(join(published(), 'SHA256SUMS'), 'utf8'))
    expect(statement.predicate.buildDefinition.resolvedDependencies[0]).toEqual({
      uri: `git+${REPOSITORY}`,
      digest: { gitCommit: git('rev-parse', 'HEAD') },
    })
  })

  it('has neither tests nor what only developers need in the sources of the command', () => {
    const archive = join(install('windlass'), 'release.tar.gz')
    const names = execFileSync('tar', ['tzf', archive], { encoding: 'utf8' }).split('\n')
    expect(names.filter(name => /\.test\.tsx?$|^(e2e|bench)\/.*\.ts$|^\.(ci|github)/.test(name))).toEqual([])
    expect(names).toEqual(expect.arrayContaining(['boot.mjs', 'e2e/package.json', 'docs/guides/upgrade.md']))
    rmSync(join(root, 'windlass'), { recursive: true })
  })

  it.runIf(process.env.MODE === 'faults')(
    'is made again from the same commit, byte for byte',
    async () => expect(await release(join(root, 'again'))).toBe(sums),
    BUILDS_WITHIN_MS,
  )
})

/** Where this machine's npm finds its registry, and what it trusts there. */
function settingsOfNpm(): Record<string, string> {
  const named = /^(NODE_EXTRA_CA_CERTS|(https?|no)_proxy|npm_config_(registry|userconfig))$/i
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value = '']) => (named.test(name) ? [[name, value]] : [])),
  )
}

/** As npm installs them: links to workspaces lead into the release. */
function linkModules(folder: string): void {
  const [from, to] = [join(CHECKOUT, 'node_modules'), join(folder, 'node_modules')]
  mkdirSync(join(to, '@windlass'), { recursive: true })
  for (const name of readdirSync(from)) {
    if (name === '.package-lock.json') cpSync(join(from, name), join(to, name))
    else if (!['@windlass', '.cache', '.bin'].includes(name)) symlinkSync(join(from, name), join(to, name))
  }
  for (const name of readdirSync(join(from, '@windlass')))
    symlinkSync(readlinkSync(join(from, '@windlass', name)), join(to, '@windlass', name))
}
