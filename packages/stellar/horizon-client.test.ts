import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { readHorizon } from './horizon-client.ts'

let answers = 0
/** Refuses the first request for a second, and answers all others. */
const horizon = createServer((_request, response) => {
  if (answers++ === 0) response.writeHead(429, { 'retry-after': '1' }).end()
  else response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
})
beforeAll(() => new Promise<void>(resolve => horizon.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  vi.useRealTimers()
  horizon.close()
})

it('sends what moves money after a rate limit, though the clock of the machine was set back meanwhile', async () => {
  const url = `http://127.0.0.1:${(horizon.address() as AddressInfo).port}/`
  await expect(readHorizon(url, { urgency: 'money' })).rejects.toMatchObject({ status: 429 })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 })
  await expect(readHorizon(url, { urgency: 'money' })).resolves.toEqual({})
})
