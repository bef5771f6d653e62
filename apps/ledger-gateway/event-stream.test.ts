import { createLogger } from '@windlass/service/observe/logger.ts'
import { systemClock } from '@windlass/service/work/clock.ts'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { Budget } from './budget.ts'
import { followStream, type StreamEvent } from './event-stream.ts'

it('keeps the beginning of an event that is too large, with its id, and reads the next ones', async () => {
  const account = `G${'A'.repeat(55)}`
  const large = Buffer.alloc(3 * 1024 * 1024, 'x').toString()
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`id: 1\ndata: {"from":"${account}","rest":"${large}"}\n\n`)
    response.write('id: 2\ndata: {"small":true}\n\n')
    response.write(`id: 3\ndata: {"rest":"${large}`)
    setTimeout(() => response.write('"}\n\nid: 4\ndata: {}\n\n'), 100)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const events: StreamEvent[] = []
  const stream = followStream({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/payments`,
    onEvent: event => events.push(event),
    onGap: () => undefined,
    network: { require: async () => undefined, fault: null },
    budget: new Budget(systemClock),
    logger: createLogger('test', 'silent'),
    silentMs: 60_000,
  })
  onTestFinished(() => stream.stop())
  await expect.poll(() => events.length).toBe(4)
  expect(events.map(({ id, isCut }) => [id, isCut])).toEqual([
    ['1', true],
    ['2', false],
    ['3', true],
    ['4', false],
  ])
  expect(events[0]?.data).toContain(account)
  expect(Math.max(...events.map(({ data }) => data.length))).toBeLessThan(1_100_000)
})
