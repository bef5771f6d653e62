import { Keypair, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  codesOf,
  data,
  Laboratory,
  native,
  operation,
  pay,
  credit,
  trust,
  claimable,
  unconditional,
} from './testing/laboratory.ts'

let lab: Laboratory
let payer: Keypair
let payee: Keypair
const payments = 25
beforeAll(async () => {
  lab = await Laboratory.open()
  payer = await lab.funded()
  payee = await lab.funded()
  for (let each = 1; each <= payments; each++) await payOnce(BigInt(each))
})
afterAll(() => lab.close())

const payOnce = (amount: bigint) =>
  lab.succeed({
    source: payer.publicKey(),
    signers: [payer],
    operations: [operation(pay(payee, native, amount))],
  })

const recordsOf = (body: Record<string, unknown>): Record<string, unknown>[] => {
  const embedded = body['_embedded']
  if (typeof embedded !== 'object' || embedded === null || !('records' in embedded)) return []
  return Array.isArray(embedded.records) ? embedded.records : []
}

describe('the root', () => {
  it('names the network, its ledgers and all paths', async () => {
    const root = await lab.horizon.root()
    expect(root).toMatchObject({
      network_passphrase: 'Test SDF Network ; September 2015',
      history_latest_ledger: lab.network.latestLedger,
      history_elder_ledger: 1,
      current_protocol_version: 28,
    })
  })

  it('is a page for people who ask for one', async () => {
    const response = await fetch(lab.network.url, { headers: { accept: 'text/html' } })
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toContain('<!doctype html>')
  })

  it('sends a Date, and lets any web page read', async () => {
    const response = await fetch(`${lab.network.url}/ledgers`, {
      headers: { origin: 'https://wallet.example' },
    })
    expect(response.headers.get('date')).not.toBeNull()
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const preflight = await fetch(`${lab.network.url}/transactions`, { method: 'OPTIONS' })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toBe('*')
  })

  it('is healthy', async () => {
    expect((await lab.get('/health')).body).toMatchObject({ status: 'ok', service: 'local-network' })
  })
})

describe('pages', () => {
  it('go forward and back through links without a gap or a repetition', async () => {
    const all: string[] = []
    let page = await lab.horizon.payments().forAccount(payee.publicKey()).limit(7).call()
    while (page.records.length > 0) {
      all.push(...page.records.map(({ paging_token }) => paging_token))
      page = await page.next()
    }
    expect(all).toHaveLength(payments + 1)
    expect(new Set(all).size).toBe(all.length)
    // From the empty page at the end, everything but the record its cursor names.
    const back: string[] = []
    page = await page.prev()
    while (page.records.length > 0) {
      back.push(...page.records.map(({ paging_token }) => paging_token))
      page = await page.next()
    }
    expect(back).toEqual(all.slice(0, -1).toReversed())
  })

  it('come newest first when asked', async () => {
    const { records } = await lab.horizon
      .payments()
      .forAccount(payee.publicKey())
      .order('desc')
      .limit(3)
      .call()
    expect(records.map(record => 'amount' in record && record.amount)).toEqual([
      '0.0000025',
      '0.0000024',
      '0.0000023',
    ])
  })

  it('after now are empty, and before now hold the latest', async () => {
    const after = await lab.get(`/accounts/${payee.publicKey()}/payments?cursor=now`)
    expect(recordsOf(after.body)).toEqual([])
    const before = await lab.get(`/accounts/${payee.publicKey()}/payments?cursor=now&order=desc&limit=1`)
    expect(recordsOf(before.body)).toMatchObject([{ amount: '0.0000025' }])
    const ledgers = await lab.get('/ledgers?cursor=now&order=desc&limit=1')
    expect(recordsOf(ledgers.body)).toMatchObject([{ sequence: lab.network.latestLedger }])
  })

  it('of ledgers chain by hash with strictly increasing close times', async () => {
    const { records } = await lab.horizon.ledgers().limit(200).call()
    expect(records[0]?.sequence).toBe(1)
    for (const [index, ledger] of records.entries()) {
      const before = records[index - 1]
      if (!before) continue
      expect(ledger.prev_hash).toBe(before.hash)
      expect(ledger.sequence).toBe(before.sequence + 1)
      expect(Date.parse(ledger.closed_at)).toBeGreaterThan(Date.parse(before.closed_at))
      const header = xdr.LedgerHeader.fromXdr(ledger.header_xdr, 'base64')
      expect(Buffer.from(header.previousLedgerHash.value).toString('hex')).toBe(before.hash)
    }
  })

  it('exist for every collection, globally and under what they belong to', async () => {
    const account = payer.publicKey()
    const { records } = await lab.horizon.transactions().forAccount(account).order('desc').limit(1).call()
    const { hash = '', ledger_attr = 0 } = records[0] ?? {}
    for (const path of [
      '/ledgers',
      '/transactions',
      '/operations',
      '/payments',
      '/assets',
      '/claimable_balances',
      '/offers',
      '/trades',
      '/liquidity_pools',
      `/accounts?signer=${account}`,
      `/accounts/${account}/transactions`,
      `/accounts/${account}/operations`,
      `/accounts/${account}/payments`,
      `/accounts/${account}/offers`,
      `/accounts/${account}/trades`,
      `/ledgers/${ledger_attr}/transactions`,
      `/ledgers/${ledger_attr}/operations`,
      `/ledgers/${ledger_attr}/payments`,
      `/transactions/${hash}/operations`,
      `/transactions/${hash}/payments`,
    ]) {
      const { status, body } = await lab.get(`${path}${path.includes('?') ? '&' : '?'}limit=2`)
      expect([path, status]).toEqual([path, 200])
      expect(body).toHaveProperty('_links.next.href')
    }
  })

  it('hold failed transactions only when asked', async () => {
    const key = await lab.funded()
    const answer = await lab.submit({
      source: key.publicKey(),
      signers: [key],
      operations: [operation(pay(Keypair.random(), native, 1n))],
    })
    expect(answer.status).toBe(400)
    const at = `/accounts/${key.publicKey()}`
    expect(recordsOf((await lab.get(`${at}/transactions`)).body)).toHaveLength(1)
    expect(recordsOf((await lab.get(`${at}/transactions?include_failed=true`)).body)).toHaveLength(2)
    expect(recordsOf((await lab.get(`${at}/operations`)).body)).toHaveLength(1)
    expect(recordsOf((await lab.get(`${at}/payments?include_failed=true`)).body)).toMatchObject([
      { transaction_successful: true },
      { transaction_successful: false },
    ])
    expect(recordsOf((await lab.get(`/transactions/${answer.hash}/operations`)).body)).toHaveLength(1)
  })

  it('of operations carry their transaction when joined', async () => {
    const { body } = await lab.get(`/accounts/${payee.publicKey()}/operations?join=transactions`)
    expect(recordsOf(body)[1]).toMatchObject({ transaction: { source_account: payer.publicKey() } })
  })

  it("of accounts follow an asset's holders", async () => {
    const issuer = await lab.funded()
    const holders = [await lab.funded(), await lab.funded(), await lab.funded()]
    for (const holder of holders)
      await lab.succeed({
        source: holder.publicKey(),
        signers: [holder],
        operations: [operation(trust(credit('LONGCODE', issuer)))],
      })
    const found: string[] = []
    let path = `/accounts?asset=LONGCODE:${issuer.publicKey()}&limit=2`
    for (;;) {
      const { body } = await lab.get(path)
      const records = recordsOf(body)
      if (records.length === 0) break
      found.push(...records.map(({ id }) => String(id)))
      path = `/accounts?asset=LONGCODE:${issuer.publicKey()}&limit=2&cursor=${found.at(-1)}`
    }
    expect(found).toEqual(holders.map(holder => holder.publicKey()).sort())
  })

  it('of assets and claimable balances continue where the cursor is', async () => {
    const issuer = await lab.funded()
    const code = (each: number) => `T${each}`
    await lab.succeed({
      source: payer.publicKey(),
      signers: [payer],
      operations: [1, 2, 3].map(each => operation(trust(credit(code(each), issuer)))),
    })
    let assets = await lab.horizon.assets().forIssuer(issuer.publicKey()).limit(2).call()
    expect(assets.records.map(({ asset_code }) => asset_code)).toEqual(['T1', 'T2'])
    assets = await assets.next()
    expect(assets.records.map(({ asset_code }) => asset_code)).toEqual(['T3'])

    await lab.succeed({
      source: issuer.publicKey(),
      signers: [issuer],
      operations: [1, 2, 3].map(each => operation(claimable(native, BigInt(each), [[payee, unconditional]]))),
    })
    let balances = await lab.horizon.claimableBalances().sponsor(issuer.publicKey()).limit(2).call()
    const ids = balances.records.map(({ id }) => id)
    balances = await balances.next()
    ids.push(...balances.records.map(({ id }) => id))
    expect(new Set(ids).size).toBe(3)
  })
})

describe('submitting without waiting', () => {
  it('answers pending, duplicate, and error with the result', async () => {
    const key = await lab.funded()
    const { envelope, hash } = await lab.sign({
      source: key.publicKey(),
      signers: [key],
      operations: [operation(data('a', 'b'))],
    })
    const tx = envelope.toXdr('base64')
    expect(await lab.post('/transactions_async', { tx })).toEqual({
      status: 201,
      body: { tx_status: 'PENDING', hash },
    })
    // For ten ledgers after its own.
    expect(await lab.post('/transactions_async', { tx })).toEqual({
      status: 503,
      body: { tx_status: 'TRY_AGAIN_LATER', hash },
    })
    for (let count = 0; count < 10; count++) lab.network.close()
    const used = await lab.post('/transactions_async', { tx })
    expect(used).toMatchObject({ status: 400, body: { tx_status: 'ERROR', hash } })
    expect(resultOf(used)).toBe('txBadSeq')
    const bad = await lab.sign({
      source: key.publicKey(),
      signers: [],
      operations: [operation(data('a', 'b'))],
    })
    const refused = await lab.post('/transactions_async', { tx: bad.envelope.toXdr('base64') })
    expect(refused).toMatchObject({ status: 400, body: { tx_status: 'ERROR', hash: bad.hash } })
    expect(resultOf(refused)).toBe('txBadAuth')
  })
})

const resultOf = ({ body }: Answer) =>
  xdr.TransactionResult.fromXdr(String(body['error_result_xdr']), 'base64').result.type

describe('the same envelope again', () => {
  it('is answered with its result and never applied twice', async () => {
    const key = await lab.funded()
    const good = await lab.sign({
      source: key.publicKey(),
      signers: [key],
      operations: [operation(pay(payee, native, 1n))],
    })
    const tx = good.envelope.toXdr('base64')
    const [one, two] = await Promise.all([
      lab.post('/transactions', { tx }),
      lab.post('/transactions', { tx }),
    ])
    const three = await lab.post('/transactions', { tx })
    expect([one.status, two.status, three.status]).toEqual([200, 200, 200])
    expect(three.body).toEqual(one.body)
    expect(await lab.nativeBalance(key.publicKey())).toBe('9999.9999899')
  })
})

describe('friendbot', () => {
  it('gives 10,000 XLM by GET and by POST, once', async () => {
    const [one, two] = [Keypair.random(), Keypair.random()]
    expect((await lab.get(`/friendbot?addr=${one.publicKey()}`)).body).toMatchObject({ successful: true })
    expect((await lab.post('/friendbot', { addr: two.publicKey() })).status).toBe(200)
    expect(await lab.nativeBalance(two.publicKey())).toBe('10000.0000000')
    expect(await lab.get(`/friendbot?addr=${one.publicKey()}`)).toMatchObject({
      status: 400,
      body: { detail: 'account already funded to starting balance' },
    })
    expect(await lab.horizon.friendbot(Keypair.random().publicKey()).call()).toMatchObject({
      successful: true,
    })
  })

  it('funds one account once however many ask at the same time', async () => {
    const key = Keypair.random()
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async () => (await lab.get(`/friendbot?addr=${key.publicKey()}`)).status),
    )
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 400)])
  })

  it.each(['', 'G', 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK', '../../x'])(
    'refuses the address %j',
    async address => {
      expect(await lab.get(`/friendbot?addr=${encodeURIComponent(address)}`)).toMatchObject({
        status: 400,
        body: { extras: { invalid_field: 'addr' } },
      })
    },
  )
})

describe('an account', () => {
  it('shows a sequence that is used up to the last digit', async () => {
    const key = await lab.funded()
    const bumpTo = 2n ** 63n - 1n
    await lab.succeed({
      source: key.publicKey(),
      signers: [key],
      operations: [operation(xdr.OperationBody.bumpSequence(new xdr.BumpSequenceOp({ bumpTo })))],
    })
    expect((await lab.get(`/accounts/${key.publicKey()}`)).body['sequence']).toBe('9223372036854775807')
  })
})

describe('codes', () => {
  it('of the submission come with the envelope and the result', async () => {
    const key = await lab.funded()
    const answer = await lab.submit({
      source: key.publicKey(),
      signers: [key],
      operations: [operation(pay(Keypair.random(), native, 1n))],
    })
    expect(codesOf(answer)).toEqual({ transaction: 'tx_failed', operations: ['op_no_destination'] })
    expect(answer.body).toMatchObject({
      title: 'Transaction Failed',
      status: 400,
      extras: { envelope_xdr: expect.any(String), result_xdr: expect.any(String) },
    })
  })
})

describe('localhost', () => {
  it('is both loopback addresses', async () => {
    const { port } = new URL(lab.network.url)
    for (const host of ['127.0.0.1', '[::1]'])
      expect((await fetch(`http://${host}:${port}/health`)).status).toBe(200)
  })
})
