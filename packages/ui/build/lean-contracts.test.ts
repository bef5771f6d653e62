import { join } from 'node:path'
import { build, type Plugin } from 'vite'
import { expect, test } from 'vitest'
import { leanContracts } from './lean-contracts.ts'

const contracts = join(import.meta.dirname, '..', '..', 'contracts')

/** What a browser loads of the contracts for a module. */
async function shipped(module: string): Promise<string> {
  const entry: Plugin = {
    name: 'entry',
    resolveId: id => (id === 'entry' ? id : null),
    load: id => (id === 'entry' ? module : null),
  }
  const output = await build({
    logLevel: 'silent',
    configFile: false,
    plugins: [entry, leanContracts()],
    resolve: { alias: [{ find: /^typebox$/, replacement: join(import.meta.dirname, 'plain-schemas.ts') }] },
    build: { write: false, minify: false, rolldownOptions: { input: 'entry' } },
  })
  const [bundle] = Array.isArray(output) ? output : [output]
  if (!bundle || !('output' in bundle)) throw new Error('nothing was built')
  return bundle.output[0].code
}

test('a page loads only the endpoints that it uses, without the texts of the API documents', async () => {
  const code = await shipped(
    `import { submitApplication } from '${join(contracts, 'platform/applications.ts')}'; console.log(submitApplication)`,
  )
  expect(code).toContain('POST /api/v1/applications')
  expect(code).toContain('businessEmail')
  expect(code).not.toContain('/api/v1/admin/')
  expect(code).not.toContain('/api/v1/anchor-invitations')
  expect(code).not.toContain('summary:')
})
