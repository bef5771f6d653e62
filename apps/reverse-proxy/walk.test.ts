import { createLogger } from '@windlass/service/observe/logger.ts'
import { endpointsOf, sendTo, walkEndpoints, walkOtherRoutes } from '@windlass/testing/walk.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { buildApp } from './app.ts'
import { loadConfig } from './config.ts'
import { closeDeps, createDeps } from './deps.ts'

it('gives nothing to a wrong credential, and answers everything as its document says', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proxy-walk-'))
  const secrets = { SERVICE_SECRET: 's'.repeat(40), PROXY_SECRET: 'p'.repeat(40) }
  const config = loadConfig({ WINDLASS_HOME: folder, ...secrets })
  const deps = await createDeps(config, createLogger('reverse-proxy', 'silent'))
  const server = await buildApp(deps, 80)
  const { app, close } = server
  const faults = await walkEndpoints({
    endpoints: await endpointsOf(app),
    credentials: {
      service: async () => ({ 'x-service-secret': config.serviceSecret }),
      internal: async () => ({ 'x-service-secret': 'the-service-secret-of-some-anchor-0123' }),
      developer: async () => ({ authorization: 'Bearer wk_of_some_anchor' }),
      operator: async () => ({ cookie: 'ns_session=a.b.c' }),
    },
    foreignIds: {},
    documents: ['internal'],
    send: sendTo(app),
  })
  faults.push(...(await walkOtherRoutes(server, { headers: { host: 'localhost:8090' } })))
  await close()
  closeDeps(deps)
  await rm(folder, { recursive: true })
  expect(faults).toEqual([])
})
