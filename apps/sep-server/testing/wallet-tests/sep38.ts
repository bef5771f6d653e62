import { Keypair } from '@stellar/stellar-sdk/base'
import { describe, expect, it } from 'vitest'
import { logIn } from '../wallet.ts'
import { ask, asset, rupees, running } from './anchor-under-test.ts'

describe('SEP-38', () => {
  it('names assets with delivery methods, prices both ways, and leaves the fee in the sold asset', async () => {
    const info = (await ask('/sep38/info', { token: null })).body
    expect(info.assets[1]).toMatchObject({
      asset: rupees,
      country_codes: ['IN'],
      sell_delivery_methods: [{ name: 'upi' }, { name: 'imps' }],
    })
    const query = (values: Record<string, string>) => new URLSearchParams(values)
    const prices = await ask(`/sep38/prices?${query({ sell_asset: rupees, sell_amount: '8938.5' })}`, {
      token: null,
    })
    expect(prices.body).toEqual({ buy_assets: [{ asset: asset(), price: '88.5', decimals: 7 }] })
    const sold = await ask(
      `/sep38/price?${query({ context: 'sep6', sell_asset: asset(), buy_asset: rupees, sell_amount: '200' })}`,
      { token: null },
    )
    expect(sold.body).toEqual({
      price: '0.011299435',
      total_price: expect.any(String),
      sell_amount: '200',
      buy_amount: '17567.25',
      fee: { total: '1.5', asset: asset() },
    })
  })

  it('answers a firm quote with 201, again with the same, and to nobody else', async () => {
    const json = { context: 'sep24', sell_asset: rupees, buy_asset: asset(), sell_amount: '8938.5' }
    const made = await ask('/sep38/quote', { method: 'POST', json })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ buy_amount: '100', fee: { total: '88.5', asset: rupees } })
    expect(Date.parse(made.body.expires_at)).toBeGreaterThan(Date.now())
    expect((await ask(`/sep38/quote/${made.body.id}`)).body).toEqual(made.body)
    const stranger = await logIn(running, Keypair.random())
    expect((await ask(`/sep38/quote/${made.body.id}`, { token: stranger })).status).toBe(404)
  })

  it('accepts the delivery methods that /info names', async () => {
    const ways = { sell_delivery_method: 'imps', country_code: 'IN' }
    const json = { context: 'sep24', sell_asset: rupees, buy_asset: asset(), sell_amount: '8938.5', ...ways }
    const made = await ask('/sep38/quote', { method: 'POST', json })
    expect(made.body).toMatchObject({ sell_delivery_method: 'imps' })
    const prices = (way: string) => {
      const query = { sell_asset: asset(), sell_amount: '100', buy_delivery_method: way }
      return ask(`/sep38/prices?${new URLSearchParams(query)}`)
    }
    expect((await prices('upi')).body.buy_assets).toHaveLength(1)
    for (const country_code of ['IN-MH', 'IND', 'in']) {
      const known = await ask('/sep38/quote', { method: 'POST', json: { ...json, country_code } })
      expect(known.status).toBe(201)
    }
    expect((await prices('pigeon')).body).toEqual({ error: expect.stringMatching(/upi, imps/) })
  })

  it.each([
    ['no amount', {}],
    ['both amounts', { sell_amount: '1', buy_amount: '1' }],
    ['an unknown asset', { sell_asset: 'stellar:BTC:GX', sell_amount: '1' }],
    ['an unknown context', { context: 'sep99', sell_amount: '1000' }],
    ['an amount below the fee', { sell_amount: '0.01' }],
    ['too much', { buy_amount: '10001' }],
    ['text for an amount', { sell_amount: 'ten' }],
    ['a way of delivery that is none', { sell_amount: '1000', sell_delivery_method: 'pigeon' }],
    ['a way of delivery for what moves on the ledger', { sell_amount: '1000', buy_delivery_method: 'upi' }],
    ['a country that no rail reaches', { sell_amount: '1000', country_code: 'BR' }],
    ['a country that no rail reaches, in three letters', { sell_amount: '1000', country_code: 'BRA' }],
    ['an expiry that is no time', { sell_amount: '1000', expire_after: 'soon' }],
  ])('refuses a quote with %s', async (_what, change) => {
    const json = { context: 'sep6', sell_asset: rupees, buy_asset: asset(), ...change }
    const answer = await ask('/sep38/quote', { method: 'POST', json })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ error: expect.any(String) })
  })
})
