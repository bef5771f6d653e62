import { signWebhook } from '@windlass/service/outbound/webhooks.ts'
import { createHmac, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { fundedWallet, logIn, registerWallet, until } from '../wallet.ts'
import { ask, running } from './anchor-under-test.ts'

describe('the identity provider’s webhook', () => {
  const path = '/api/v1/customer/kyc/webhook'
  const report = (customerId: string, status: string, completedAt: string) =>
    JSON.stringify({
      event: 'session.completed',
      data: { sessionId: randomUUID(), status, customerId, completedAt },
    })
  const send = (body: string, headers: Record<string, string>) =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      token: null,
    })
  const signed = (body: string, id = randomUUID()) =>
    send(body, signWebhook(running.secrets.webhook, id, body, new Date()))
  const known = async (centralId: string) =>
    (await running.query('select status from business.kyc_statuses where central_id = $1', [centralId]))[0]
      ?.status

  it('accepts a customer of whom only the platform knows, passes it to the platform as it came', async () => {
    running.platform.customers.set('cus_new', { status: 'NEEDS_INFO', wallets: new Set() })
    const body = report('cus_new', 'APPROVED', '2026-03-01T10:00:00.000Z')
    const id = randomUUID()
    expect((await signed(body, id)).status).toBe(200)
    expect((await signed(body, id)).status).toBe(200)
    expect(await known('cus_new')).toBe('ACCEPTED')
    await until(
      'the platform knows',
      async () => running.platform.customers.get('cus_new')?.status === 'ACCEPTED',
    )
    const reports = running.platform.reports.filter(
      each => (each as { customerId: string }).customerId === 'cus_new',
    )
    const { evidence } = reports[0] as { evidence: { body: string; headers: Record<string, string> } }
    expect(Buffer.from(evidence.body, 'base64').toString()).toBe(body)
    expect(evidence.headers['webhook-id']).toBe(id)
  })

  it('lets no older decision overwrite a newer one', async () => {
    running.platform.customers.set('cus_order', { status: 'NEEDS_INFO', wallets: new Set() })
    await signed(report('cus_order', 'APPROVED', '2026-03-01T10:00:00.000Z'))
    await signed(report('cus_order', 'DECLINED', '2026-03-01T09:59:59.000Z'))
    expect(await known('cus_order')).toBe('ACCEPTED')
  })

  it('takes x-signature, and lets a standard signature alone decide where it is there', async () => {
    running.platform.customers.set('cus_hex', { status: 'NEEDS_INFO', wallets: new Set() })
    const body = report('cus_hex', 'APPROVED', '2026-03-01T10:00:00.000Z')
    const hex = createHmac('sha256', running.secrets.webhook).update(body).digest('hex')
    const wrong = signWebhook('another secret, long enough', 'x', body, new Date())
    expect((await send(body, { 'x-signature': hex, ...wrong })).status).toBe(401)
    expect(await known('cus_hex')).toBeUndefined()
    expect((await send(body, { 'x-signature': `sha256=${hex}` })).status).toBe(200)
    expect(await known('cus_hex')).toBe('ACCEPTED')
  })

  it.each([
    ['no signature', 401, () => send(report('cus_new', 'APPROVED', '2026-03-01T10:00:00Z'), {})],
    ['a customer of nobody', 404, () => signed(report('cus_nobody', 'APPROVED', '2026-03-01T10:00:00Z'))],
    ['an unknown status', 400, () => signed(report('cus_new', 'FINE', '2026-03-01T10:00:00Z'))],
    ['no JSON', 400, () => signed('{')],
    ['70 KB', 413, () => signed('x'.repeat(70_000))],
  ])('refuses %s with %i', async (_what, status, act) => {
    const answer = await act()
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
  })

  it('is to be sent again while the platform is down, and approves nobody meanwhile', async () => {
    const wallet = await fundedWallet(running)
    const id = registerWallet(running, wallet, 'NEEDS_INFO')
    const mine = await logIn(running, wallet)
    await ask('/sep12/customer', { method: 'PUT', token: mine, json: { first_name: 'A' } })
    const body = report(id, 'APPROVED', '2026-03-01T10:00:00Z')
    running.platform.down = true
    expect((await signed(body)).status).toBe(503)
    expect((await ask('/sep12/customer', { token: mine })).body.status).not.toBe('ACCEPTED')
    running.platform.down = false
    expect((await signed(body)).status).toBe(200)
    expect((await ask('/sep12/customer', { token: mine })).body.status).toBe('ACCEPTED')
  })
})
