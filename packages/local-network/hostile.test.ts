import { connect } from 'node:net'
import { request } from 'node:http'
import fc from 'fast-check'
import { Keypair } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen } from './horizon/listening.ts'
import { data, Laboratory, native, operation, pay } from './testing/laboratory.ts'

let lab: Laboratory
let key: Keypair
let envelope: Uint8Array
beforeAll(async () => {
  lab = await Laboratory.open()
  key = await lab.funded()
  envelope = (
    await lab.sign({
      source: key.publicKey(),
      signers: [key],
      operations: [operation(pay(key, native, 1n)), operation(data('a', 'b'))],
    })
  ).envelope.toXdr()
})
afterAll(() => lab.close())

const isProblem = {
  type: expect.stringMatching(/^https:\/\/stellar\.org\/horizon-errors\//),
  title: expect.any(String),
  status: expect.any(Number),
  detail: expect.any(String),
}

describe('an envelope that is none', () => {
  const malformed = async (tx: string) => {
    const answer = await lab.post('/transactions', { tx })
    expect(answer).toMatchObject({
      status: 400,
      body: { ...isProblem, title: 'Transaction Malformed', extras: { envelope_xdr: tx } },
    })
  }

  it.each(['', 'garbage', '%%%', 'AAAA', 'AAAAAgAAAAA=', '\0', '<script>', 'é', '{"a":1}'])(
    '%j is refused as malformed',
    tx => malformed(tx),
  )

  it("of whatever bytes is answered in Horizon's form and changes nothing", async () => {
    const before = await lab.sequence(key.publicKey())
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async bytes => {
        const { status, body } = await lab.post('/transactions', {
          tx: Buffer.from(bytes).toString('base64'),
        })
        expect(status).toBe(400)
        expect(body).toMatchObject(isProblem)
      }),
      { numRuns: 150 },
    )
    expect(await lab.sequence(key.publicKey())).toBe(before)
  })

  it('made by changing a good one is refused, and never with a 500', async () => {
    const before = await lab.sequence(key.publicKey())
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), fc.nat(2), async (at, by, how) => {
        const changed = Buffer.from(envelope)
        const place = at % changed.length
        changed[place] = (changed[place] ?? 0) ^ by
        const bytes =
          how === 0
            ? changed
            : how === 1
              ? changed.subarray(0, place)
              : Buffer.concat([envelope, changed.subarray(0, by)])
        for (const path of ['/transactions', '/transactions_async']) {
          const { status } = await lab.post(path, { tx: bytes.toString('base64') })
          expect(status).toBe(400)
        }
      }),
      { numRuns: 300 },
    )
    expect(await lab.sequence(key.publicKey())).toBe(before)
  })

  it('that nests without end is refused', async () => {
    // createClaimableBalance whose predicate is NOT(NOT(NOT(…
    const head = Buffer.from(envelope).subarray(0, 4 + 36 + 4 + 8 + 4 + 4)
    const deep = Buffer.concat([
      head,
      Buffer.from([
        0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0,
      ]),
      Buffer.concat([Buffer.alloc(4), key.rawPublicKey()]),
      ...Array.from({ length: 100_000 }, () => Buffer.from([0, 0, 0, 3, 0, 0, 0, 1])),
    ])
    await malformed(deep.toString('base64'))
  })

  it('of one megabyte is malformed, of three too large', async () => {
    await malformed('A'.repeat(1024 * 1024))
    // On a connection of its own: the server ends it, and a later request must not be caught by that.
    const tx = 'A'.repeat(3 * 1024 * 1024)
    const answer = await lab.post('/transactions', { tx }, { connection: 'close' })
    expect(answer).toMatchObject({ status: 413, body: isProblem })
  })
})

describe('a body of another kind', () => {
  it.each([
    ['application/json', '{"tx":"AAAA"}'],
    ['text/plain', 'tx=AAAA'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['nonsense', 'tx=AAAA'],
  ])('%s is not supported', async (type, body) => {
    const response = await fetch(`${lab.network.url}/transactions`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
    expect(response.status).toBe(415)
    expect(await response.json()).toMatchObject(isProblem)
  })

  it('without a type or with the field twice is a bad request', async () => {
    const twice = await fetch(`${lab.network.url}/transactions`, {
      method: 'POST',
      body: new URLSearchParams([
        ['tx', 'AAAA'],
        ['tx', 'BBBB'],
      ]),
    })
    expect(twice.status).toBe(400)
    const none = await fetch(`${lab.network.url}/transactions`, { method: 'POST' })
    expect(none.status).toBe(400)
    expect(await none.json()).toMatchObject(isProblem)
  })
})

describe('a parameter that is wrong', () => {
  const address = Keypair.random().publicKey()
  it.each([
    ['/ledgers?cursor=abc', 'cursor'],
    ['/ledgers?cursor=-1', 'cursor'],
    ['/ledgers?cursor=99999999999999999999', 'cursor'],
    ['/payments?cursor=1%27%20OR%201=1', 'cursor'],
    ['/payments?limit=0', 'limit'],
    ['/payments?limit=201', 'limit'],
    ['/payments?limit=ten', 'limit'],
    ['/payments?limit=1e2', 'limit'],
    ['/payments?order=up', 'order'],
    ['/payments?order=asc&order=desc', 'order'],
    ['/payments?include_failed=maybe', 'include_failed'],
    ['/payments?join=everything', 'join'],
    ['/accounts/abc', 'account_id'],
    [`/accounts/${address.slice(0, -1)}${address.endsWith('A') ? 'B' : 'A'}/payments`, 'account_id'],
    ['/accounts?asset=USD', 'asset'],
    ['/accounts?asset=native', 'asset'],
    ['/ledgers/one', 'ledger_id'],
    ['/ledgers/99999999999', 'ledger_id'],
    ['/transactions/xyz', 'tx_id'],
    ['/operations/xyz', 'id'],
    ['/assets?asset_code=THIRTEENCHARS', 'asset_code'],
    ['/assets?asset_issuer=me', 'asset_issuer'],
    ['/assets?cursor=nonsense', 'cursor'],
    ['/claimable_balances?cursor=nonsense', 'cursor'],
    ['/claimable_balances?sponsor=me', 'sponsor'],
    ['/claimable_balances?asset=x:y:z', 'asset'],
    ['/claimable_balances/xyz', 'id'],
    ['/accounts?signer=nobody', 'signer'],
  ])('%s names the field', async (path, field) => {
    const { status, body } = await lab.get(path)
    expect(status).toBe(400)
    expect(body).toMatchObject({ ...isProblem, extras: { invalid_field: field } })
  })

  it.each([
    '/nothing',
    `/accounts/${address}`,
    `/accounts/${address}/payments`,
    '/ledgers/2000000000',
    `/transactions/${'0'.repeat(64)}`,
    '/operations/9000000000001',
    `/claimable_balances/${'0'.repeat(72)}`,
    `/accounts/${address}/data/x`,
    '/../etc/passwd',
  ])('%s is not found', async path => {
    expect(await lab.get(path)).toMatchObject({ status: 404, body: isProblem })
  })

  it.each(['/accounts/%', '/accounts/%ff', '/%00', '/ledgers?cursor=%00', '/accounts/%2e%2e/data/%00'])(
    '%s never leads to a 500',
    async path => {
      const { status, body } = await lab.get(path)
      expect([400, 404]).toContain(status)
      expect(body).toMatchObject(isProblem)
    },
  )

  it('of whatever kind never leads to a 500', async () => {
    const paths = [
      '/accounts/$',
      '/accounts/$/payments',
      '/ledgers/$',
      '/transactions/$',
      '/operations/$',
      '/friendbot?addr=$',
      '/payments?cursor=$',
      '/assets?cursor=$',
      '/accounts?asset=$',
      '/accounts?signer=$',
      '/claimable_balances/$',
      '/claimable_balances?claimant=$',
      '/accounts?cursor=$',
      `/accounts?signer=${address}&cursor=$`,
      '/$',
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.string({ unit: 'binary', maxLength: 80 }),
        async (path, text) => {
          const { status } = await lab.get(path.replace('$', () => encodeURIComponent(text.toWellFormed())))
          expect([200, 400, 404, 414]).toContain(status)
        },
      ),
      { numRuns: 400 },
    )
  })
})

describe("a name that is not this machine's", () => {
  const ask = (path: string, host: string, accept = '*/*') =>
    new Promise<number>((resolve, reject) => {
      const outgoing = request(`${lab.network.url}${path}`, { headers: { host, accept } }, answer => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
      outgoing.on('error', reject)
      outgoing.end()
    })
  const friendbot = () => `/friendbot?addr=${Keypair.random().publicKey()}`

  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    'evil.example:80',
  ])('%s gets neither friendbot nor the page', async host => {
    expect(await ask(friendbot(), host)).toBe(403)
    expect(await ask('/', host, 'text/html')).toBe(403)
    expect(await ask('/', host)).toBe(200)
  })

  it.each([
    'localhost',
    'LOCALHOST:8000',
    'stellar.localhost:80',
    '127.0.0.1:8000',
    '127.1.2.3',
    '[::1]:8000',
  ])('%s is ours', async host => {
    expect(await ask(friendbot(), host)).toBe(200)
    expect(await ask('/', host, 'text/html')).toBe(200)
  })

  it('is accepted where the options name it', async () => {
    const other = await Laboratory.open({ allowedHosts: ['host.docker.internal'] })
    try {
      const status = await new Promise((resolve, reject) => {
        const outgoing = request(
          `${other.network.url}${friendbot()}`,
          { headers: { host: 'host.docker.internal:8000' } },
          answer => {
            answer.resume()
            resolve(answer.statusCode)
          },
        )
        outgoing.on('error', reject)
        outgoing.end()
      })
      expect(status).toBe(200)
    } finally {
      await other.close()
    }
  })
})

describe('a connection', () => {
  it('that speaks no HTTP gets an answer and is closed', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(lab.network.url).port), '127.0.0.1', () =>
        socket.write('nonsense\r\n\r\n'),
      )
      socket.once('data', part => resolve(part.toString()))
      socket.once('error', reject)
    })
    expect(answer).toMatch(/^HTTP\/1\.1 400/)
  })

  it('that leaves in the middle of a stream takes nothing with it', async () => {
    for (let each = 0; each < 20; each++) {
      const socket = connect(Number(new URL(lab.network.url).port), '127.0.0.1')
      socket.write('GET /ledgers?cursor=now HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n')
      await new Promise(resolve => socket.once('data', resolve))
      socket.destroy()
    }
    await lab.funded()
    expect((await lab.get('/health')).status).toBe(200)
  })
})

it.each([
  ['head', 'POST /transactions HTTP/1.1\r\nhost: localhost\r\n'],
  ['body', 'POST /transactions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\ntx='],
])('a client that never ends the %s of its request is cut off', async (_part, text) => {
  const listening = await listen((_request, response) => void response, '127.0.0.1', 0, 50)
  const socket = connect(listening.port, '127.0.0.1')
  socket.write(text)
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  await listening.close()
})
