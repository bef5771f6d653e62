import { migrate, sharedMigrations } from '@windlass/service/postgres/database.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { endpointsOf, sendTo, walkEndpoints, walkOtherRoutes } from '@windlass/testing/walk.ts'
import { expect, it } from 'vitest'
import { buildApp } from './app.ts'
import { loadConfig } from './config.ts'
import { closeDeps, createDeps } from './deps.ts'
import { migrations } from './tables.ts'

it('gives nothing to a wrong credential, and answers everything as its document says', async () => {
  const database = await testDatabase(sharedMigrations, migrations)
  const config = loadConfig({
    DEPLOYMENT: 'local',
    CONTROL_PLANE_DATABASE_URL: database.url,
    ANCHORS_DATABASE_URL: database.url,
    MASTER_KEY: `v1:${Buffer.alloc(32).toString('base64')}`,
    SERVICE_SECRET: 's'.repeat(40),
    SIGNER_SECRET: 'g'.repeat(40),
  })
  const deps = createDeps(config, createLogger('control-plane', 'silent'))
  await migrate(deps.database.pool, [sharedMigrations, migrations])
  await deps.clock.compare()
  const server = await buildApp(deps)
  const { app, close } = server
  const endpoints = await endpointsOf(app)
  expect(endpoints.length).toBeGreaterThan(10)
  const faults = await walkEndpoints({
    endpoints,
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
  faults.push(...(await walkOtherRoutes(server)))
  await close()
  await closeDeps(deps)
  await database.drop()
  expect(faults).toEqual([])
})
