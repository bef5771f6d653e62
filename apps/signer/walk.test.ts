import { createLogger } from '@windlass/service/observe/logger.ts'
import { migrate } from '@windlass/service/postgres/database.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { endpointsOf, sendTo, walkEndpoints, walkOtherRoutes } from '@windlass/testing/walk.ts'
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { insertAnchor, setTerms } from './anchors/anchors.ts'
import { buildApp } from './app.ts'
import { loadConfig } from './config.ts'
import { closeDeps, createDeps } from './deps.ts'
import { ensureKeys } from './keys/keys.ts'
import { migrations } from './tables.ts'
import { termsOf } from './testing/running-signer.ts'

it('gives nothing to a wrong credential, and answers everything as its document says', async () => {
  const database = await testDatabase(migrations)
  const config = loadConfig({
    SIGNER_DATABASE_URL: database.url,
    SIGNER_SECRET: 's'.repeat(40),
    SIGNER_KEY: `v1:${Buffer.alloc(32).toString('base64')}`,
  })
  const deps = createDeps(config, createLogger('signer', 'silent'))
  await migrate(deps.database.pool, [migrations])
  const credentials = { sep: 'e'.repeat(40), business: 'b'.repeat(40) }
  await insertAnchor(deps.database.db, 'mumbai')
  await ensureKeys(deps, 'mumbai')
  await setTerms(deps.database.db, 'mumbai', termsOf('mumbai', credentials))
  const server = await buildApp(deps)
  const endpoints = await endpointsOf(server.app)
  expect(endpoints.length).toBeGreaterThan(8)
  const faults = await walkEndpoints({
    endpoints,
    credentials: {
      service: async () => ({ 'x-service-secret': config.secret }),
      'anchor-server': async () => ({ authorization: `Bearer ${credentials.business}` }),
      developer: async () => ({ authorization: 'Bearer wk_of_some_anchor' }),
      internal: async () => ({ 'x-service-secret': createHash('sha256').update('x').digest('hex') }),
    },
    foreignIds: {},
    documents: ['internal'],
    send: sendTo(server.app),
  })
  faults.push(...(await walkOtherRoutes(server)))
  await server.close()
  await closeDeps(deps)
  await database.drop()
  expect(faults).toEqual([])
})
