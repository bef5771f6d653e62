import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testAggregator, type TestAggregator } from '../testing/aggregator.ts'
import { json, startAnchorServer, type AnchorServer } from '../testing/anchor-server.ts'

const [ONE, OTHER] = [`G${'B'.repeat(55)}`, `G${'C'.repeat(55)}`]
const usdc = (issuer: string) => ({ code: 'USDC', issuer, anchoredTo: 'USD' })

let aggregator: TestAggregator
/** Holds MUMBAI and USDC that ONE issues. */
let several: AnchorServer
let single: AnchorServer
let pays = '50'

beforeAll(async () => {
  aggregator = await testAggregator()
  several = await startAnchorServer()
  single = await startAnchorServer()
  const assets = [{ code: 'MUMBAI', issuer: OTHER, anchoredTo: 'USD' }, usdc(ONE)]
  several.on('/admin/summary', (request, response) =>
    json({
      status: 'ok',
      treasury_capacity: '1000',
      assets: [
        { ...assets[0], capacity: '1000' },
        { ...assets[1], capacity: pays },
      ],
    })(request, response),
  )
  single.on('/admin/summary', json({ status: 'ok', treasury_capacity: '500' }))
  await aggregator.register({ id: 'several', slug: 'several', apiUrl: several.url, assets })
  await aggregator.register({ id: 'single', slug: 'single', apiUrl: single.url, assets: [usdc(OTHER)] })
})
afterAll(async () => {
  await aggregator.drop()
  await Promise.all([several.close(), single.close()])
})

const route = async (asset: string, amount: string) => {
  const { status, body } = await aggregator.post('/route', { asset, amount, rail: 'UPI' })
  return status === 200 ? [body.eligible, body.anchorId] : body.code
}

describe('the capacity of an anchor of several assets', () => {
  it('is shown for each, as its server reports it', async () => {
    const { body } = await aggregator.get('/anchors/several')
    expect(body.anchor).toMatchObject({
      treasury_capacity: '1000',
      assets: [
        { code: 'MUMBAI', capacity: '1000' },
        { code: 'USDC', issuer: ONE, capacity: '50' },
      ],
    })
    const other = await aggregator.get('/anchors/single')
    expect(other.body.anchor.assets).toEqual([usdc(OTHER)])
  })

  it('is compared in the asset that is asked for, also where two issuers use one code', async () => {
    expect(await route('MUMBAI', '900')).toEqual([1, 'several'])
    expect(await route('USDC', '100')).toEqual([1, 'single'])
    expect((await route('USDC', '40'))[0]).toBe(2)
    expect(await route(`USDC:${ONE}`, '50')).toEqual([1, 'several'])
    expect(await route(`USDC:${ONE}`, '50.1')).toBe('no-eligible-anchor')
    expect(await route(`USDC:${OTHER}`, '500')).toEqual([1, 'single'])
  })

  it('is what the registration says until the anchor reports', async () => {
    const eurc = { code: 'EURC', issuer: ONE, anchoredTo: 'EUR' }
    const silent = { id: 'silent', slug: 'silent', apiUrl: 'http://127.0.0.1:9', treasury_capacity: '1000' }
    const first = { code: 'MUMBAI', issuer: ONE, anchoredTo: 'USD' }
    await aggregator.register({ ...silent, assets: [first, { ...usdc(OTHER), capacity: '0' }, eurc] })
    const shown = async () => (await aggregator.get('/anchors/silent')).body.anchor.assets
    const capacities = [{ capacity: '1000' }, { capacity: '0' }, { capacity: '0' }]
    expect(await shown()).toMatchObject(capacities)
    await aggregator.register({ ...silent, assets: [first, usdc(OTHER), eurc] })
    expect(await shown()).toMatchObject(capacities)
  })

  it('is held by firm quotes in the asset of the quote alone, and bounds them', async () => {
    const quote = (asset: string, amount: string) =>
      aggregator.post('/quotes', {
        ...{ anchorId: 'several', asset, amount, rail: 'UPI', currency: 'INR', firm: true },
      })
    expect((await quote(`USDC:${ONE}`, '12.6')).body.code).toBe('reservation-limit')
    expect((await quote(`USDC:${ONE}`, '12.5')).status).toBe(201)
    expect(await route(`USDC:${ONE}`, '37.5')).toEqual([1, 'several'])
    expect(await route(`USDC:${ONE}`, '37.6')).toBe('no-eligible-anchor')
    expect(await route('MUMBAI', '1000')).toEqual([1, 'several'])
    expect((await quote('MUMBAI', '250')).status).toBe(201)
  })

  it('follows the anchor’s reports, in another process too', async () => {
    pays = '2000'
    await aggregator.register({
      ...{ id: 'several', slug: 'several', apiUrl: several.url },
      assets: [{ code: 'MUMBAI', issuer: OTHER, anchoredTo: 'USD' }, usdc(ONE)],
    })
    expect(await route(`USDC:${ONE}`, '1900')).toEqual([1, 'several'])
    const second = await testAggregator({ databaseUrl: aggregator.databaseUrl })
    const { body } = await second.get('/anchors/several')
    expect(body.anchor.assets).toMatchObject([{ code: 'MUMBAI' }, { code: 'USDC', capacity: '2000' }])
    await second.drop()
  })
})
