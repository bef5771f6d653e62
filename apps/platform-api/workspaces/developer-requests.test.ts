import { sendDeveloperRequest } from '@windlass/contracts/platform/developer-requests.ts'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { activeAnchor } from '../testing/anchors.ts'
import { type TestApp, testApp } from '../testing/app.ts'
import { signInOperator } from '../testing/sign-in.ts'
import { refusal } from '../testing/story.ts'

let app: TestApp
let server: Server
let anchor: Awaited<ReturnType<typeof activeAnchor>>
let owner: Awaited<ReturnType<typeof signInOperator>>
const received: { request: IncomingMessage; body: string }[] = []
let reply: { type: string; body: string | Buffer } = { type: 'application/json', body: '[]' }

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => (body += String(chunk)))
    request.on('end', () => {
      received.push({ request, body })
      response.writeHead(201, { 'content-type': reply.type, 'x-request-id': 'req_1', 'set-cookie': 'a=b' })
      response.end(reply.body)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  app = await testApp()
  owner = await signInOperator(app, 'owner@explorer.example')
  anchor = await activeAnchor(app, owner.user.id, 'explorer')
  // As that of an anchor that sleeps: a path comes before its own.
  const api_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/asleep/explorer/business`
  await app.database.db.updateTable('anchors').set({ api_url }).where('id', '=', anchor.id).execute()
})
afterAll(async () => {
  await app.close()
  server.close()
})
beforeEach(() => {
  received.length = 0
  reply = { type: 'application/json', body: '[]' }
})

const send = (body: object, who = owner) =>
  who.call(sendDeveloperRequest, {
    params: { anchorId: anchor.id },
    body: { method: 'GET', ...body } as never,
  })

it('a member sends a request with their own key, and nothing of the platform goes with it', async () => {
  const body = '{"url":"https://example.org/hook"}'
  const answer = await send({ method: 'POST', path: '/api/v1/webhook-endpoints?a=1', key: 'wl_test_1', body })
  expect(answer).toEqual({
    status: 201,
    headers: { 'content-type': 'application/json', 'x-request-id': 'req_1' },
    body: '[]',
    cut: false,
    durationMs: expect.any(Number),
  })
  const [{ request, body: sent }] = received as [(typeof received)[number]]
  expect([request.method, request.url, sent]).toEqual([
    'POST',
    '/asleep/explorer/business/api/v1/webhook-endpoints?a=1',
    body,
  ])
  expect(request.headers).toMatchObject({
    authorization: 'Bearer wl_test_1',
    'x-forwarded-host': 'explorer.anchors.localhost',
  })
  for (const name of Object.keys(request.headers)) expect(name).not.toMatch(/secret|windlass|cookie/)
})

it('without a key the document can be read, and no credential is sent', async () => {
  const body = readFileSync(new URL('../../../docs/api/developer.json', import.meta.url), 'utf8')
  reply = { type: 'application/json; charset=utf-8', body }
  const answer = await send({ path: '/api/v1/openapi.json' })
  expect(received[0]?.request.headers.authorization).toBeUndefined()
  expect(answer).toMatchObject({ body, cut: false })
  // It grows with each release.
  reply = { type: 'application/json', body: body.padEnd(body.length * 3) }
  expect((await send({ path: '/api/v1/openapi.json' })).cut).toBe(false)
})

it.each([
  '/api/v1/../../admin/summary',
  '/api/v1/%2e%2e/%2e%2e/admin/summary',
  '/api/v1/..\\..\\admin/summary',
  '/admin/summary',
  'http://elsewhere.example/api/v1/',
  '//elsewhere.example/api/v1/',
])('the path %s leads to no anchor', async path => {
  expect(await refusal(send({ path, key: 'wl_test_1' }))).toMatchObject({ status: 400 })
  expect(received).toEqual([])
})

it('a stranger reaches no anchor', async () => {
  const stranger = await signInOperator(app, 'stranger@explorer.example')
  expect(await refusal(send({ path: '/api/v1/workspace' }, stranger))).toMatchObject({ status: 404 })
  expect(received).toEqual([])
})

it('a long answer is cut, and a file that is no text is left out', async () => {
  reply = { type: 'text/csv', body: 'x'.repeat(4_200_000) }
  const long = await send({ path: '/api/v1/exports/journal' })
  expect([long.body?.length, long.cut]).toEqual([4 * 1024 * 1024, true])
  reply = { type: 'image/png', body: Buffer.from([137, 80, 78, 71]) }
  expect(await send({ path: '/api/v1/customers/1/files/photo' })).toMatchObject({ body: null, cut: false })
})
