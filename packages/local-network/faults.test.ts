import { Keypair } from '@stellar/stellar-sdk'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Faults } from './local-network.ts'
import { codesOf, createAccount, Laboratory, native, operation, pay } from './testing/laboratory.ts'

let laboratory: Laboratory
beforeEach(async () => {
  laboratory = await Laboratory.open({ adminPort: 0, submissionTimeout: 300 })
})
afterEach(() => laboratory.close())

const setFaults = (faults: Faults) => laboratory.network.setFaults(faults)

/** Another instance's address. */
async function instance(faults: NonNullable<Faults['instances']>[string]): Promise<string> {
  const { instances } = await setFaults({ instances: { other: faults } })
  return instances['other']?.url ?? ''
}

async function read(
  url: string,
): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
  const answer = await fetch(url)
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}

const latestOf = async (url: string): Promise<number> => Number((await read(url)).body.history_latest_ledger)

describe('an instance that lags', () => {
  it('serves the chain some ledgers behind, and has everything in the end', async () => {
    const url = await instance({ lag: { ledgers: 2 } })
    const key = await laboratory.funded()
    expect((await read(`${url}/accounts/${key.publicKey()}`)).status).toBe(404)
    laboratory.network.close()
    expect((await read(`${url}/accounts/${key.publicKey()}`)).status).toBe(404)
    laboratory.network.close()
    expect((await read(`${url}/accounts/${key.publicKey()}`)).status).toBe(200)
    expect(await latestOf(url)).toBe(laboratory.network.latestLedger - 2)
    const { body } = await read(`${url}/`)
    expect(body.core_latest_ledger).toBe(laboratory.network.latestLedger)

    await setFaults({ instances: { other: {} } })
    expect(await latestOf(url)).toBe(laboratory.network.latestLedger)
  })

  it('names the ledger that its state belongs to, on answers about state only', async () => {
    const key = await laboratory.funded()
    const url = await instance({ lag: {} })
    laboratory.network.close()
    laboratory.network.close()
    const { headers } = await read(`${url}/accounts/${key.publicKey()}`)
    expect(headers.get('latest-ledger')).toBe(String(laboratory.network.latestLedger - 2))
    const nobody = await read(`${url}/accounts/${Keypair.random().publicKey()}`)
    expect(nobody.headers.get('latest-ledger')).toBe(String(laboratory.network.latestLedger - 2))
    for (const path of ['/', '/ledgers', '/transactions', '/payments', '/effects', '/trades', '/fee_stats'])
      expect((await read(`${url}${path}`)).headers.get('latest-ledger')).toBeNull()
  })

  it('ingests nothing while its ingestion is stalled, and times out on submissions', async () => {
    const [from, to] = [await laboratory.funded(), await laboratory.funded()]
    await setFaults({ instances: { main: { lag: {} } } })
    const { status, hash } = await laboratory.submit({
      source: from.publicKey(),
      sequence: (await laboratory.sequence(from.publicKey())) + 1n,
      operations: [operation(pay(to, native, 1n))],
      signers: [from],
    })
    expect(status).toBe(504)
    expect((await laboratory.get(`/transactions/${hash}`)).status).toBe(404)
    await setFaults({})
    expect((await laboratory.get(`/transactions/${hash}`)).status).toBe(200)
  })

  it('lags for a part of each period and catches up in the rest', async () => {
    const url = await instance({ lag: { seconds: 0.2, every: 0.4 } })
    const behind = laboratory.network.latestLedger
    laboratory.network.close()
    expect(await latestOf(url)).toBe(behind)
    await expect.poll(() => latestOf(url)).toBe(behind + 1)
  })

  it('streams what it ingests, when it does', async () => {
    const url = await instance({ lag: { ledgers: 1 } })
    const events: string[] = []
    const aborting = new AbortController()
    const answer = await fetch(`${url}/ledgers?cursor=now`, {
      headers: { accept: 'text/event-stream' },
      signal: aborting.signal,
    })
    const reading = answer.body?.pipeThrough(new TextDecoderStream()) ?? []
    const done = (async () => {
      for await (const text of reading as AsyncIterable<string>)
        events.push(...[...text.matchAll(/"sequence":(\d+)/g)].map(([, sequence = '']) => sequence))
    })().catch(() => undefined)
    const next = laboratory.network.close()
    laboratory.network.close()
    await expect.poll(() => events).toEqual([String(next)])
    aborting.abort()
    await done
  })
})

describe('several instances behind one address', () => {
  it('give each request to the next of them', async () => {
    const { balancer } = await setFaults({ instances: { other: { lag: {} } }, balancer: {} })
    laboratory.network.close()
    const seen = new Set<number>()
    for (let request = 0; request < 4; request++) seen.add(await latestOf(balancer?.url ?? ''))
    expect(seen.size).toBe(2)
  })

  it('are only those that the balancer names', async () => {
    const { balancer } = await setFaults({
      instances: { other: { lag: {} } },
      balancer: { instances: ['other'] },
    })
    const behind = laboratory.network.latestLedger
    laboratory.network.close()
    expect(await latestOf(balancer?.url ?? '')).toBe(behind)
    expect(await latestOf(balancer?.url ?? '')).toBe(behind)
  })

  it('are gone when the faults are cleared', async () => {
    const { balancer, instances } = await setFaults({ instances: { other: {} }, balancer: {} })
    await setFaults({})
    await expect(fetch(balancer?.url ?? '')).rejects.toThrow()
    await expect(fetch(instances['other']?.url ?? '')).rejects.toThrow()
    expect(Object.keys(laboratory.network.faults().instances)).toEqual(['main'])
  })
})

describe('an answer to a submission', () => {
  const payment = async () => {
    const [from, to] = [await laboratory.funded(), await laboratory.funded()]
    return { source: from.publicKey(), operations: [operation(pay(to, native, 1n))], signers: [from] }
  }

  it('is dropped after the transaction is in a ledger', async () => {
    const draft = await payment()
    await setFaults({ instances: { main: { submissions: { answer: 'none', count: 1 } } } })
    const { envelope, hash } = await laboratory.sign(draft)
    await expect(laboratory.post('/transactions', { tx: envelope.toXdr('base64') })).rejects.toThrow()
    expect((await laboratory.get(`/transactions/${hash}`)).body['successful']).toBe(true)
    const again = await laboratory.post('/transactions', { tx: envelope.toXdr('base64') })
    expect([again.status, again.body['hash']]).toEqual([200, hash])
  })

  it('is a timeout although the transaction is included', async () => {
    const draft = await payment()
    await setFaults({ instances: { main: { submissions: { answer: '504' } } } })
    const { status, hash, body } = await laboratory.submit(draft)
    expect([status, body['type']]).toEqual([
      504,
      'https://stellar.org/horizon-errors/transaction_submission_timeout',
    ])
    await expect.poll(async () => (await laboratory.get(`/transactions/${hash}`)).status).toBe(200)
  })

  it('arrives when the transaction is refused', async () => {
    const draft = await payment()
    await setFaults({ instances: { main: { submissions: { answer: 'none' } } } })
    const refused = await laboratory.submit({ ...draft, sequence: 1n })
    expect(codesOf(refused)).toEqual({ transaction: 'tx_bad_seq' })
  })
})

describe('a rate limit', () => {
  it('answers 429 beyond the budget and says when there is another', async () => {
    await setFaults({ instances: { main: { rateLimit: { requests: 2, seconds: 3600 } } } })
    const url = laboratory.network.url
    const first = await read(`${url}/ledgers`)
    expect(first.headers.get('x-ratelimit-limit')).toBe('2')
    expect(first.headers.get('x-ratelimit-remaining')).toBe('1')
    await read(`${url}/ledgers`)
    const { status, headers, body } = await read(`${url}/ledgers`)
    expect([status, body.type]).toEqual([429, 'https://stellar.org/horizon-errors/rate_limit_exceeded'])
    expect(headers.get('x-ratelimit-remaining')).toBe('0')
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3500)
    expect(headers.get('x-ratelimit-reset')).toBe(headers.get('retry-after'))
    expect((await laboratory.get(`/friendbot?addr=${Keypair.random().publicKey()}`)).status).toBe(200)
  })
})

describe('retention', () => {
  it('deletes older history, answers 410 for it, and keeps what there is', async () => {
    const key = await laboratory.funded()
    const paid = laboratory.network.latestLedger
    const [funding] = (await laboratory.horizon.operations().forAccount(key.publicKey()).call()).records
    for (let close = 0; close < 4; close++) laboratory.network.close()
    await setFaults({ instances: { main: { retention: { ledgers: 3 } } } })

    expect((await laboratory.get('/')).body['history_elder_ledger']).toBe(laboratory.network.latestLedger - 2)
    const gone = await laboratory.get(`/ledgers/${paid}`)
    expect([gone.status, gone.body['type']]).toEqual([
      410,
      'https://stellar.org/horizon-errors/before_history',
    ])
    expect((await laboratory.get(`/operations/${funding?.id}`)).status).toBe(410)
    expect((await laboratory.get(`/ledgers?order=desc&cursor=${BigInt(paid) << 32n}`)).status).toBe(410)
    expect((await laboratory.get(`/effects?order=desc&cursor=${BigInt(paid) << 32n}`)).status).toBe(410)
    expect((await laboratory.get(`/transactions/${funding?.transaction_hash}`)).status).toBe(404)
    const account = await laboratory.get(`/accounts/${key.publicKey()}`)
    expect([account.status, account.body['last_modified_time']]).toEqual([200, null])

    await setFaults({})
    expect((await laboratory.get(`/ledgers/${paid}`)).status).toBe(200)
  })

  it('starts an ascending page where the history starts, as Horizon does, without a word', async () => {
    const key = await laboratory.funded()
    for (let close = 0; close < 4; close++) laboratory.network.close()
    await setFaults({ instances: { main: { retention: { ledgers: 2 } } } })
    await laboratory.funded()
    const { records } = await laboratory.horizon.payments().cursor('0').order('asc').call()
    expect(records).toHaveLength(1)
    expect(JSON.stringify(records)).not.toContain(key.publicKey())
  })
})

describe('fees', () => {
  const payment = async (fee: number) => {
    const from = await laboratory.funded()
    return {
      source: from.publicKey(),
      fee,
      operations: [operation(createAccount(Keypair.random(), 50_000_000n))],
      signers: [from],
    }
  }

  it('follow the base fee', async () => {
    await setFaults({ baseFee: 300 })
    expect(codesOf(await laboratory.submit(await payment(299)))).toEqual({
      transaction: 'tx_insufficient_fee',
    })
    const { body } = await laboratory.submit(await payment(1000))
    expect(body['fee_charged']).toBe('300')
    expect((await laboratory.get('/fee_stats')).body['last_ledger_base_fee']).toBe('300')
    const { records } = await laboratory.horizon.ledgers().order('desc').limit(1).call()
    expect(records[0]?.base_fee_in_stroops).toBe(300)
  })

  it('rise above the base fee in a surge, and /fee_stats says so', async () => {
    await setFaults({ surgeFee: 5000 })
    expect(codesOf(await laboratory.submit(await payment(4999)))).toEqual({
      transaction: 'tx_insufficient_fee',
    })
    const { body } = await laboratory.submit(await payment(6000))
    expect(body['fee_charged']).toBe('5000')
    const stats = (await laboratory.get('/fee_stats')).body
    expect(stats).toMatchObject({
      last_ledger_base_fee: '100',
      ledger_capacity_usage: '1',
      fee_charged: { min: '5000', p50: '5000' },
    })
    await setFaults({})
    expect((await laboratory.submit(await payment(100))).body['fee_charged']).toBe('100')
  })
})

describe('a reset', () => {
  it('starts every instance again from the first ledger', async () => {
    const url = await instance({ lag: { ledgers: 1 } })
    await laboratory.funded()
    laboratory.network.close()
    laboratory.network.reset()
    expect(await latestOf(url)).toBe(1)
    expect(await latestOf(laboratory.network.url)).toBe(1)
    const { body } = await read(`${url}/transactions`)
    expect(body).toMatchObject({ _embedded: { records: [] } })
  })
})

describe('the admin API', () => {
  const admin = (path: string, init: RequestInit = {}) => fetch(`${laboratory.network.adminUrl}${path}`, init)
  const put = (body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
    admin('/faults', { method: 'PUT', body, headers })

  it('shows, replaces and clears faults', async () => {
    const set = await put('{"baseFee":200,"instances":{"other":{"lag":{"ledgers":3}}},"balancer":{}}')
    expect(await set.json()).toMatchObject({
      baseFee: 200,
      surgeFee: 200,
      instances: { main: { url: laboratory.network.url }, other: { lag: { ledgers: 3 } } },
      balancer: { url: expect.stringMatching(/^http:/) },
    })
    expect(await (await admin('/faults')).json()).toEqual(laboratory.network.faults())
    await admin('/faults', { method: 'DELETE' })
    expect(laboratory.network.faults()).toMatchObject({ baseFee: 100 })
    expect(Object.keys(laboratory.network.faults().instances)).toEqual(['main'])
  })

  it('closes a ledger and resets the network', async () => {
    const before = laboratory.network.latestLedger
    expect(await (await admin('/ledgers', { method: 'POST' })).json()).toEqual({ sequence: before + 1 })
    expect((await admin('/reset', { method: 'POST' })).status).toBe(204)
    expect(laboratory.network.latestLedger).toBe(1)
  })

  it.each([
    ['{"instances":{"main":{"port":1}}}', 'port'],
    ['{"instances":{"main":{"lag":{"seconds":1}}}}', 'lag'],
    ['{"instances":{"main":{"lag":{"seconds":2,"every":1}}}}', 'less'],
    ['{"instances":{"main":{"rateLimit":{"requests":0,"seconds":1}}}}', 'requests'],
    ['{"baseFee":1.5}', 'baseFee'],
    ['{"balancer":{"instances":["nobody"]}}', 'nobody'],
    ['{"unknown":1}', 'faults'],
    ['{', 'JSON'],
  ])('refuses %s and changes nothing', async (body, word) => {
    const answer = await put(body)
    expect(answer.status).toBe(400)
    expect((await answer.json()).detail).toContain(word)
    expect(laboratory.network.faults()).toMatchObject({ baseFee: 100 })
  })

  it('does not answer web pages, other names or forms', async () => {
    expect(
      (await admin('/reset', { method: 'POST', headers: { origin: 'http://evil.example' } })).status,
    ).toBe(403)
    expect((await put('{}', { 'content-type': 'text/plain' })).status).toBe(415)
    expect(laboratory.network.latestLedger).toBeGreaterThan(0)
  })
})
