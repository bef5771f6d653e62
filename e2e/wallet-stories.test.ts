import { fundedWallet, openTrustline } from '@windlass/sep-server/testing/wallet.ts'
import { go, python, tellInTypeScript } from '@windlass/testing/generated-clients.ts'
import { GO_SDK, hasGoSdk, hasPythonSdk, works } from '@windlass/testing/installed.ts'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
