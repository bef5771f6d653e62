import { Keypair } from '@stellar/stellar-sdk/base'
import { startLocalNetwork } from '@windlass/local-network/local-network.ts'
import { Browser, fundedWallet, openTrustline, registerWallet } from '@windlass/sep-server/testing/wallet.ts'
import { PACKAGES } from '@windlass/windlass/release/packages.ts'
import { execFile, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  CHECKOUT,
  COMPILES_WITHIN_MS,
  faultsOfTypes,
  findNodes,
  install,
  isFor,
  samplesOf,
  type Project,
} from './installed-packages.ts'
import { startWalletStand, type WalletStand } from './wallet-stand.ts'

const run = promisify(execFile)
const MAJORS = [20, 22, 24]
const nodes = findNodes()
for (const major of MAJORS.filter(each => !nodes.has(each)))
  console.warn(
    `SKIPPED: published packages on Node ${major}: it is not here. TEST_NODES=/path/to/node names one.`,
  )

const root = mkdtempSync(join(tmpdir(), 'published-packages-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Runs a program; throws what it wrote where it fails. */
async function output(program: string, args: string[], cwd: string, env = {}): Promise<string> {
  try {
    return (await run(program, args, { cwd, env: { ...process.env, ...env } })).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${stdout}${stderr}`, { cause: error })
  }
}

const projects = new Map<string, Project>()
function projectOf(name: string): Project {
  const project = projects.get(name) ?? install(name, join(root, name))
  projects.set(name, project)
  return project
}

describe.each(PACKAGES)('@windlass/$folder, installed from its tarball', ({ folder: name }) => {
  let project: Project
  beforeAll(() => {
    project = projectOf(name)
  }, COMPILES_WITHIN_MS)
  const specifiers = () =>
    Object.keys(project.manifest.exports).map(path => `@windlass/${name}${path.slice(1)}`)

  it(
    'has types by which the programs of its README compile strictly',
    async () => {
      const files = samplesOf(join(project.place, 'README.md')).flatMap((code, index) => {
        const file = `sample-${index}.ts`
        // A page's own lines, which need what is around them.
        if (!code.includes('import ')) return []
        writeFileSync(join(project.folder, file), code)
        return file
      })
      expect(files.length).toBeGreaterThan(0)
      expect(faultsOfTypes(project, files)).toEqual([])
    },
    COMPILES_WITHIN_MS,
  )

  it('is found by what reads no exports', () => {
    for (const entry of [project.manifest.main, project.manifest.types])
      expect([entry, existsSync(join(project.place, entry))]).toEqual([entry, true])
  })

  it('is imported by each Node that it names, without a window', async () => {
    for (const [major, node] of nodes) {
      if (!isFor(project, major)) continue
      // The newest Stellar SDK needs Node 22.
      const older =
        major < 22 && project.manifest.peerDependencies ? withSdk(name, 'stellar-sdk-13') : project
      for (const specifier of specifiers()) {
        const code = `import(${JSON.stringify(specifier)}).then(all => console.log(Object.keys(all).length > 0))`
        expect([major, await output(node, ['-e', code], older.folder)]).toEqual([major, 'true\n'])
      }
    }
  })

  it('says which Node it needs where the Node is older', async () => {
    for (const [major, node] of nodes) {
      if (isFor(project, major) || !project.manifest.bin) continue
      const [bin = ''] = Object.values(project.manifest.bin)
      await expect(output(node, [join(project.place, bin), '--help'], project.folder)).rejects.toThrow(
        /needs Node \d+[.\d]* or later; this is v20/,
      )
    }
  })

  it('contains no test, no source, and links to nothing that is not in it', () => {
    const files = globSync('**/*', { cwd: project.place })
    expect(files.filter(file => /\.test\.|(?<!\.d)\.ts$|\/testing\//.test(file))).toEqual([])
    for (const page of files.filter(file => file.endsWith('.md'))) {
      const links = [
        ...readFileSync(join(project.place, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g),
      ]
      const missing = links.filter(([, path = '']) => !existsSync(join(project.place, dirname(page), path)))
      expect([page, missing.map(([, path]) => path)]).toEqual([page, []])
    }
  })

  it.runIf(['wallet', 'ramp', 'anchor-client'].includes(name))(
    'needs nothing of Node, so that a bundle for pages has one Stellar SDK and its own code alone',
    async () => {
      const { rolldown } = await import('rolldown')
      const bundle = await rolldown({
        input: join(project.place, project.manifest.exports['.']?.default ?? ''),
        external: /^@stellar\//,
      })
      const { output: chunks } = await bundle.generate({ format: 'esm' })
      const own = new Set(chunks.map(({ fileName }) => fileName))
      const imports = chunks.flatMap(chunk =>
        'imports' in chunk ? [...chunk.imports, ...chunk.dynamicImports] : [],
      )
      expect([...new Set(imports)].filter(imported => !own.has(imported))).toEqual(
        name === 'anchor-client' ? [] : ['@stellar/stellar-sdk'],
      )
      await bundle.close()
    },
  )
})

describe('@windlass/local-network', () => {
  it('runs the programs of its README on each Node', async () => {
    const project = projectOf('local-network')
    const network = await startLocalNetwork({ closeEvery: 'at-once' })
    try {
      for (const [major, node] of nodes) {
        if (!isFor(project, major)) continue
        for (const [index, code] of samplesOf(join(project.place, 'README.md')).entries()) {
          writeFileSync(join(project.folder, `sample-${index}.mjs`), `${code}\nconsole.log('ended')`)
          const env = { HORIZON: network.url }
          const said = await output(node, [`sample-${index}.mjs`], project.folder, env)
          expect([major, index, said]).toEqual([major, index, expect.stringContaining('ended\n')])
          expect(said).not.toMatch(/^not ok/m)
        }
      }
    } finally {
      await network.stop()
    }
  })
})

it(
  'the TypeScript of the guides for developers compiles strictly, with the Stellar SDK that Node 20 gets',
  () => {
    const project = withSdk('anchor-client', 'stellar-sdk-15')
    const modules = join(project.folder, 'node_modules')
    for (const name of ['standardwebhooks', 'typebox', '@types'])
      symlinkSync(join(CHECKOUT, 'node_modules', name), join(modules, name))
    const files = ['wallet-developers', 'anchor-developers'].flatMap(guide =>
      samplesOf(join(CHECKOUT, 'docs/guides', `${guide}.md`)).map((code, index) => {
        writeFileSync(join(project.folder, `${guide}-${index}.ts`), code)
        return `${guide}-${index}.ts`
      }),
    )
    expect(files).toHaveLength(4)
    expect(faultsOfTypes(project, files)).toEqual([])
  },
  COMPILES_WITHIN_MS,
)

describe('packages that speak with an anchor', () => {
  let stand: WalletStand
  beforeAll(async () => {
    stand = await startWalletStand()
    const { anchorId } = stand.running.anchor.plan
    stand.running.platform.keys.set('wl_test_sample', { anchorId, scopes: ['read'] })
  })
  afterAll(() => stand.stop())

  const environment = (more: Record<string, string> = {}) => ({
    ...stand.environment,
    ANCHOR: stand.running.anchor.publicUrl,
    ANCHOR_KEY: 'wl_test_sample',
    ...more,
  })
  /** Compiles a program of a README as its reader would, and returns the file. */
  async function compiled({ folder, place }: Project, index: number): Promise<string> {
    const { stripTypeScriptTypes } = await import('node:module')
    const code = samplesOf(join(place, 'README.md'))[index] ?? ''
    writeFileSync(join(folder, `program-${index}.mjs`), stripTypeScriptTypes(code))
    return `program-${index}.mjs`
  }

  it.each([
    { sdk: 'stellar-sdk-13', version: /^13\./ },
    { sdk: 'stellar-sdk-15', version: /^15\./ },
    { sdk: '@stellar/stellar-sdk', version: /^17\./ },
  ])('@windlass/wallet deposits in the lines of its README with $sdk', async ({ sdk, version }) => {
    const manifest = JSON.parse(readFileSync(join(CHECKOUT, 'node_modules', sdk, 'package.json'), 'utf8'))
    expect(manifest.version).toMatch(version)
    const project = withSdk('wallet', sdk)
    const { running } = stand
    const wallet = await fundedWallet(running)
    await openTrustline(running, wallet)
    registerWallet(running, wallet)
    const program = spawn(process.execPath, [await compiled(project, 0)], {
      cwd: project.folder,
      env: { ...process.env, ...environment({ WALLET_SECRET: wallet.secret() }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines: string[] = []
    for await (const line of createInterface(program.stdout)) {
      lines.push(line)
      const url = /^Open (.+)$/.exec(line)?.[1]
      if (url) await finishOnPage(url)
    }
    expect(lines.at(-1)).toBe('completed')
  })

  async function finishOnPage(url: string): Promise<void> {
    const browser = new Browser(stand.running)
    await browser.open(url)
    const [{ id } = { id: '' }] = await stand.running.query<{ id: string }>(
      'select id from business.transfers order by created_at desc limit 1',
    )
    await browser.submit(`/interactive/t/${id}/confirm`)
    await browser.submit(`/interactive/t/${id}/paid`)
  }

  it('@windlass/wallet compares anchors in the lines of its README, without a key', async () => {
    const project = projectOf('wallet')
    const said = await output(process.execPath, [await compiled(project, 1)], project.folder, environment())
    expect(said).toContain('Mumbai Pay at mumbai.anchors.localhost takes 0.5 and 0.5 %')
    expect(said).toMatch(/mumbai: pay [\d.]+ INR, of which 1 LOTUS is the fee/)
    expect(said).toMatch(/quote \S+ is good until \d{4}/)
  })

  it('@windlass/anchor-client reads an anchor in the lines of its README', async () => {
    const project = projectOf('anchor-client')
    const said = []
    for (const index of samplesOf(join(project.place, 'README.md')).keys())
      said.push(
        await output(process.execPath, [await compiled(project, index)], project.folder, environment()),
      )
    expect(said).toEqual([
      expect.stringContaining(' issues LOTUS\n'),
      expect.stringMatching(/^\d+ transactions\n$/),
      '404 transaction-not-found\n',
    ])
  })

  it('@windlass/wallet-checks tells as a command and as a program what an anchor lacks', async () => {
    const project = projectOf('wallet-checks')
    const command = join(project.place, project.manifest.bin?.['wallet-checks'] ?? '')
    const [key, issuer] = [Keypair.random().publicKey(), Keypair.random().publicKey()]
    // An anchor that serves its discovery file and nothing else.
    const anchor = createServer(({ url, headers: { host } }, answer) => {
      if (url !== '/.well-known/stellar.toml') return void answer.writeHead(404).end()
      answer.setHeader('access-control-allow-origin', '*')
      answer.setHeader('content-type', 'text/plain').end(`
        NETWORK_PASSPHRASE = "Test SDF Network ; September 2015"
        SIGNING_KEY = "${key}"
        ACCOUNTS = ["${issuer}"]
        WEB_AUTH_ENDPOINT = "http://${host}/auth"
        [[CURRENCIES]]
        code = "ANC"
        issuer = "${issuer}"`)
    })
    await new Promise<void>(resolve => anchor.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(anchor.address() as AddressInfo).port}`
    const ask = (...args: string[]) =>
      run(process.execPath, [command, ...args], { env: { PATH: process.env.PATH } }).then(
        ({ stdout }) => ({ code: 0, said: stdout }),
        ({ code, stdout, stderr }) => ({ code, said: `${stdout}${stderr}` }),
      )
    try {
      const { code, said } = await ask(address, '--local')
      expect(code).toBe(1)
      expect(said).toMatch(/^127.0.0.1:\d+, ANC\n/)
      expect(said).toMatch(/^ok {4}sep1-identity: /m)
      expect(said).toMatch(/^FAIL {2}sep10-challenge: .*404.*nobody can log in/m)
      // What it does not offer is not checked.
      expect(said).not.toMatch(/sep24|sep6|sep12|sep38|listing/)
      expect((await ask(address, '--local', '--listing')).said).toMatch(
        /^FAIL {2}listing-organization: .*ORG_LOGO/m,
      )
      const results = JSON.parse((await ask(address, '--local', '--json')).said)
      expect(results[0]).toMatchObject({ name: 'sep1-file', sep: 1, passed: true })
      expect((await ask(address, '--local', '--asset', 'NONE')).code).toBe(2)
      expect(await ask(address)).toMatchObject({ code: 2, said: expect.stringContaining('public address') })
      expect((await ask()).code).toBe(2)
      const program = await compiled(project, 0)
      const env = { ANCHOR: address, LOCAL: '1' }
      const lines = await output(process.execPath, [program], project.folder, env)
      expect(lines).toMatch(/^ok sep1-file/)
    } finally {
      anchor.close()
    }
  })
})

/** The same package beside another Stellar SDK. */
function withSdk(name: string, sdk: string): Project {
  const key = `${name}-beside-${sdk.replace('/', '-')}`
  const known = projects.get(key)
  if (known) return known
  const { place: built, manifest } = projectOf(name)
  const folder = join(root, key)
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@stellar'), { recursive: true })
  // Not a link: imports are resolved where a file really is.
  cpSync(built, join(modules, '@windlass', name), { recursive: true })
  symlinkSync(join(CHECKOUT, 'node_modules', sdk), join(modules, '@stellar/stellar-sdk'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const project = { folder, place: join(modules, '@windlass', name), manifest }
  projects.set(key, project)
  return project
}
