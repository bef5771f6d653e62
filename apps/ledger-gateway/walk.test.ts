import { startLocalNetwork } from '@windlass/local-network/local-network.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { walkOtherRoutes } from '@windlass/testing/walk.ts'
import { expect, it, onTestFinished } from 'vitest'
import { buildApp } from './app.ts'
import { createDeps } from './deps.ts'

it('answers garbage without a fault', async () => {
  const network = await startLocalNetwork({ closeEvery: 'at-once' })
  const config = { port: 0, bindHost: '127.0.0.1', horizon: network }
  const deps = createDeps(config, createLogger('test', 'silent'))
  const server = await buildApp(deps)
  onTestFinished(async () => {
    await server.close()
    await deps.ledger.stop()
    await network.stop()
  })
  expect(await walkOtherRoutes(server)).toEqual([])
})
