import { endpoint } from '@windlass/contracts/endpoint.ts'
import { getQuote } from '@windlass/contracts/aggregator/quotes.ts'
import Type from 'typebox'
import { expect, it } from 'vitest'
import { declaredEndpoints, walkEndpoints, type Walk } from './walk.ts'

const rename = endpoint('PUT /things/:thingId', {
  realm: 'operator',
  summary: 'Renames',
  params: Type.Object({ thingId: Type.String() }),
  body: Type.Object({ name: Type.String() }),
  response: { 200: Type.Object({}) },
})
const credentials: Walk['credentials'] = {
  operator: async () => ({ cookie: 'operator' }),
  customer: async () => ({ cookie: 'customer' }),
}
const walk = (send: Walk['send']) =>
  walkEndpoints({ endpoints: [rename], credentials, foreignIds: { thingId: ['theirs'] }, send })

it('finds every endpoint of the contracts', async () => {
  const names = (await declaredEndpoints()).map(({ method, path }) => `${method} ${path}`)
  expect(names).toContain('POST /api/v1/applications')
  expect(names).toContain('POST /route')
})

it('reports a service that accepts any credential', async () => {
  const faults = await walk(async () => ({ status: 200, body: '{}' }))
  expect(new Set(faults)).toEqual(
    new Set([
      'PUT /things/:thingId with no credential: 200',
      'PUT /things/:thingId with customer: 200',
      "PUT /things/:thingId with another tenant's ids: 200",
    ]),
  )
})

it('reports an answer to someone with a credential that may be kept', async () => {
  const answering = (cacheControl: string) =>
    walk(async ({ headers }) => ({
      status: headers.cookie === 'operator' ? 404 : 401,
      body: '',
      cacheControl,
    }))
  expect(await answering('no-cache')).toEqual([
    'PUT /things/:thingId answers 401 without Cache-Control: no-store',
  ])
  expect(await answering('no-store, no-transform')).toEqual([])
})

it('reports a limit that is not declared', async () => {
  const counting = { status: 401, body: '', isCounted: true }
  expect(
    await walk(async ({ headers }) => ({ ...counting, status: headers.cookie === 'operator' ? 404 : 401 })),
  ).toEqual(['PUT /things/:thingId counts requests and does not declare 429'])
})

it('reports an endpoint without a credential that declares no limit, or one that it does not keep', async () => {
  const walkPublic = (limit: object) => {
    const open = endpoint('GET /open', {
      realm: 'public',
      summary: 'Reads',
      response: { 200: Type.Object({}) },
      ...limit,
    })
    const send: Walk['send'] = async () => ({ status: 200, body: '{}', isCounted: false })
    return walkEndpoints({ endpoints: [open], credentials: {}, foreignIds: {}, send })
  }
  expect(await walkPublic({})).toEqual(['GET /open needs no credential and declares no limit'])
  expect(await walkPublic({ limit: 'client' })).toEqual(['GET /open declares a limit and counts nothing'])
  expect(await walkPublic({ limit: { unlimited: 'It reads nothing.' } })).toEqual([])
})

it('reports a server fault, but not an unavailable dependency', async () => {
  const answering = (status: number, code: string) =>
    walk(async ({ headers }) =>
      headers.cookie === 'operator' ? { status, body: `{"code":"${code}"}` } : { status: 401, body: '' },
    )
  expect((await answering(500, 'internal-error')).length).toBeGreaterThan(0)
  expect(await answering(503, 'dependency-unavailable')).toEqual([])
  expect(await answering(404, 'not-found')).toEqual([])
})

it.each([
  ['a status', 418, 'application/json', '{}', /answers 418, which its document does not declare/],
  ['a content type', 200, 'text/html', '<p>', /answers 200 as text\/html/],
  ['a body', 200, 'application/json', '{"id":7}', /must have required property/],
  ['a problem', 404, 'application/problem+json', '{"code":"route-not-changeable"}', /answers 404 with what/],
])('reports %s that the document does not declare', async (_what, status, contentType, body, fault) => {
  const faults = await walkEndpoints({
    endpoints: [getQuote],
    credentials: {},
    foreignIds: {},
    documents: ['aggregator'],
    send: async () => ({ status, contentType, body }),
  })
  expect(faults).toContainEqual(expect.stringMatching(fault))
})
