import { createServer, type Server } from 'node:http'
import { createServer as createNetServer, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fetchPart } from './fetch-part.ts'
import { openAnswer } from './open-answer.ts'

let server: Server
let url: string
let closed = 0
beforeAll(async () => {
  server = createServer((request, response) => {
    const [, status = '', to] = /^\/(\d+)(\/.*)?$/.exec(request.url ?? '') ?? []
    if (status) return void response.writeHead(Number(status), to ? { location: to } : {}).end('moved')
    if (request.url === '/stops') return void response.on('close', () => closed++).write('some')
    if (request.url === '/gzip')
      return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"some":1}'))
    const cut = { '/gzip-empty': 0, '/gzip-cut': 20 }[request.url ?? '']
    if (cut !== undefined)
      return void response
        .writeHead(200, { 'content-encoding': 'gzip' })
        .end(gzipSync('{"some":1}').subarray(0, cut))
    void text(request).then(body => {
      const { 'content-type': type, accept } = request.headers
      response.end(JSON.stringify({ method: request.method, type, accept, body }))
    })
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const signal = AbortSignal.timeout(60_000)
const headers = { accept: 'application/json' }
const form = () => new URLSearchParams({ tx: 'a b' })

it.each([...['/', '/gzip', '/gzip-empty', '/gzip-cut', '/301/', '/302/302/307/', '/302', '/404', '/404/']])(
  'gets %s as fetch does',
  async path => {
    const [ours, nodes] = [
      await openAnswer(url + path, { headers, signal }),
      await fetch(url + path, { headers }),
    ]
    expect([ours.status, ours.ok, await text(ours.body)]).toEqual([
      nodes.status,
      nodes.ok,
      await nodes.text(),
    ])
  },
)

it.each(['/', '/301/', '/303/', '/307/', '/308/302/'])('posts a form to %s as fetch does', async path => {
  const [ours, nodes] = [
    await openAnswer(url + path, { headers, body: form(), signal }),
    await fetch(url + path, { method: 'POST', headers, body: form() }),
  ]
  expect(JSON.parse(await text(ours.body))).toEqual(await nodes.json())
})

it('follows no more redirects than it may', async () => {
  const loop = `${url}/302${'/302'.repeat(20)}/`
  await expect(openAnswer(loop, { signal })).rejects.toThrow('sends on')
  await expect(fetch(loop)).rejects.toThrow()
  await expect(openAnswer(`${url}/307/`, { body: '{}', signal, redirects: 0 })).rejects.toThrow('sends on')
})

it('leaves the process alone where an answer fails before it is read', async () => {
  const failed: unknown[] = []
  const note = (error: unknown): void => void failed.push(error)
  process.on('uncaughtException', note)
  const broken = createNetServer(socket => {
    socket.on('error', () => undefined)
    socket.once('data', () =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nwhat'),
    )
  })
  await new Promise<void>(done => broken.listen(0, '127.0.0.1', done))
  const { port } = broken.address() as AddressInfo
  for (const path of [`http://127.0.0.1:${port}/`, `${url}/gzip-empty`, `${url}/gzip-cut`]) {
    const [read, cancelled] = [await openAnswer(path, { signal }), await openAnswer(path, { signal })]
    await sleep(50)
    cancelled.cancel()
    await text(read.body).catch(() => undefined)
  }
  await sleep(50)
  process.off('uncaughtException', note)
  broken.close()
  expect(failed).toEqual([])
})

it('is not opened after its signal, also while there is no connection yet', async () => {
  const before = getGlobalDispatcher()
  setGlobalDispatcher(new Agent({ connect: () => undefined }))
  const soon = () => AbortSignal.timeout(50)
  const asked = [
    openAnswer(url, { signal: soon() }),
    openAnswer(url, { signal: AbortSignal.abort() }),
    fetchPart(url, { signal: soon() }),
  ]
  setGlobalDispatcher(before)
  const errors = (await Promise.allSettled(asked)).map(each => each.status === 'rejected' && each.reason.name)
  expect(errors).toEqual(['TimeoutError', 'AbortError', 'TimeoutError'])
})

it('ends an answer that stops, and one that nobody reads', async () => {
  const patience = new AbortController()
  const stopped = await openAnswer(`${url}/stops`, { signal: patience.signal })
  patience.abort(new Error('it took too long'))
  await expect(text(stopped.body)).rejects.toThrow('it took too long')
  closed = 0
  const unread = await openAnswer(`${url}/stops`, { signal })
  unread.cancel()
  await expect.poll(() => closed).toBeGreaterThan(0)
})
