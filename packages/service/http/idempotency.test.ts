import { endpoint } from '@windlass/contracts/endpoint.ts'
import { testDatabase, type TestDatabase } from '@windlass/testing/database.ts'
import { randomUUID } from 'node:crypto'
import Type from 'typebox'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openDatabase, sharedMigrations, type Database } from '../postgres/database.ts'
import { TooManyWaiting } from '../postgres/turns.ts'
import { answer } from './answer.ts'
import { createIdempotency } from './idempotency.ts'
import { createLogger } from '../observe/logger.ts'
import { Problem } from './problem.ts'
import { createServer, type Server } from './server.ts'

const Thing = Type.Object({ id: Type.String(), name: Type.String() })
const shape = {
  realm: 'operator',
  summary: 'Makes a thing',
  body: Type.Object({ name: Type.String() }),
  query: Type.Object({ colour: Type.Optional(Type.String()) }),
} as const
const make = endpoint('POST /things', { ...shape, idempotent: 'replay', response: { 201: Thing } })
const makeSecret = endpoint('POST /keys', { ...shape, idempotent: 'secret', response: { 201: Thing } })
const makeUnder = endpoint('POST /boxes/:box/things', {
  ...shape,
  params: Type.Object({ box: Type.String() }),
  idempotent: 'replay',
  response: { 201: Thing },
})
const upload = endpoint('POST /upload', {
  realm: 'operator',
  summary: 'Takes bytes',
  raw: true,
  idempotent: 'replay',
  response: { 201: Thing },
})
const done = endpoint('POST /done', {
  realm: 'operator',
  summary: 'Answers nothing',
  idempotent: 'replay',
  response: { 204: Type.Undefined() },
})

let test: TestDatabase
let database: Database<never>
let server: Server
const made: string[] = []
let act: (name: string) => Promise<void> = async () => undefined

beforeAll(async () => {
  test = await testDatabase(sharedMigrations)
  database = openDatabase(test.url, { name: 'test' })
  server = await createServer({
    name: 'things',
    logger: createLogger('test', 'silent'),
    idempotency: createIdempotency(database.pool),
    guards: {
      operator: ({ headers }) => ({
        userId: String(headers['x-user'] ?? 'ada'),
        email: 'ada@acme.test',
        sessionId: String(headers['x-session'] ?? 'one'),
        fullName: 'Ada',
        organizationId: null,
      }),
    },
  })
  const thing = async (name: string) => {
    await act(name)
    const id = randomUUID()
    made.push(id)
    return { id, name }
  }
  server.on(make).serve(({ body }) => thing(body.name))
  server.on(makeSecret).serve(({ body }) => thing(body.name))
  server.on(makeUnder).serve(({ body }) => thing(body.name))
  server.on(upload).serve(({ raw }) => thing(raw.toString()))
  server.on(done).serve(async () => {
    await thing('done')
    return answer(204, undefined)
  })
})
afterAll(async () => {
  await server.close()
  await database.close()
  await test.drop()
})
beforeEach(() => {
  made.length = 0
  act = async () => undefined
})

async function post(url: string, key: string | null, body: unknown = { name: 'x' }, headers = {}) {
  const { statusCode, ...response } = await server.app.inject({
    method: 'POST',
    url,
    payload: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      ...(key === null ? {} : { 'idempotency-key': key }),
      ...headers,
    },
  })
  const text = response.body
  return {
    status: statusCode,
    replayed: response.headers['idempotency-replayed'],
    ...(response.headers['retry-after'] ? { retryAfter: response.headers['retry-after'] } : {}),
    body: text ? (JSON.parse(text) as { id?: string; code?: string }) : null,
  }
}

describe('a request with an Idempotency-Key', () => {
  it('that comes again gets the first answer and does nothing', async () => {
    const key = randomUUID()
    const first = await post('/things', key)
    const again = await post('/things', key)
    expect(first).toMatchObject({ status: 201, replayed: undefined })
    expect(again).toEqual({ ...first, replayed: 'true' })
    expect(made).toHaveLength(1)
    expect((await post('/done', key)).status).toBe(204)
    expect(await post('/done', key)).toEqual({ status: 204, replayed: 'true', body: null })
  })

  it.each([
    ['body', '/things', { name: 'y' }],
    ['query', '/things?colour=red', { name: 'x' }],
  ])('and another %s is refused', async (_what, url, body) => {
    const key = randomUUID()
    await post('/things', key)
    expect(await post(url, key, body)).toMatchObject({
      status: 422,
      body: { code: 'idempotency-key-reused' },
    })
    expect(made).toHaveLength(1)
  })

  it('and another path parameter or other bytes is refused', async () => {
    const key = randomUUID()
    await post('/boxes/a/things', key)
    expect((await post('/boxes/b/things', key)).status).toBe(422)
    await post('/upload', key, 'one')
    expect((await post('/upload', key, 'two')).status).toBe(422)
    expect((await post('/upload', key, 'one')).replayed).toBe('true')
  })

  it('is carried out once when it comes many times at once', async () => {
    const key = randomUUID()
    act = () => new Promise(resolve => setTimeout(resolve, 50))
    const answers = await Promise.all(Array.from({ length: 10 }, () => post('/things', key)))
    expect(made).toHaveLength(1)
    expect(answers.filter(({ status, replayed }) => status === 201 && !replayed)).toHaveLength(1)
    const others = answers.filter(({ status }) => status !== 201)
    expect(others.length).toBeGreaterThan(0)
    for (const other of others)
      expect(other).toMatchObject({
        status: 409,
        retryAfter: '1',
        body: { code: 'idempotency-key-in-flight' },
      })
    expect((await post('/things', key)).replayed).toBe('true')
  })

  it('whose answer held a secret is not repeated, and the secret not kept', async () => {
    const key = randomUUID()
    const { body } = await post('/keys', key)
    expect(await post('/keys', key)).toMatchObject({ status: 409, body: { code: 'idempotency-key-secret' } })
    const { rows } = await database.pool.query('select row_to_json(k)::text as row from idempotency_keys k')
    expect(JSON.stringify(rows)).not.toContain(body!.id)
    expect(made).toHaveLength(1)
  })

  it('that was refused may be mended and sent again', async () => {
    const key = randomUUID()
    act = () => Promise.reject(new Problem('forbidden', 'Not today.'))
    expect((await post('/things', key)).status).toBe(403)
    expect((await post('/things', key, { name: 7 })).status).toBe(400)
    act = async () => undefined
    expect((await post('/things', key, { name: 'mended' })).status).toBe(201)
  })

  it('that met a full queue, which could not free its key either, may be sent again soon', async () => {
    const key = randomUUID()
    const query = vi.spyOn(database.pool, 'query')
    act = async () => {
      query.mockImplementationOnce(() => Promise.reject(new TooManyWaiting()))
      throw new TooManyWaiting()
    }
    expect(await post('/things', key)).toMatchObject({ status: 503, retryAfter: '5' })
    query.mockRestore()
    act = async () => undefined
    await expect.poll(async () => (await post('/things', key)).status, { timeout: 10_000 }).toBe(201)
    expect(made).toHaveLength(1)
  })

  it('is its sender’s: another user has keys of their own, the same user in a new session has not', async () => {
    const key = randomUUID()
    const first = await post('/things', key)
    const other = await post('/things', key, { name: 'x' }, { 'x-user': 'bob' })
    expect(other.body!.id).not.toBe(first.body!.id)
    expect((await post('/things', key, { name: 'x' }, { 'x-session': 'two' })).body).toEqual(first.body)
    expect(made).toHaveLength(2)
  })

  it('that is done answers even where the answer cannot be kept, and is not done again', async () => {
    const key = randomUUID()
    act = async () => void (await database.pool.query('alter table idempotency_keys rename to elsewhere'))
    expect((await post('/things', key)).status).toBe(201)
    await database.pool.query('alter table elsewhere rename to idempotency_keys')
    act = async () => undefined
    expect((await post('/things', key)).body?.code).toBe('idempotency-key-in-flight')
    expect(made).toHaveLength(1)
  })

  it('is forgotten after a day', async () => {
    const key = randomUUID()
    await post('/things', key)
    await database.pool.query("update idempotency_keys set started_at = now() - interval '25 hours'")
    expect(await post('/things', key, { name: 'other' })).toMatchObject({ status: 201, replayed: undefined })
    await database.pool.query("update idempotency_keys set started_at = now() - interval '25 hours'")
    await createIdempotency(database.pool)
      .once(make, { headers: { 'idempotency-key': 'x' } } as never, async () => answer(201, {}))
      .catch(() => undefined)
    await expect
      .poll(
        async () =>
          (await database.pool.query('select 1 from idempotency_keys where key = $1', [key])).rowCount,
      )
      .toBe(0)
  })

  it('that is too long is refused, and none means no promise', async () => {
    expect((await post('/things', 'x'.repeat(256))).status).toBe(400)
    await post('/things', null)
    await post('/things', null)
    expect(made).toHaveLength(2)
  })
})
