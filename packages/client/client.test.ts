import { getLiveness } from '@windlass/contracts/health.ts'
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
