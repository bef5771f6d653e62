import { describe, expect, it } from 'vitest'
import { ask } from './anchor-under-test.ts'

const values = [
  '',
  ' ',
  '-1',
  '1e308',
  'NaN',
  '\u0000',
  '😀'.repeat(50),
  "' or 1=1--",
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '9'.repeat(40),
  'a'.repeat(3000),
  '%',
  '\r\nset-cookie: a=b',
]
const names = [
  ['account', 'memo', 'memo_type', 'home_domain', 'client_domain'],
  ['asset_code', 'amount', 'type', 'dest', 'quote_id', 'lang'],
  ['id', 'stellar_transaction_id', 'external_transaction_id', 'transaction_id', 'token'],
  ['kind', 'limit', 'paging_id', 'no_older_than', 'cursor', 'status'],
  ['sell_asset', 'buy_asset', 'sell_amount', 'context', 'country_code'],
]
const gets = [
  '/auth',
  '/sep24/transaction',
  '/sep24/transactions',
  '/sep6/deposit',
  '/sep6/withdraw',
  '/sep6/deposit-exchange',
  '/sep6/transaction',
  '/sep6/transactions',
  '/sep12/customer',
  '/sep38/prices',
  '/sep38/price',
  '/sep38/quote/x',
  '/interactive/start',
  '/interactive/more-info',
  '/interactive/t/x',
  '/kyc/mock/x',
  '/kyc/mock/x/approve',
  '/%',
]
const writes = [
  ['POST', '/auth'],
  ['POST', '/sep24/transactions/deposit/interactive'],
  ['POST', '/sep38/quote'],
  ['PUT', '/sep12/customer'],
  ['POST', '/api/v1/customer/kyc/webhook'],
  ['POST', '/api/v1/rails/UPI/webhook'],
  ['POST', '/'],
] as const
const bodies: unknown[] = [
  null,
  [],
  7,
  {},
  { asset_code: ['MUMBAI'] },
  { asset_code: 'MUMBAI', amount: 1e21 },
  { asset_code: 'MUMBAI', memo: 'x', memo_type: 'constructor' },
  { asset_code: 'MUMBAI', first_name: '\ud800' },
  { transaction: {} },
]

describe('whatever strangers send', () => {
  it.each(gets)('GET %s refuses it or ignores it, and never breaks', async path => {
    for (const value of values) {
      for (const group of names) {
        const query = new URLSearchParams(group.map(name => [name, value]))
        const { status, text } = await ask(`${path}?${query}`)
        expect(status, `${path} ${value.slice(0, 40)}: ${text.slice(0, 200)}`).toBeLessThan(500)
      }
    }
  })

  it.each(writes)('%s %s refuses it, and never breaks', async (method, path) => {
    for (const json of bodies) {
      const { status, text } = await ask(path, { method, json })
      expect(status, `${JSON.stringify(json)}: ${text.slice(0, 200)}`).toBeLessThan(500)
    }
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x', 'text/plain', '']) {
      const { status } = await ask(path, {
        method,
        headers: { 'content-type': type },
        body: '--x\r\nnonsense',
      })
      expect(status, type).toBeLessThan(500)
    }
  })
})
