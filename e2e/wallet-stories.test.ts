import { Browser, fundedWallet, openTrustline, registerWallet } from '@windlass/sep-server/testing/wallet.ts'
import { go, python, tellInTypeScript } from '@windlass/testing/generated-clients.ts'
import { GO_SDK, hasGoSdk, hasPythonSdk, works } from '@windlass/testing/installed.ts'
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWalletStand, type WalletStand } from './wallet-stand.ts'

const run = promisify(execFile)
const CHECKOUT = fileURLToPath(new URL('../', import.meta.url))
/** A compiler on a busy machine. */
const COMPILES_WITHIN_MS = 300_000

let stand: WalletStand
let folder: string
beforeAll(async () => {
  stand = await startWalletStand()
  folder = mkdtempSync(join(tmpdir(), 'wallet-stories-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await stand.stop()
})

/** The blocks of a language in a page, one program after another as they are printed. */
function blocksOf(page: string, language: string): string[] {
  const text = readFileSync(join(CHECKOUT, page), 'utf8')
  const found = [...text.matchAll(/^```(\w+)[^\n]*\n([\s\S]*?)^```$/gm)]
  return found.filter(([, name]) => name === language).map(([, , code = '']) => code)
}

const environment = (more: Record<string, string> = {}) => ({ ...process.env, ...stand.environment, ...more })

/** Runs a program; throws what it wrote where it fails. */
async function output(program: string, args: string[], cwd: string): Promise<string> {
  try {
    return (await run(program, args, { cwd, env: environment() })).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${stdout}${stderr}`, { cause: error })
  }
}

describe('@windlass/wallet, installed from its tarball', () => {
  const compiler = join(CHECKOUT, 'node_modules/typescript/bin/tsc')
  const [deposit = '', choose = ''] = blocksOf('packages/wallet/README.md', 'ts')

  beforeAll(async () => {
    const from = join(CHECKOUT, 'packages/wallet')
    // What `prepack` does, also where scripts of packages are not run.
    await run(process.execPath, [compiler, '-p', join(from, 'tsconfig.build.json')])
    const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
    const packed = await run('npm', packing, { cwd: from })
    const [{ filename = '' } = {}] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('['))) as {
      filename?: string
    }[]
    const modules = join(folder, 'node_modules')
    const place = join(modules, '@windlass/wallet')
    mkdirSync(place, { recursive: true })
    await run('tar', ['xzf', join(folder, filename), '--strip-components=1', '-C', place])
    for (const name of ['@stellar', '@types'])
      symlinkSync(join(CHECKOUT, 'node_modules', name), join(modules, name))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder, 'deposit.ts'), deposit)
    writeFileSync(join(folder, 'choose.ts'), choose)
  }, COMPILES_WITHIN_MS)

  it(
    'has types by which its examples compile strictly',
    async () => {
      const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2024', '--module', 'nodenext']
      const files = ['--types', 'node', 'deposit.ts', 'choose.ts']
      expect(await output(process.execPath, [compiler, ...options, ...files], folder)).toBe('')
    },
    COMPILES_WITHIN_MS,
  )

  it('needs nothing of Node, so that it runs in browsers and React Native', async () => {
    const { rolldown } = await import('rolldown')
    const bundle = await rolldown({
      input: join(folder, 'node_modules/@windlass/wallet/dist/wallet.js'),
      external: /^@stellar\//,
    })
    const { output: chunks } = await bundle.generate({ format: 'esm' })
    const own = new Set(chunks.map(({ fileName }) => fileName))
    const imports = chunks.flatMap(chunk =>
      'imports' in chunk ? [...chunk.imports, ...chunk.dynamicImports] : [],
    )
    expect([...new Set(imports)].filter(name => !own.has(name))).toEqual(['@stellar/stellar-sdk'])
    await bundle.close()
  })

  it('deposits in the lines of its README: the customer finishes on the page, the program sees it', async () => {
    const { running } = stand
    const wallet = await fundedWallet(running)
    await openTrustline(running, wallet)
    registerWallet(running, wallet)
    const program = spawn(process.execPath, ['deposit.ts'], {
      cwd: folder,
      env: environment({ WALLET_SECRET: wallet.secret() }),
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

  it('compares anchors in the lines of its README, without a key', async () => {
    const said = await output(process.execPath, ['choose.ts'], folder)
    expect(said).toContain('Mumbai Pay at mumbai.anchors.localhost takes 0.5 and 0.5 %')
    expect(said).toMatch(/mumbai: pay [\d.]+ INR, of which 1 LOTUS is the fee/)
    expect(said).toMatch(/quote \S+ is good until \d{4}/)
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
})

describe('a client that is generated from the wallet document', () => {
  const storyIn = async (file: string) => {
    const { running, environment: settings } = stand
    const wallet = await fundedWallet(running)
    await openTrustline(running, wallet)
    const { MAILS = '', NETWORK_PASSPHRASE = '' } = settings
    return {
      document: 'wallet',
      program: join(CHECKOUT, 'e2e/stories', file),
      args: [running.anchor.publicUrl, MAILS, NETWORK_PASSPHRASE, wallet.secret()],
      environment: settings,
      modules: file.endsWith('.go') ? [GO_SDK] : [],
    }
  }

  it(
    'goes from the discovery file to a paid deposit in TypeScript',
    async () => expect(await tellInTypeScript(await storyIn('wallet.ts.txt'))).toBe('completed\n'),
    COMPILES_WITHIN_MS,
  )

  it.each([
    ['Python', 'openapi-python-client with stellar-sdk', hasPythonSdk() ? python() : null, 'wallet.py'],
    ['Go', `oapi-codegen with ${GO_SDK}`, hasGoSdk() ? go() : null, 'wallet.go'],
  ])(
    'does so in %s too, where there is %s',
    async (language, tools, tell, file) => {
      if (!tell)
        return console.warn(`SKIPPED: a wallet's story in ${language}: ${tools} is not installed here`)
      expect(await tell(await storyIn(file))).toBe('completed\n')
    },
    COMPILES_WITHIN_MS,
  )
})

describe.each([
  {
    language: 'Python',
    page: 'docs/guides/wallet-python.md',
    needs: 'python3 with stellar-sdk and requests',
    isHere: hasPythonSdk,
    tell: async (place: string) => {
      writeFileSync(join(place, 'wallet.py'), blocksOf('docs/guides/wallet-python.md', 'python').join('\n'))
      return output('python3', ['wallet.py'], place)
    },
  },
  {
    language: 'Go',
    page: 'docs/guides/wallet-go.md',
    needs: 'go with the module github.com/stellar/go-stellar-sdk',
    isHere: hasGoSdk,
    tell: async (place: string) => {
      writeFileSync(join(place, 'main.go'), blocksOf('docs/guides/wallet-go.md', 'go').join('\n'))
      for (const args of [
        ['mod', 'init', 'wallet'],
        ['get', GO_SDK],
        ['mod', 'tidy'],
      ])
        await output('go', args, place)
      return output('go', ['run', '.'], place)
    },
  },
  {
    language: 'Java',
    page: 'docs/guides/wallet-java.md',
    needs: 'java and mvn with network.lightsail:stellar-sdk',
    isHere: () => works('java', '-version') && works('mvn', '-v') && hasJavaSdk(),
    tell: async (place: string) => {
      const page = 'docs/guides/wallet-java.md'
      writeFileSync(join(place, 'pom.xml'), blocksOf(page, 'xml').join('\n'))
      writeFileSync(join(place, 'Wallet.java'), blocksOf(page, 'java').join('\n'))
      await output('mvn', ['-o', '-q', 'dependency:copy-dependencies', '-DoutputDirectory=lib'], place)
      return output('java', ['-cp', 'lib/*', 'Wallet.java'], place)
    },
  },
])('the page for $language', ({ language, page, needs, isHere, tell }) => {
  it(
    `is a wallet's whole story as printed, where ${needs} is installed`,
    async () => {
      expect(readFileSync(join(CHECKOUT, page), 'utf8')).toContain('/etc/hosts')
      if (!isHere()) return console.warn(`SKIPPED: the story in ${language}: ${needs} is not installed here`)
      const place = join(folder, language)
      mkdirSync(place)
      const said = await tell(place)
      expect(said).toContain('customer ACCEPTED')
      expect(said).toContain('deposit completed')
      expect(said).toContain('withdrawal completed')
    },
    COMPILES_WITHIN_MS,
  )
})

function hasJavaSdk(): boolean {
  const probe = mkdtempSync(join(tmpdir(), 'java-sdk-'))
  try {
    writeFileSync(join(probe, 'pom.xml'), blocksOf('docs/guides/wallet-java.md', 'xml').join('\n'))
    const args = ['-o', '-q', '-f', join(probe, 'pom.xml'), 'dependency:copy-dependencies']
    return works('mvn', ...args, `-DoutputDirectory=${join(probe, 'lib')}`)
  } finally {
    rmSync(probe, { recursive: true, force: true })
  }
}
