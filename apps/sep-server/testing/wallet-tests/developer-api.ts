import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { agreedDeposit, payOverRail } from '../transfers.ts'
import { fundedWallet, openTrustline, registerWallet, until } from '../wallet.ts'
import { ask, type Init, running, token } from './anchor-under-test.ts'

describe('the developer API', () => {
  const developer = (path: string, init: Init = {}) => ask(path, { token: 'wl_test_good', ...init })

  it('is for keys of this anchor: others are 401, and a scope that lacks is 403', async () => {
    const { anchorId } = running.anchor.plan
    running.platform.keys.set('wl_test_good', { anchorId, scopes: ['read', 'webhooks'] })
    running.platform.keys.set('wl_test_reader', { anchorId, scopes: ['read'] })
    running.platform.keys.set('wl_test_foreign', { anchorId: 'somebodyelse00000000', scopes: ['read'] })
    for (const bad of [null, 'nonsense', 'wl_test_foreign', token]) {
      expect((await ask('/api/v1/workspace', { token: bad })).status).toBe(401)
    }
    expect((await developer('/api/v1/webhook-endpoints', { token: 'wl_test_reader' })).status).toBe(403)
    const { body } = await developer('/api/v1/workspace')
    const treasury = { balance: expect.stringMatching(/^\d+(\.\d+)?$/) }
    expect(body).toMatchObject({ anchorId, asset: { code: 'MUMBAI' }, treasury })
  })

  it('lists transactions in pages, with history, customers and quotes', async () => {
    const { status, body, headers } = await developer('/api/v1/transactions?limit=1')
    expect(status).toBe(200)
    expect(body).toHaveLength(1)
    const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? ''
    const all: { createdAt: string; updatedAt: string }[] = (await developer('/api/v1/transactions')).body
    expect(all.filter(({ createdAt, updatedAt }) => updatedAt < createdAt)).toEqual([])
    const second = await developer(next)
    expect(second.body[0].id).not.toBe(body[0].id)
    expect((await developer(`/api/v1/transactions/${body[0].id}`)).body).toHaveProperty('history')
    expect((await developer('/api/v1/transactions/nope')).status).toBe(404)
    expect((await developer('/api/v1/customers')).body.length).toBeGreaterThan(0)
    expect((await developer('/api/v1/quotes')).body[0]).toMatchObject({ currency: 'INR' })
    expect((await developer('/api/v1/transactions?limit=0')).status).toBe(400)
    expect((await developer('/api/v1/transactions?cursor=x')).status).toBe(400)
  })

  it('sends signed webhooks, again after a failure, and again when asked', async () => {
    const received: { id: string; body: string; headers: Record<string, string> }[] = []
    let refuse = true
    const receiver = createServer((request, response) => {
      let body = ''
      request.on('data', chunk => (body += chunk))
      request.on('end', () => {
        if (!refuse) {
          const headers = request.headers as Record<string, string>
          received.push({ id: headers['webhook-id'] ?? '', body, headers })
        }
        response.writeHead(refuse ? 500 : 204).end()
      })
    })
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
    const address = receiver.address()
    const port = typeof address === 'object' ? address?.port : 0
    try {
      const json = { url: `http://127.0.0.1:${port}/hook`, events: ['transaction.completed'] }
      const made = await developer('/api/v1/webhook-endpoints', { method: 'POST', json })
      expect(made.status).toBe(201)
      const wallet = await fundedWallet(running)
      registerWallet(running, wallet)
      await openTrustline(running, wallet)
      const deposit = await agreedDeposit(running, wallet, '10')
      await payOverRail(running, deposit.id)
      await deposit.becomes('completed')
      const waiting = await until('a failed attempt', async () => {
        const { body } = await developer('/api/v1/webhook-deliveries')
        return body[0]?.lastStatus === 500 && body[0]
      })
      expect(waiting).toMatchObject({ status: 'waiting', event: 'transaction.completed' })
      refuse = false
      const replay = () => developer(`/api/v1/webhook-deliveries/${waiting.id}/replay`, { method: 'POST' })
      expect((await replay()).status).toBe(202)
      await until('the delivery', async () => received.length === 1)
      const [first] = received
      const payload = new Webhook(made.body.secret).verify(first?.body ?? '', first?.headers ?? {})
      expect(payload).toMatchObject({
        type: 'transaction.completed',
        data: { id: deposit.id, status: 'completed' },
      })
      await until(
        'delivered',
        async () => (await developer('/api/v1/webhook-deliveries?status=delivered')).body.length,
      )
      await replay()
      await until('the replay', async () => received.length === 2)
      expect(received[1]?.id).toBe(first?.id)
      expect(
        (await developer(`/api/v1/webhook-endpoints/${made.body.id}`, { method: 'DELETE' })).status,
      ).toBe(204)
      expect((await developer('/api/v1/webhook-endpoints')).body).toEqual([])
    } finally {
      receiver.close()
    }
  })

  it.each([
    ['a URL that is none', { url: 'nonsense' }],
    ['another scheme', { url: 'ftp://a.example/x' }],
    ['credentials in it', { url: 'https://user:pass@a.example/' }],
    ['a port that is none', { url: 'http://a:99999' }],
    ['no host', { url: 'https://' }],
    ['an event that is none', { url: 'https://a.example/', events: ['DROP TABLE'] }],
    ['an event that is never published', { url: 'https://a.example/', events: ['transaction.bogus'] }],
  ])('refuses a webhook endpoint with %s', async (_what, json) => {
    expect((await developer('/api/v1/webhook-endpoints', { method: 'POST', json })).status).toBe(400)
  })
})
