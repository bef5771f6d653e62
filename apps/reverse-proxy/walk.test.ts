import { createLogger } from '@windlass/service/logger.ts'
import { endpointsOf, sendTo, walkEndpoints } from '@windlass/testing/walk.ts'
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
  const { app, close } = await buildApp(deps, 80)
  const faults = await walkEndpoints({
    endpoints: await endpointsOf(app),
    credentials: { service: async () => ({ 'x-service-secret': config.serviceSecret }) },
    foreignIds: {},
    documents: ['internal'],
    send: sendTo(app),
  })
  await close()
  closeDeps(deps)
  await rm(folder, { recursive: true })
  expect(faults).toEqual([])
}, 120_000)
