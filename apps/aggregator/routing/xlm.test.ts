import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testAggregator, type TestAggregator } from '../testing/aggregator.ts'
import { json, startAnchorServer, type AnchorServer } from '../testing/anchor-server.ts'

let aggregator: TestAggregator
let server: AnchorServer
/** Serves a look-alike: an asset that someone issues as XLM. */
const ISSUER = `G${'B'.repeat(55)}`

beforeAll(async () => {
  aggregator = await testAggregator({ env: { FX_RATE_XLM_USDC: '8' } })
  server = await startAnchorServer()
  server.on('/admin/summary', json({ status: 'ok', treasury_capacity: '1000' }))
  const own = { code: 'XLM', issuer: 'native', anchoredTo: 'XLM' }
  const alike = { code: 'XLM', issuer: ISSUER, anchoredTo: 'USD' }
  await aggregator.register({ id: 'lumen', slug: 'lumen', apiUrl: server.url, assets: [own] })
  await aggregator.register({ id: 'alike', slug: 'alike', apiUrl: server.url, assets: [alike] })
})
afterAll(async () => {
  await aggregator.drop()
  await server.close()
})

describe('XLM', () => {
  it.each(['native', 'stellar:native', 'XLM:native', { code: 'XLM', issuer: 'native' }])(
    'is routed to who serves it, named %j',
    async asset => {
      const { status, body } = await aggregator.post('/route', { asset, amount: '100', rail: 'UPI' })
      expect([status, body.eligible, body.anchorId, body.issuer]).toEqual([200, 1, 'lumen', 'native'])
    },
  )

  it('is quoted through its own rate', async () => {
    const { body } = await aggregator.post('/quotes', {
      ...{ anchorId: 'lumen', asset: 'native', amount: '80', rail: 'UPI', currency: 'INR' },
    })
    // 88.50 rupees for 8 XLM.
    expect(body).toMatchObject({ fxRate: '11.0625', issuer: 'native' })
  })
})
