import { freePort } from '@windlass/testing/free-ports.ts'
import { GO_SDK, hasGoSdk, hasPythonSdk } from '@windlass/testing/installed.ts'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { copyFileSync, cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHECKOUT } from '../../home.ts'

const run = promisify(execFile)
const PACKAGE = join(CHECKOUT, 'packages/local-network')
const MAIN = 'dist/local-network/main.js'
const COMPILER = join(CHECKOUT, 'node_modules/typescript/bin/tsc')
/** A compiler, or several processes, on a busy machine. */
const COMPILES_WITHIN_MS = 300_000

/** Runs a program; throws what it wrote where it fails. */
async function output(program: string, args: string[], cwd: string): Promise<string> {
  try {
    return (await run(program, args, { cwd })).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${stdout}${stderr}`, { cause: error })
  }
}

/** Tests what others install. `install` unpacks the package as npm does, and returns its folder. */
export function describeLocalNetworkPackage(install: () => string): void {
  describe('the package of the local network', () => {
    let folder: string
    let installed: string
    beforeAll(() => {
      installed = install()
      folder = join(installed, '../../..')
    })

    describe('@windlass/local-network, installed from its tarball', () => {
      it(
        'has types and hooks by which a test of node:test compiles strictly and passes',
        async () => {
          copyFileSync(join(CHECKOUT, 'e2e/stories/network.ts.txt'), join(folder, 'network.ts'))
          const options = ['--strict', '--skipLibCheck', '--target', 'es2024', '--module', 'nodenext']
          expect(
            await output(process.execPath, [COMPILER, ...options, '--types', 'node', 'network.ts'], folder),
          ).toBe('')
          expect(await output(process.execPath, ['--test', 'network.js'], folder)).toMatch(/ pass 2\n/)
        },
        COMPILES_WITHIN_MS,
      )

      it('contains what it needs and no test', async () => {
        const { stdout } = await run('find', ['.', '-type', 'f'], { cwd: installed })
        const files = stdout.split('\n')
        expect(files).toEqual(
          expect.arrayContaining(['./README.md', './action.yml', './docs/instead-of-quickstart.md']),
        )
        expect(files.filter(name => /[.]test[.]|(?<![.]d)[.]ts$/.test(name))).toEqual([])
      })
    })

    describe('the command of the package', () => {
      let network: ChildProcess
      let horizon: string
      beforeAll(async () => {
        const args = [join(installed, MAIN), '--port', '0', '--home', ':memory:', '--close-every', 'at-once']
        network = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
        horizon = await new Promise<string>((resolve, reject) => {
          network.once('exit', code => reject(new Error(`the network ended with ${code}`)))
          network.stdout?.once('data', (text: Buffer) => resolve(/http:\S+/.exec(text.toString())?.[0] ?? ''))
        })
      })
      afterAll(() => void network.kill())

      it.each([
        {
          sdk: 'stellar-sdk for Python',
          isHere: hasPythonSdk,
          tell: (place: string) => {
            copyFileSync(join(CHECKOUT, 'e2e/stories/network.py'), join(place, 'network.py'))
            return output('python3', ['network.py', horizon], place)
          },
        },
        {
          sdk: `${GO_SDK} for Go`,
          isHere: hasGoSdk,
          tell: async (place: string) => {
            copyFileSync(join(CHECKOUT, 'e2e/stories/network.go'), join(place, 'main.go'))
            for (const args of [
              ['mod', 'init', 'network'],
              ['get', GO_SDK],
              ['mod', 'tidy'],
            ])
              await output('go', args, place)
            return output('go', ['run', '.', horizon], place)
          },
        },
      ])(
        'serves $sdk, where that is installed',
        async ({ sdk, isHere, tell }) => {
          if (!isHere())
            return console.warn(`SKIPPED: the local network with ${sdk}: it is not installed here`)
          expect(await tell(mkdtempSync(join(folder, 'story-')))).toBe('understood\n')
        },
        COMPILES_WITHIN_MS,
      )
    })

    // It builds an image: `npm run test:faults` has it.
    describe.runIf(process.env.MODE === 'faults')('the container image', () => {
      const base = 'node:24-bookworm-slim'
      const docker = async (...args: string[]) => (await run('docker', args)).stdout.trim()
      const image = 'windlass-local-network-test'
      afterAll(() => docker('image', 'rm', '--force', image).catch(() => undefined))

      it(
        `runs the network as a user without rights, where an engine has ${base}`,
        async () => {
          const found = await docker('image', 'inspect', '--format', '{{.Id}}', base).catch(() => '')
          if (!found) return console.warn(`SKIPPED: the local network in a container: no engine has ${base}`)
          const context = mkdtempSync(join(folder, 'context-'))
          copyFileSync(join(PACKAGE, 'Dockerfile'), join(context, 'Dockerfile'))
          cpSync(installed, join(context, 'dist'), { recursive: true })
          await docker('build', '--quiet', '--tag', image, context)
          const options = [
            '--detach',
            '--rm',
            '--read-only',
            '--tmpfs',
            '/data:uid=1000',
            '--cap-drop',
            'ALL',
          ]
          const id = await docker(
            'run',
            ...options,
            '--publish',
            '127.0.0.1::8000',
            image,
            '--close-every',
            'at-once',
          )
          try {
            const port = (await docker('port', id, '8000')).split(':').pop()
            await expect
              .poll(() => docker('inspect', '--format', '{{.State.Health.Status}}', id))
              .toBe('healthy')
            const root = (await (await fetch(`http://127.0.0.1:${port}/`)).json()) as Record<string, unknown>
            expect(root['network_passphrase']).toBe('Test SDF Network ; September 2015')
            expect(await docker('exec', id, 'id', '-un')).toBe('node')
          } finally {
            await docker('kill', id)
          }
        },
        COMPILES_WITHIN_MS,
      )
    })

    describe('the GitHub Action', () => {
      it(
        'starts the network for the steps that follow, and prints its log where it does not start',
        { timeout: COMPILES_WITHIN_MS },
        async () => {
          const script =
            /run: \|\n([\s\S]*)$/.exec(readFileSync(join(PACKAGE, 'action.yml'), 'utf8'))?.[1] ?? ''
          const place = mkdtempSync(join(folder, 'action-'))
          // npx would fetch the package; what it runs is the same.
          const npx = `#!/bin/sh\necho $$ > '${place}/pid'\nexec '${process.execPath}' '${installed}/${MAIN}'\n`
          writeFileSync(join(place, 'npx'), npx, { mode: 0o755 })
          const step = (port: string, faults: string) =>
            run('bash', ['-e', '-c', script], {
              env: {
                PATH: `${place}:${process.env['PATH']}`,
                RUNNER_TEMP: place,
                PACKAGE: '@windlass/local-network',
                LOCAL_NETWORK_PORT: port,
                LOCAL_NETWORK_CLOSE_EVERY: 'at-once',
                LOCAL_NETWORK_FAULTS: faults,
                LOCAL_NETWORK_HOME: ':memory:',
              },
            })
          const port = String(await freePort())
          await step(port, '{"baseFee":200}')
          const { last_ledger_base_fee: fee } = (await (
            await fetch(`http://localhost:${port}/fee_stats`)
          ).json()) as Record<string, unknown>
          expect(fee).toBe('200')
          process.kill(Number(readFileSync(join(place, 'pid'), 'utf8')))
          await expect(step('0', 'nonsense')).rejects.toMatchObject({
            stdout: expect.stringContaining('nonsense'),
          })
        },
      )
    })
  })
}
