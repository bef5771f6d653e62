import { go, python, tellInTypeScript } from '@windlass/testing/generated-clients.ts'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { json, startAnchorServer, type AnchorServer } from './testing/anchor-server.ts'
import { testAggregator, type TestAggregator } from './testing/aggregator.ts'

const COMPILES_WITHIN_MS = 120_000

let aggregator: TestAggregator
let server: AnchorServer
let url: string
beforeAll(async () => {
  aggregator = await testAggregator({ env: { FX_RATE_INR_USDC: '88.50' } })
  server = await startAnchorServer()
  server.on('/health', json({ status: 'ok' }))
  await aggregator.register({ apiUrl: server.url })
  await aggregator.register({ apiUrl: server.url, fees: { fixed: '1', percentage: '0.01' } })
  url = `http://127.0.0.1:${await aggregator.server.listen(0, '127.0.0.1')}`
})
afterAll(async () => {
  await aggregator.drop()
  await server.close()
})

const storyIn = (file: string) => ({
  document: 'aggregator',
  program: fileURLToPath(new URL(`./testing/stories/${file}`, import.meta.url)),
  args: [url],
  everyDocument: true as const,
})

it(
  'is used from its list to a decision by a client that is generated in TypeScript',
  async () => expect(await tellInTypeScript(storyIn('aggregator.ts.txt'))).toBe('done\n'),
  COMPILES_WITHIN_MS,
)

it.each([
  ['Python', 'openapi-python-client', python(), 'story.py'],
  ['Go', 'oapi-codegen', go(), 'story.go'],
])(
  'is used by a client that is generated in %s, where %s is installed',
  async (language, tool, tell, file) => {
    if (!tell)
      return console.warn(`SKIPPED: a generated client in ${language}: ${tool} is not installed here`)
    expect(await tell(storyIn(file))).toBe('done\n')
  },
  COMPILES_WITHIN_MS,
)
