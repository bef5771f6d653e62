import { endpointsOf, sendTo, walkEndpoints, walkOtherRoutes } from '@windlass/testing/walk.ts'
import { expect, it } from 'vitest'
import { SERVICE_SECRET, testAggregator } from './testing/aggregator.ts'

it('gives nothing to a wrong credential, and answers everything as its documents say', async () => {
  const aggregator = await testAggregator()
  const { app } = aggregator.server
  const id = await aggregator.register()
  await aggregator.post('/route', { amount: '5', asset: 'USDC', rail: 'UPI' })
  const endpoints = await endpointsOf(app)
  expect(endpoints.length).toBeGreaterThan(15)
  const faults = await walkEndpoints({
    endpoints,
    credentials: {
      service: async () => ({ 'x-service-secret': SERVICE_SECRET }),
      'wallet-developer': async () => {
        const { body } = await aggregator.post('/wallet-keys', { name: 'Walk' })
        return { authorization: `Bearer ${body.key}` }
      },
      internal: async () => ({ 'x-service-secret': 'the-service-secret-of-some-anchor-0123' }),
      developer: async () => ({ authorization: 'Bearer wk_of_some_anchor' }),
      operator: async () => ({ cookie: 'ns_session=a.b.c' }),
    },
    foreignIds: {},
    ownIds: { id },
    documents: ['aggregator', 'internal'],
    send: sendTo(app),
  })
  faults.push(...(await walkOtherRoutes(aggregator.server)))
  await aggregator.drop()
  expect(faults).toEqual([])
})
