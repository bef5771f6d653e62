import { globSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const contracts = join(import.meta.dirname, '..', '..', 'contracts')

/** Every contract in one module, as a console's build sees it. */
describe('contracts in the browser', () => {
  let folder: string
  let names: string[]
  let moduleIds: string[]
  let shipped: Record<string, object>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'windlass-contracts-'))
    names = globSync('{,*/}*.ts', { cwd: contracts }).filter(name => !name.endsWith('.test.ts'))
    const entry = join(folder, 'entry.ts')
    const lines = names.map((name, at) => `export * as c${at} from '${join(contracts, name)}'`)
    await writeFile(entry, lines.join('\n'))
    const output = await build({
      root: folder,
      logLevel: 'silent',
      configFile: false,
      resolve: {
        alias: [{ find: /^typebox$/, replacement: join(import.meta.dirname, 'plain-schemas.ts') }],
      },
      build: { outDir: 'out', minify: false, lib: { entry, formats: ['es'], fileName: 'contracts' } },
    })
    const [bundle] = Array.isArray(output) ? output : [output]
    if (!bundle || !('output' in bundle)) throw new Error('nothing was built')
    moduleIds = bundle.output[0].moduleIds
    shipped = (await import(
      pathToFileURL(join(folder, 'out', bundle.output[0].fileName)).href
    )) as typeof shipped
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('hold nothing of TypeBox', () => {
    expect(moduleIds.length).toBeGreaterThanOrEqual(names.length)
    // A page loads what account numbers are checked with only where it asks for one.
    const libraries = moduleIds.filter(id => id.includes('node_modules') && !id.includes('/ibantools/'))
    expect(libraries).toEqual([])
  })

  test('are the same values as on the server', async () => {
    expect(names.length).toBeGreaterThan(10)
    for (const [at, name] of names.entries()) {
      const served = (await import(pathToFileURL(join(contracts, name)).href)) as object
      expect(JSON.parse(JSON.stringify(shipped[`c${at}`])), name).toEqual(JSON.parse(JSON.stringify(served)))
    }
  })
})
