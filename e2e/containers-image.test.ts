import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const BASE = 'node:24-bookworm-slim'
const NAMES = ['windlass-built:once', 'windlass-built:again'] as const
const CHECKOUT = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)
const docker = async (...args: string[]): Promise<string> =>
  (await run('docker', args, { maxBuffer: 2 ** 26 })).stdout.trim()

// It takes too long for every run: `npm run test:faults` has it.
const wanted = process.env.MODE === 'faults'
const hasBase = wanted && (await docker('image', 'inspect', BASE).catch(() => '')) !== ''
if (wanted && !hasBase) console.warn(`SKIPPED: builds of the image, because no engine has ${BASE}`)

describe.runIf(hasBase)('the image', { timeout: 3_600_000 }, () => {
  afterAll(() => docker('rmi', ...NAMES).catch(() => undefined))

  let commit: string
  beforeAll(async () => {
    commit = mkdtempSync(join(tmpdir(), 'windlass-commit-'))
    // Files of the checkout may change meanwhile.
    await run('git', ['archive', '--output', join(commit, 'files.tar'), 'HEAD'], { cwd: CHECKOUT })
    await run('tar', ['-xf', 'files.tar'], { cwd: commit })
    rmSync(join(commit, 'files.tar'))
  })
  afterAll(() => rmSync(commit, { recursive: true }))

  it('has the same layers, byte for byte, in two builds of one commit', async () => {
    const registry = process.env.npm_config_registry
    const flags = registry ? ['--build-arg', `NPM_CONFIG_REGISTRY=${registry}`] : []
    for (const name of NAMES)
      await docker(
        'build',
        '--no-cache',
        '--target',
        'image',
        ...flags,
        '-f',
        join(commit, 'deploy/Dockerfile'),
        '-t',
        name,
        commit,
      )
    // Each is the digest of a layer’s archive: names, owners, modes, times and contents.
    const layersOf = (name: string) => docker('image', 'inspect', '--format', '{{json .RootFS.Layers}}', name)
    const [base, once, again] = [
      await layersOf(BASE),
      await layersOf(NAMES[0]),
      await layersOf(NAMES[1]),
    ] as const
    expect(JSON.parse(once).length).toBeGreaterThan(JSON.parse(base).length)
    expect(again).toBe(once)
  })
})
