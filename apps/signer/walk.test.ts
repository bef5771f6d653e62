import { createLogger } from '@windlass/service/logger.ts'
import { endpointsOf, sendTo, walkEndpoints, walkOtherRoutes } from '@windlass/testing/walk.ts'
import { expect, it, onTestFinished } from 'vitest'
import { buildApp } from './app.ts'
import { loadConfig } from './config.ts'
import { closeDeps, createDeps } from './deps.ts'
import { startSigner } from './testing/running-signer.ts'

it('gives nothing to a wrong credential or another anchor, and answers everything as its document says', async () => {
  const signer = await startSigner()
  const config = loadConfig(signer.settings)
  const deps = createDeps(config, createLogger('signer', 'silent'))
  const server = await buildApp(deps)
  onTestFinished(async () => {
    await server.close()
    await closeDeps(deps)
    await signer.stop()
  })
  const mine = await signer.addAnchor('mine')
  const endpoints = await endpointsOf(server.app)
  expect(endpoints.length).toBeGreaterThan(5)
  const faults = await walkEndpoints({
    endpoints,
    credentials: {
      service: async () => ({ 'x-service-secret': config.secret }),
      'anchor-server': async () => ({ authorization: `Bearer ${mine.credentials.business}` }),
      internal: async () => ({ 'x-service-secret': 'the-service-secret-of-some-anchor-0123' }),
      developer: async () => ({ authorization: 'Bearer wk_of_some_anchor' }),
      operator: async () => ({ cookie: 'ns_session=a.b.c' }),
    },
    foreignIds: {},
    documents: ['internal'],
    send: sendTo(server.app),
  })
  faults.push(...(await walkOtherRoutes(server)))
  expect(faults).toEqual([])
}, 120_000)
