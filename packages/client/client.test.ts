import { getLiveness } from '@windlass/contracts/health.ts'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createClient } from './client.ts'

it.each([200, 500])(
  'an answer with status %d that never ends is read up to the longest length and then left',
  async status => {
    let sent = 0
    let left = false
    const endless = new ReadableStream<Uint8Array>({
      pull: controller => {
        sent += 100
        controller.enqueue(new Uint8Array(100).fill(32))
      },
      cancel: () => void (left = true),
    })
    const client = createClient({
      baseUrl: '',
      maxBytes: 1_000,
      fetch: async () => new Response(endless, { status }),
    })
    await expect(client.call(getLiveness)).rejects.toThrow('longer than 1000 bytes')
    expect(left).toBe(true)
    expect(sent).toBeLessThan(2_000)
  },
)

it('an answer within the longest length is read whole, also where a character spans two parts', async () => {
  const bytes = new TextEncoder().encode('{"status":"Łukasz"}')
  const parts = new ReadableStream<Uint8Array>({
    start: controller => {
      controller.enqueue(bytes.slice(0, 12))
      controller.enqueue(bytes.slice(12))
      controller.close()
    },
  })
  const client = createClient({ baseUrl: '', maxBytes: bytes.length, fetch: async () => new Response(parts) })
  expect(await client.call(getLiveness)).toEqual({ status: 'Łukasz' })
})

it('a redirect is followed nowhere: the credentials would go along', async () => {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createClient({ baseUrl, headers: { 'x-service-secret': 'secret' } })
  await expect(client.call(getLiveness)).rejects.toThrow()
  await expect(client.open(getLiveness)).rejects.toThrow()
  server.close()
  server.closeAllConnections()
  expect(asked).toEqual(['/health/live', '/health/live'])
})

it('an answer without end is left at sixteen megabytes where no length is given', async () => {
  let sent = 0
  const endless = new ReadableStream<Uint8Array>({
    pull: controller => {
      sent++
      controller.enqueue(new Uint8Array(2 ** 20))
    },
  })
  const client = createClient({ baseUrl: '', fetch: async () => new Response(endless) })
  await expect(client.call(getLiveness)).rejects.toThrow('longer than 16777216 bytes')
  expect(sent).toBeLessThan(20)
})
