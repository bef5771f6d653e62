import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const CHECKOUT = fileURLToPath(new URL('../', import.meta.url))
const COMPILES_WITHIN_MS = 300_000

let folder: string
let place: string
const read = (file: string) => readFileSync(join(place, file), 'utf8')
const samples = () =>
  [...read('README.md').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'local-network-package-'))
  place = join(folder, 'node_modules/@windlass/local-network')
  const built = join(folder, 'built')
  await run(process.execPath, [join(CHECKOUT, 'packages/local-network/build-package.ts'), built])
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: built })
  mkdirSync(place, { recursive: true })
  const [tarball = ''] = (await run('ls', [folder])).stdout.split('\n').filter(name => name.endsWith('.tgz'))
  await run('tar', ['xzf', join(folder, tarball), '--strip-components=1', '-C', place])
  // What npm would install beside it.
  for (const name of [
    '@stellar',
    '@types',
    '@fastify',
    '@vitest',
    'fastify',
    'negotiator',
    'typebox',
    'vitest',
  ])
    symlinkSync(join(CHECKOUT, 'node_modules', name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
}, COMPILES_WITHIN_MS)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('@windlass/local-network, installed from its tarball', () => {
  it('runs the programs of its README', async () => {
    const [start = '', , faults = ''] = samples()
    const [imported = ''] = start.split('\n')
    for (const program of [start, `${imported}\n${faults}\nawait network.stop()`]) {
      writeFileSync(join(folder, 'sample.mjs'), `${program}\nconsole.log('ended')`)
      const { stdout } = await run(process.execPath, ['sample.mjs'], { cwd: folder })
      expect(stdout).toBe('ended\n')
    }
  })

  it(
    'has types by which they compile strictly',
    async () => {
      const [start = '', hooks = ''] = samples()
      writeFileSync(join(folder, 'start.ts'), start)
      writeFileSync(join(folder, 'hooks.ts'), hooks.replace('import { afterAll', 'import { it, afterAll'))
      const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2024', '--module', 'nodenext']
      const compiler = join(CHECKOUT, 'node_modules/typescript/bin/tsc')
      const args = [compiler, ...options, '--types', 'node', 'start.ts', 'hooks.ts']
      const { stdout } = await run(process.execPath, args, { cwd: folder }).catch(error => error)
      expect(stdout).toBe('')
    },
    COMPILES_WITHIN_MS,
  )

  it('links to nothing that is not in it', () => {
    for (const page of ['README.md', 'docs/instead-of-quickstart.md']) {
      const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => path)
      expect(links.filter(path => !existsSync(join(place, dirname(page), path)))).toEqual([])
    }
  })
})
