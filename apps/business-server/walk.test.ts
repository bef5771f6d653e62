import type { ApiKeyScope } from '@windlass/contracts/realm.ts'
import { endpointsOf, sendTo, walkEndpoints, walkOtherRoutes } from '@windlass/testing/walk.ts'
import { expect, it } from 'vitest'
import { asPlatform } from './testing/as-platform.ts'
import { startBusinessApp } from './testing/business-app.ts'

it('gives nothing to a wrong credential, and answers everything as its documents say', async () => {
  const verify = async (key: string) => {
    const scopes = key.split('.').slice(1) as ApiKeyScope[]
    return key.startsWith('key.') ? { anchorId: 'mumbai00000000000000', keyId: 'k', scopes } : null
  }
  const keyWith = (scopes: readonly ApiKeyScope[]) => ({
    authorization: `Bearer ${['key', ...scopes].join('.')}`,
  })
  const business = await startBusinessApp({ keys: { verify } })
  const endpoints = await endpointsOf(business.server.app)
  expect(endpoints.length).toBeGreaterThan(14)
  const faults = await walkEndpoints({
    endpoints,
    keyWith,
    credentials: {
      developer: async () => keyWith(['read', 'write', 'webhooks', 'agreements']),
      'anchor-admin': async () => ({
        ...asPlatform(business.deps.config.secrets),
        'x-forwarded-host': 'x',
      }),
      internal: async () => ({ 'x-service-secret': 's'.repeat(32) }),
      wallet: async () => ({ authorization: 'Bearer wk_of_another_workspace' }),
      operator: async () => ({ cookie: 'ns_session=a.b.c' }),
    },
    foreignIds: {},
    documents: ['developer', 'internal'],
    send: sendTo(business.server.app),
  })
  faults.push(
    ...(await walkOtherRoutes(business.server, {
      guarded: {
        routes: [
          'GET /customer',
          'PUT /customer',
          'DELETE /customer/:id',
          'GET /rate',
          'GET /terms',
          'POST /event',
          'POST /direct-payments',
          'POST /sandbox/deposits/:id/payment',
        ],
        credential: { 'x-api-key': 'l'.repeat(32) },
      },
    })),
  )
  await business.close()
  expect(faults).toEqual([])
})
