import { createServer } from './server.ts'
import { createLogger } from '../observe/logger.ts'
import { once } from 'node:events'
import { request } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'

const MB = 1024 * 1024

it('a client cannot fill a process with large bodies, nor keep others from uploading', async () => {
  const proxySecret = 'p'.repeat(40)
  const server = await createServer({
    name: 'test',
    logger: createLogger('test', 'silent'),
    documents: false,
    proxySecret,
  })
  server.app.post(
    '/upload',
    { bodyLimit: 24 * MB, config: { body: 'raw' } },
    async ({ rawBytes }) => rawBytes?.length,
  )
  const port = await server.listen(0, '127.0.0.1')
  onTestFinished(() => server.close())
  const begin = (address: string, bytes: number) => {
    const sending = request({
      ...{ port, host: '127.0.0.1', path: '/upload', method: 'POST' },
      headers: {
        'content-length': bytes,
        'content-type': 'application/octet-stream',
        'x-windlass-proxy': proxySecret,
        'x-forwarded-for': address,
      },
    })
    sending.on('error', () => undefined)
    const answer = once(sending, 'response').then(
      ([response]) => response.resume().statusCode as number,
      () => null,
    )
    sending.write(Buffer.alloc(1))
    return { answer, finish: () => sending.end(Buffer.alloc(bytes - 1)), leave: () => sending.destroy() }
  }
  // Sixteen at once, as one stranger with one free key sends them; none is sent to its end.
  const held = Array.from({ length: 16 }, () => begin('203.0.113.7', 4 * MB))
  const refused = await Promise.all(held.slice(8).map(({ answer }) => answer))
  expect(refused).toEqual(Array(8).fill(429))

  const other = begin('198.51.100.1', 24 * MB)
  other.finish()
  expect(await other.answer).toBe(200)

  for (const { leave } of held) leave()
  const next = async () => {
    const again = begin('203.0.113.7', 24 * MB)
    again.finish()
    return again.answer
  }
  await expect.poll(next).toBe(200)
})
