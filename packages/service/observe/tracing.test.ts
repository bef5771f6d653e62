import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createClient } from '@windlass/client/client.ts'
import { endpoint } from '@windlass/contracts/endpoint.ts'
import { testDatabase } from '@windlass/testing/database.ts'
import { startCollector, type Collector } from '@windlass/testing/collector.ts'
import { createServer as createHttpServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Type from 'typebox'
import { openDatabase, sharedMigrations, type Database } from '../postgres/database.ts'
import { createLogger } from './logger.ts'
import { loop } from '../work/loop.ts'
import { createOutbound } from '../outbound/outbound.ts'
import { enqueue, startOutbox } from '../work/outbox.ts'
import type { Origin } from './current-request.ts'
import { continueFrom, currentOrigin } from './request-context.ts'
import { createServer, type Server } from '../http/server.ts'
import type { Tracer } from './tracing-sdk.ts'
import { startTracing } from './tracing.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const given = { 'x-request-id': 'order-4711', traceparent: `00-${TRACE}-b7ad6b7169203331-01` }
const step = endpoint('POST /step', {
  realm: 'public',
  summary: 'Step',
  response: { 200: Type.Object({}) },
})

interface Line {
  msg: string
  requestId?: string
  traceId?: string
}

describe('while traces are collected', () => {
  let collector: Collector
  let tracer: Tracer
  let lines: Line[]
  let servers: Server[]
  const logger = () => createLogger('pets', 'info', { write: line => void lines.push(JSON.parse(line)) })
  const serve = async (name: string, act: () => Promise<unknown>): Promise<Server> => {
    const server = await createServer({ name, logger: logger(), documents: false })
    server.on(step).serve(async () => {
      await act()
      return {}
    })
    servers.push(server)
    return server
  }
  beforeEach(async () => {
    ;[lines, servers] = [[], []]
    collector = await startCollector()
    tracer = await startTracing('pets', collector.url)
  })
  afterEach(async () => {
    await tracer.stop()
    await Promise.all(servers.map(server => server.close()))
    await collector.close()
  })

  it('a request is one trace over all services that it reaches, each span the child of the one that caused it', async () => {
    const back = await serve('back', async () => undefined)
    const client = createClient({ baseUrl: `http://127.0.0.1:${await back.listen(0, '127.0.0.1')}` })
    const front = await serve('front', () => client.call(step))
    await front.app.inject({ method: 'POST', url: '/step', headers: given })
    await front.app.inject('/health')
    await tracer.stop()
    const spans = collector.spans()
    const [first, call, second] = ['server', 'client', 'server'].map((kind, index) =>
      spans.filter(span => span.kind === kind).at(index === 2 ? 0 : -1),
    )
    expect(spans.map(({ traceId }) => traceId)).toEqual([TRACE, TRACE, TRACE])
    expect(first).toMatchObject({ name: 'POST /step', parentSpanId: 'b7ad6b7169203331' })
    expect(call).toMatchObject({ name: 'POST 127.0.0.1', parentSpanId: first?.spanId })
    expect(second).toMatchObject({ name: 'POST /step', parentSpanId: call?.spanId })
    expect(first?.attributes).toMatchObject({
      'http.response.status_code': 200,
      'windlass.request_id': 'order-4711',
    })
  })

  it.each([
    ['parentbased_always_off', '01', 0],
    ['parentbased_always_on', '00', 1],
  ])(
    'a stranger’s trace is continued, and recorded as %s says and not as its flag %s',
    async (sampler, flag, recorded) => {
      await tracer.stop()
      vi.stubEnv('OTEL_TRACES_SAMPLER', sampler)
      tracer = await startTracing('pets', collector.url)
      vi.unstubAllEnvs()
      const traceparent = `00-${TRACE}-b7ad6b7169203331-${flag}`
      const seen: unknown[] = []
      const behind = await serve('behind', async () => seen.push(currentOrigin()))
      await behind.app.inject({ method: 'POST', url: '/step', headers: { 'x-windlass-trace': traceparent } })
      const edge = await createServer({
        name: 'edge',
        logger: logger(),
        documents: false,
        cookieRules: false,
      })
      edge.on(step).serve(async () => {
        seen.push(currentOrigin())
        return {}
      })
      servers.push(edge)
      await edge.app.inject({ method: 'POST', url: '/step', headers: { traceparent } })
      await tracer.stop()
      expect(seen).toHaveLength(2)
      for (const origin of seen)
        expect(origin).toMatchObject({ traceparent: expect.stringMatching(`^00-${TRACE}-.*-0${recorded}$`) })
      expect(collector.spans().map(({ traceId }) => traceId)).toEqual(
        Array.from({ length: 2 * recorded }, () => TRACE),
      )
    },
  )

  it('every log line of a request names it and its trace, in each service and once', async () => {
    const log = logger()
    const server = await serve('front', async () => log.info('deep inside'))
    await server.app.inject({ method: 'POST', url: '/step', headers: given })
    log.info('elsewhere')
    const named = { requestId: 'order-4711', traceId: TRACE }
    expect(lines.find(({ msg }) => msg === 'deep inside')).toMatchObject(named)
    expect(lines.find(({ msg }) => msg === 'answered')).toMatchObject(named)
    expect(lines.find(({ msg }) => msg === 'elsewhere')).not.toHaveProperty('requestId')
  })

  it('a failed step is marked without what the error says', async () => {
    const failing = continueFrom({ requestId: 'order-4711' }, 'pay', async () => {
      throw new TypeError('secret 4711')
    })
    await expect(failing).rejects.toThrow('secret 4711')
    await tracer.stop()
    expect(collector.spans()).toMatchObject([{ name: 'pay', kind: 'consumer', failed: true }])
    expect(collector.text()).not.toContain('secret')
  })

  it('a stranger learns neither the request’s id nor its trace', async () => {
    const seen: Record<string, unknown>[] = []
    const stranger = createHttpServer((request, response) => {
      seen.push(request.headers)
      response.end()
    })
    await once(stranger.listen(0, '127.0.0.1'), 'listening')
    const outbound = createOutbound({ allowPrivate: true })
    const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/`
    const server = await serve('front', () => outbound.request(url))
    const { statusCode } = await server.app.inject({ method: 'POST', url: '/step', headers: given })
    expect([statusCode, seen.length]).toEqual([200, 1])
    expect(Object.keys(seen[0] ?? {})).not.toEqual(expect.arrayContaining(['x-request-id']))
    expect(Object.keys(seen[0] ?? {})).not.toEqual(expect.arrayContaining(['traceparent']))
    await outbound.close()
    stranger.close()
    await tracer.stop()
    expect(
      collector
        .spans()
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual(['client', 'server'])
  })
})

it('work that a request wakes but that is done for everyone is not the request’s', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<Origin | null>()
  const work = loop({
    name: 'work',
    everyMs: null,
    startNow: false,
    logger: createLogger('pets', 'silent'),
    act: async () => resolve(currentOrigin()),
  })
  await continueFrom({ requestId: 'order-4711' }, 'wake', async () => work.wake())
  expect(await asked).toBeNull()
  await work.stop()
})

describe('a message of the outbox', () => {
  let database: Database<unknown>
  let drop: () => Promise<void>
  beforeAll(async () => {
    const own = await testDatabase(sharedMigrations)
    database = openDatabase(own.url, { name: 'tracing', max: 3 })
    drop = own.drop
  })
  afterAll(async () => {
    await database.close()
    await drop()
  })

  it('is delivered for the request that wrote it', async () => {
    const origin = { requestId: 'order-4711', traceparent: given.traceparent }
    const seen = new Map<string, Origin | null>()
    await continueFrom(origin, 'write', () => enqueue(database.db, 'news', 'of a request', {}))
    await enqueue(database.db, 'news', 'of nobody', {})
    const outbox = startOutbox({
      database,
      logger: createLogger('pets', 'silent'),
      deliver: { news: async ({ key }) => void seen.set(key, currentOrigin()) },
    })
    await expect.poll(() => seen.size).toBe(2)
    await outbox.stop()
    expect(seen.get('of a request')).toEqual(origin)
    expect(seen.get('of nobody')).toBeNull()
  })
})
