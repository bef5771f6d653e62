import { endpoint } from '@windlass/contracts/endpoint.ts'
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

it('reports a service that believes anyone', async () => {
  const faults = await walk(async () => ({ status: 200, body: '{}' }))
  expect(new Set(faults)).toEqual(
    new Set([
      'PUT /things/:thingId with no credential: 200',
      'PUT /things/:thingId with customer: 200',
      "PUT /things/:thingId with another tenant's ids: 200",
    ]),
  )
})

it('reports a fault of ours, but no part that is not there', async () => {
  const answering = (status: number, code: string) =>
    walk(async ({ headers }) =>
      headers.cookie === 'operator' ? { status, body: `{"code":"${code}"}` } : { status: 401, body: '' },
    )
  expect((await answering(500, 'internal-error')).length).toBeGreaterThan(0)
  expect(await answering(503, 'dependency-unavailable')).toEqual([])
  expect(await answering(404, 'not-found')).toEqual([])
})
