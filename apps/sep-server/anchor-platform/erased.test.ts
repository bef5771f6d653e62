import { Keypair } from '@stellar/stellar-sdk/base'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startSepApp, type SepApp } from '../testing/sep-app.ts'

let app: SepApp
beforeAll(async () => {
  app = await startSepApp()
})
afterAll(() => app.close())

it('forgets a customer whom the anchor deleted, and nobody else', async () => {
  const [gone, other] = [Keypair.random().publicKey(), Keypair.random().publicKey()]
  const { pool } = app.deps.database
  for (const account of [gone, other]) {
    await pool.query('insert into customer_callbacks (customer_id, account, url) values ($1, $2, $3)', [
      ...[`c-${account}`, account, 'https://wallet.example/callback'],
    ])
    await pool.query('insert into federation_names (name, account, active) values ($1, $1, true)', [account])
  }
  const send = () =>
    app.server.app.inject({
      method: 'POST',
      url: '/',
      headers: { 'x-api-key': app.deps.config.linkSecret },
      payload: {
        ...{ jsonrpc: '2.0', id: 'once:1', method: 'notify_customer_erased' },
        params: { customer_id: `c-${gone}`, account: gone, memo: null },
      },
    })
  for (let repeat = 0; repeat < 2; repeat += 1)
    expect((await send()).json()).toEqual([{ jsonrpc: '2.0', id: 'once:1', result: {} }])
  const rows = async (text: string) => (await pool.query<{ account: string }>(text)).rows
  expect(await rows('select account from customer_callbacks')).toEqual([{ account: other }])
  expect(await rows('select account from federation_names where active')).toEqual([{ account: other }])
})
