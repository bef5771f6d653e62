import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fetchPart } from './fetch-part.ts'

let server: Server
let url: string
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/hangs') return
    if (request.url === '/moved') return void response.writeHead(302, { location: '/' }).end()
    if (request.url === '/endless') {
      const part = Buffer.alloc(2 ** 20, 'x')
      const write = (): void => void (response.destroyed || response.write(part, () => write()))
      return write()
    }
    if (request.url === '/empty') return void response.writeHead(204).end()
    void text(request).then(body => {
      response.writeHead(request.url === '/refused' ? 409 : 200, { 'set-cookie': ['a=1', 'b=2'] })
      response.end(JSON.stringify({ method: request.method, key: request.headers['x-api-key'], body }))
    })
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

it('sends and answers as fetch does', async () => {
  for (const path of ['/', '/refused']) {
    const init = { method: 'POST', headers: { 'x-api-key': 'k' }, body: '{"ä":1}' }
    const [ours, nodes] = [await fetchPart(url + path, init), await fetch(url + path, init)]
    expect([ours.status, ours.headers.getSetCookie(), ours.header('set-cookie')]).toEqual([
      nodes.status,
      nodes.headers.getSetCookie(),
      'a=1,b=2',
    ])
    expect(JSON.parse(ours.text)).toEqual(await nodes.json())
  }
  expect(JSON.parse((await fetchPart(url, {})).text).method).toBe('GET')
  const empty = await fetchPart(`${url}/empty`, {})
  expect([empty.status, empty.text]).toEqual([204, ''])
})

it('sends streams too', async () => {
  const body = new Blob(['in ', 'parts']).stream()
  const init = { method: 'PUT', body, duplex: 'half' } as RequestInit
  expect(JSON.parse((await fetchPart(url, init)).text)).toMatchObject({ method: 'PUT', body: 'in parts' })
})

it('leaves an answer that never ends', async () => {
  await expect(fetchPart(`${url}/endless`, {})).rejects.toThrow('longer than 16777216 bytes')
})

it('follows nobody, and gives up when it is aborted', async () => {
  expect((await fetchPart(`${url}/moved`, {})).status).toBe(302)
  const file = { method: 'PUT', body: new Blob(['x']) }
  expect((await fetchPart(`${url}/moved`, file)).status).toBe(302)
  await expect(fetchPart(`${url}/hangs`, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
    name: 'TimeoutError',
  })
  await expect(fetchPart('http://127.0.0.1:9', {})).rejects.toThrow()
})
