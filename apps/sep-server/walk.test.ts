import { Keypair } from '@stellar/stellar-sdk/base'
import { endpointsOf, sendTo, walkEndpoints, walkOtherRoutes } from '@windlass/testing/walk.ts'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { BusinessServer } from './clients/business-server.ts'
import { startSepApp } from './testing/sep-app.ts'

const fee = { total: '1', asset: 'iso4217:INR' }
const business: BusinessServer = {
  getCustomer: async () => ({ status: 'NEEDS_INFO', fields: {} }),
  putFile: async () => ({ mediaType: 'image/png', size: 1 }),
  deleteFile: async () => undefined,
  putCustomer: async () => ({ id: 'c1' }),
  deleteCustomer: async () => ({ id: 'x', kept: [], until: null }),
  terms: () => Promise.reject(new Error('no settings')),
  rate: async () => ({
    id: 'q1',
    price: '88.5',
    total_price: '89',
    sell_amount: '890',
    buy_amount: '10',
    fee,
  }),
  startDirectPayment: async () => null,
  payDeposit: async () => ({ rail: 'UPI', reference: 'W1', amount: '890', currency: 'INR' }),
  event: async () => undefined,
}

it('gives nothing to a wrong credential, and answers everything as its document says', async () => {
  const sep = await startSepApp(
    { business, readAccount: async () => null },
    { stellarToml: fileURLToPath(import.meta.url) },
  )
  const { linkSecret } = sep.deps.config
  const { rows } = await sep.deps.database.pool.query<{ id: string }>(
    `insert into transactions (sep, kind, status, account)
     values ('6', 'withdrawal', 'pending_transaction_info_update', $1) returning id`,
    [Keypair.random().publicKey()],
  )
  const endpoints = await endpointsOf(sep.server.app)
  expect(endpoints.length).toBeGreaterThan(20)
  const faults = await walkEndpoints({
    endpoints,
    credentials: {
      // A wallet of its own each time: a customer may only have so many open transactions.
      wallet: async () => {
        const account = Keypair.random().publicKey()
        const session = { account, memo: null, clientDomain: null, homeDomain: 'x', tokenId: account }
        return { authorization: `Bearer ${await sep.deps.tokens.issue(session, new Date())}` }
      },
      developer: async () => ({ authorization: 'Bearer wk_of_this_anchor' }),
      service: async () => ({ 'x-service-secret': linkSecret }),
      operator: async () => ({ cookie: 'ns_session=a.b.c' }),
    },
    foreignIds: { id: [rows[0]?.id ?? ''], account: [Keypair.random().publicKey()] },
    documents: ['wallet'],
    send: sendTo(sep.server.app),
  })
  faults.push(
    ...(await walkOtherRoutes(sep.server, {
      guarded: {
        routes: ['POST /', 'GET /transactions', 'GET /transactions/:id'],
        credential: { 'x-api-key': linkSecret },
      },
    })),
  )
  await sep.close()
  expect(faults).toEqual([])
})
