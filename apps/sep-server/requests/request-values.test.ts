import { Keypair } from '@stellar/stellar-sdk/base'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { muxedAccount } from '@windlass/stellar/addresses.ts'
import { plannedSettings } from '@windlass/contracts/anchor/anchor-settings.ts'
import type { HorizonAccount } from '@windlass/stellar/horizon-account.ts'
import type { BusinessServer } from '../clients/business-server.ts'
import { startSepApp, testAnchor, type SepApp } from '../testing/sep-app.ts'

let app: SepApp
let token: string
let sent: Record<string, unknown>[]
const account = Keypair.random().publicKey()
let wallets: { newAccounts?: boolean; unnamedMethods?: boolean } = {}
let readAccount: (address: string) => HorizonAccount | null = () => null
const emptyAccount: HorizonAccount = {
  id: account,
  ledger: null,
  sequence: '1',
  subentryCount: 0,
  sponsoring: 0,
  sponsored: 0,
  homeDomain: null,
  memoRequired: false,
  issuing: { authRequired: false, authRevocable: false, clawback: false },
  thresholds: { low: 0, medium: 0, high: 0 },
  signers: [],
  balances: [],
}
const business: BusinessServer = {
  getCustomer: async () => ({ status: 'NEEDS_INFO', fields: {} }),
  putFile: async () => ({ mediaType: 'image/png', size: 1 }),
  deleteFile: async () => undefined,
  putCustomer: async fields => {
    sent.push(fields)
    return { id: 'c1' }
  },
  deleteCustomer: async () => ({ id: 'x', kept: [], until: null }),
  terms: () => Promise.reject(new Error('no settings')),
  rate: async () => {
    throw new Error('no rate was to be asked for')
  },
  startDirectPayment: async () => null,
  payDeposit: async () => {
    throw new Error('no deposit was to be paid')
  },
  event: async () => undefined,
}
beforeAll(async () => {
  app = await startSepApp({
    business,
    readAccount: async address => readAccount(address),
    terms: { current: async () => ({ ...plannedSettings(testAnchor.plan), wallets }) },
  })
  const session = { account, memo: null, clientDomain: null, homeDomain: 'x', tokenId: 'a' }
  token = await app.deps.tokens.issue(session, new Date())
})
afterAll(() => app.close())
beforeEach(() => {
  sent = []
})

type Method = 'GET' | 'POST' | 'PUT'
async function send(method: Method, url: string, type?: string, payload?: string | Buffer) {
  const headers = { authorization: `Bearer ${token}`, ...(type ? { 'content-type': type } : {}) }
  const answer = await app.server.app.inject({ method, url, headers, ...(payload ? { payload } : {}) })
  return { status: answer.statusCode, body: answer.json() }
}
const put = (payload: string | Buffer, type = 'application/json') =>
  send('PUT', '/sep12/customer', type, payload)
const multipart = (name: string, value: string | Buffer) =>
  put(
    Buffer.concat([
      Buffer.from(`--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`),
      Buffer.from(value),
      Buffer.from('\r\n--edge--\r\n'),
    ]),
    'multipart/form-data; boundary=edge',
  )
const FORM = 'application/x-www-form-urlencoded'

describe('details of a customer (SEP-12)', () => {
  it.each(['123456789012345678', '12', '1e400', '0.1', 'true', '{"a":"b"}', '["a"]'])(
    'are refused by name if they are not strings: %s',
    async value => {
      const { status, body } = await put(`{"first_name":"Asha","bank_account_number":${value}}`)
      expect(status).toBe(400)
      expect(body.error).toMatch(/bank_account_number/)
      expect(sent).toEqual([])
    },
  )

  it('are passed on digit by digit as strings', async () => {
    await put('{"bank_account_number":"0123456789012345678","birth_date":null}')
    expect(sent).toMatchObject([{ bank_account_number: '0123456789012345678' }])
    expect(sent[0]).not.toHaveProperty('birth_date')
  })

  it.each(['constructor', 'toString', 'hasOwnProperty', '__proto__', 'first name', ''])(
    'are refused under the name %j, however the body is encoded',
    async name => {
      const answers = [
        await put(`{${JSON.stringify(name)}:"x"}`),
        await put(new URLSearchParams({ [name]: 'x' }).toString(), FORM),
        await multipart(name, 'x'),
      ]
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 400])
      expect(sent).toEqual([])
    },
  )

  it('are refused if they are not UTF-8, however the body is encoded', async () => {
    const latin1 = Buffer.from('Jos\xe9', 'latin1')
    const answers = [
      await put(Buffer.concat([Buffer.from('{"first_name":"'), latin1, Buffer.from('"}')])),
      await put('first_name=Jos%E9', FORM),
      await put(Buffer.concat([Buffer.from('first_name='), latin1]), FORM),
      await multipart('first_name', latin1),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400])
    expect(sent).toEqual([])
  })

  it('are refused in another charset, with 415', async () => {
    expect((await put('{"first_name":"a"}', 'application/json; charset=iso-8859-1')).status).toBe(415)
    expect((await put('first_name=a', `${FORM};charset="latin1"`)).status).toBe(415)
    expect((await put('{"first_name":"a"}', 'application/json; charset=UTF-8')).status).toBe(202)
  })

  it.each(['\u0000', '\u0007', '\n', '\u001b[2J', '\u0085', '\u202e', '\u2066'])(
    'are refused with the control character %j, but an address may have lines',
    async character => {
      const { status, body } = await put(JSON.stringify({ first_name: `A${character}B` }))
      expect(status).toBe(400)
      expect(body.error).toMatch(/first_name/)
      expect(sent).toEqual([])
    },
  )

  it('may have lines in an address', async () => {
    expect((await put(JSON.stringify({ address: 'A Street 1\nMumbai' }))).status).toBe(202)
  })
})

describe('amounts (SEP-24)', () => {
  const start = (amount: string) =>
    send(
      'POST',
      '/sep24/transactions/deposit/interactive',
      'application/json',
      `{"asset_code":"MUMBAI","amount":${amount},"claimable_balance_supported":true}`,
    )
  const expected = async (id: string) => {
    const [row] = (
      await app.deps.database.pool.query('select amount_expected from transactions where id = $1', [id])
    ).rows
    return row.amount_expected
  }

  it('keep their digits as JSON numbers', async () => {
    const { status, body } = await start('100.1234567')
    expect(status).toBe(200)
    expect(await expected(body.id)).toBe('100.1234567')
  })

  it.each(['99999999999.1234567', '1234567.12345678901', '1e400', 'true'])(
    'are refused by name where a JSON number loses digits: %s',
    async amount => {
      const { status, body } = await start(amount)
      expect(status).toBe(400)
      expect(body.error).toMatch(/amount/)
    },
  )
})

describe('an account that asks for memos (SEP-29)', () => {
  const deposit = (query: string) => send('GET', `/sep6/deposit?asset_code=MUMBAI&amount=10${query}`)
  beforeEach(() => {
    readAccount = address => ({ ...emptyAccount, id: address, memoRequired: true })
  })
  afterAll(() => {
    readAccount = () => null
  })

  it('gets a deposit with a memo only, by SEP-6 and SEP-24', async () => {
    const { status, body } = await deposit('')
    expect([status, body.error]).toEqual([400, expect.stringContaining('memo is required')])
    const json = JSON.stringify({ asset_code: 'MUMBAI' })
    const path = '/sep24/transactions/deposit/interactive'
    expect((await send('POST', path, 'application/json', json)).body.error).toContain('memo is required')
    expect((await deposit('&memo=7&memo_type=id')).status).toBe(200)
  })

  it('needs none as a muxed account, nor does a withdrawal', async () => {
    const muxed = muxedAccount(account, '7')
    expect((await deposit(`&account=${muxed}`)).status).toBe(200)
    expect((await send('GET', '/sep6/withdraw?asset_code=MUMBAI&amount=10&dest=a@ok')).status).toBe(200)
  })

  it('is taken for any other while the ledger does not answer', async () => {
    readAccount = () => {
      throw new Error('down')
    }
    expect((await deposit('')).status).toBe(200)
  })
})

describe('an account that is not on the ledger', () => {
  const starts = async (more = '') => {
    const json = JSON.stringify({ asset_code: 'MUMBAI', ...(more ? { account: more } : {}) })
    const query = `asset_code=MUMBAI&amount=10${more ? `&account=${more}` : ''}`
    return [
      await send('GET', `/sep6/deposit?${query}`),
      await send('POST', '/sep24/transactions/deposit/interactive', 'application/json', json),
    ].map(({ status, body }) => body.error ?? status)
  }
  beforeEach(() => {
    wallets = { newAccounts: false }
    readAccount = () => null
  })
  afterAll(() => {
    wallets = {}
    readAccount = () => null
  })

  it('begins deposits, which wait for it, unless the operator refuses them', async () => {
    const error = 'account is not on the ledger; create it before the deposit begins'
    expect(await starts()).toEqual([error, error])
    expect(await starts(muxedAccount(account, '7'))).toEqual([error, error])
    expect((await send('GET', '/sep6/withdraw?asset_code=MUMBAI&amount=10&dest=a@ok')).status).toBe(200)
    readAccount = address => ({ ...emptyAccount, id: address })
    expect(await starts()).toEqual([200, 200])
    readAccount = () => null
    wallets = {}
    expect(await starts()).toEqual([200, 200])
  })

  it('is taken for one that is while the ledger does not answer', async () => {
    readAccount = () => {
      throw new Error('down')
    }
    expect(await starts()).toEqual([200, 200])
  })
})

describe('a price of a currency with several delivery methods (SEP-38)', () => {
  const asset = `stellar:MUMBAI:${testAnchor.accounts.issuer}`
  const query = new URLSearchParams({ context: 'sep6', sell_asset: 'iso4217:INR', buy_asset: asset })
  const price = async (more: string) => (await send('GET', `/sep38/price?${query}&${more}`)).body.error
  const quote = async (json: object) => {
    const given = { context: 'sep6', sell_asset: asset, buy_asset: 'iso4217:INR', ...json }
    return (await send('POST', '/sep38/quote', 'application/json', JSON.stringify(given))).body.error
  }
  const unnamed = (side: string) => `${side}_delivery_method is required; it must be one of upi, imps`
  afterAll(() => {
    wallets = {}
  })

  it('is asked without one, unless the operator refuses that: the names are in the answer', async () => {
    // The business server of this test has no prices: what it was asked is not refused here.
    expect(await price('sell_amount=100')).not.toMatch(/delivery_method/)
    wallets = { unnamedMethods: false }
    expect(await price('sell_amount=100')).toBe(unnamed('sell'))
    expect(await price('sell_amount=100&lang=es')).toBe(
      'sell_delivery_method es obligatorio; debe ser uno de upi, imps',
    )
    expect(await quote({ sell_amount: '10' })).toBe(unnamed('buy'))
    expect(await price('sell_amount=100&sell_delivery_method=imps')).not.toMatch(/delivery_method/)
    expect(await quote({ sell_amount: '10', buy_delivery_method: 'upi' })).not.toMatch(/delivery_method/)
  })
})

describe('times', () => {
  const asset = `stellar:MUMBAI:${testAnchor.accounts.issuer}`
  it.each(['1', '2026', '2026-02-30', '2026-02-30T00:00:00Z', '30 Feb 2026', '2026-01-01T25:00:00Z', 'now'])(
    'are refused unless they are real ISO 8601 dates: %s',
    async text => {
      const time = encodeURIComponent(text)
      for (const sep of ['sep6', 'sep24']) {
        const list = await send('GET', `/${sep}/transactions?asset_code=MUMBAI&no_older_than=${time}`)
        expect(list.status).toBe(400)
        expect(list.body.error).toMatch(/no_older_than/)
      }
      const quote = { context: 'sep24', sell_asset: 'iso4217:INR', buy_asset: asset, sell_amount: '1000' }
      const body = JSON.stringify({ ...quote, expire_after: text })
      const firm = await send('POST', '/sep38/quote', 'application/json', body)
      expect(firm.status).toBe(400)
      expect(firm.body.error).toMatch(/expire_after/)
    },
  )

  it.each(['2026-02-28', '2024-02-29', '2026-02-28T10:00:00Z', '2026-02-28T10:00:00.123456+05:30'])(
    'are read from %s',
    async text => {
      const time = encodeURIComponent(text)
      expect((await send('GET', `/sep24/transactions?asset_code=MUMBAI&no_older_than=${time}`)).status).toBe(
        200,
      )
    },
  )
})

describe('a page of transactions', () => {
  it.each(['x', '00000000-0000-4000-8000-000000000000', "' or 1=1 --"])(
    'is refused from an unknown paging_id: %s',
    async id => {
      for (const sep of ['sep6', 'sep24']) {
        const query = new URLSearchParams({ asset_code: 'MUMBAI', paging_id: id })
        const { status, body } = await send('GET', `/${sep}/transactions?${query}`)
        expect(status).toBe(400)
        expect(body.error).toMatch(/paging_id/)
      }
    },
  )
})
