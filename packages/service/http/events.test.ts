import http from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { MOST_STREAMS, openEvents, type SentEvent } from './events.ts'
import { createLogger } from '../observe/logger.ts'
import { createServer, type Server } from './server.ts'

let server: Server
afterEach(() => server.close())

async function serve(act: (events: ReturnType<typeof openEvents>) => void): Promise<number> {
  server = await createServer({ name: 'events', logger: createLogger('test', 'silent'), documents: false })
  server.app.get('/events', async (_request, reply) => {
    act(openEvents(reply))
    return reply
  })
  return server.listen(0, '127.0.0.1')
}

describe('a stream of events', () => {
  it('has the form of the specification, and ends when its server ends it', async () => {
    const port = await serve(events => {
      events.send({ id: '7', event: 'progress', data: { text: 'line\nbreak' } })
      events.send({ data: null })
      events.close()
    })
    const answer = await fetch(`http://127.0.0.1:${port}/events`)
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(answer.headers.get('cache-control')).toContain('no-store')
    expect(answer.headers.get('x-request-id')).toBeTruthy()
    expect(await answer.text()).toBe(
      'retry: 2000\n\nid: 7\nevent: progress\ndata: {"text":"line\\nbreak"}\n\ndata: null\n\n',
    )
  })

  it('tells when its reader is gone, and then sends nothing', async () => {
    const { promise: gone, resolve } = Promise.withResolvers<(event: SentEvent) => void>()
    const port = await serve(events => events.closed.addEventListener('abort', () => resolve(events.send)))
    http.get(`http://127.0.0.1:${port}/events`, response => response.destroy())
    const send = await gone
    expect(() => send({ data: 'late' })).not.toThrow()
  })

  it('lets a reader go that has stopped reading', async () => {
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    const port = await serve(events => {
      const timer = setInterval(() => events.send({ data: 'x'.repeat(200_000) }), 1)
      events.closed.addEventListener('abort', () => {
        clearInterval(timer)
        resolve()
      })
    })
    const request = http.get(`http://127.0.0.1:${port}/events`, response => response.pause())
    request.on('error', () => undefined)
    await gone
    request.destroy()
  })

  it('is refused to a client that has as many as it may, until one of them ends, and to nobody else', async () => {
    let client = '192.0.2.7'
    server = await createServer({ name: 'events', logger: createLogger('test', 'silent'), documents: false })
    server.app.get('/events', async (_request, reply) => {
      openEvents(reply, client)
      return reply
    })
    const port = await server.listen(0, '127.0.0.1')
    const leaving: AbortController[] = []
    const ask = () => {
      const left = new AbortController()
      leaving.push(left)
      return fetch(`http://127.0.0.1:${port}/events`, { signal: left.signal })
    }
    for (let n = 0; n < MOST_STREAMS; n++) expect((await ask()).status).toBe(200)
    const refused = await ask()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
    expect(await refused.json()).toMatchObject({ code: 'too-many-requests' })
    client = '192.0.2.8'
    expect((await ask()).status).toBe(200)
    client = '192.0.2.7'
    leaving[0]?.abort()
    await expect.poll(async () => (await ask()).status).toBe(200)
    for (const each of leaving) each.abort()
  })

  it('of a client that leaves before it opens does not count, and tells that its reader is gone', async () => {
    const streams: AbortSignal[] = []
    server = await createServer({ name: 'events', logger: createLogger('test', 'silent'), documents: false })
    server.app.get('/events', async (_request, reply) => {
      await new Promise(resolve => reply.raw.on('close', resolve))
      streams.push(openEvents(reply, '192.0.2.9').closed)
      return reply
    })
    const port = await server.listen(0, '127.0.0.1')
    for (let n = 0; n <= MOST_STREAMS; n++) {
      const request = http.get(`http://127.0.0.1:${port}/events`).on('error', () => undefined)
      request.on('socket', socket => socket.on('connect', () => setTimeout(() => request.destroy(), 20)))
    }
    await expect.poll(() => streams.length).toBe(MOST_STREAMS + 1)
    expect(streams.map(({ aborted }) => aborted)).not.toContain(false)
  })
})
