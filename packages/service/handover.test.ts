import { Agent, get, type IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { handOver } from './handover.ts'
import { createLogger } from './logger.ts'
import { createServer } from './server.ts'

const answerOf = (port: number, path: string, agent: Agent) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent }, answer => {
      answer.resume().once('end', () => resolve(answer))
    }).once('error', reject)
  })

it('a service that another one replaces answers requests under way and on kept connections, and accepts no new one', async () => {
  const server = await createServer({ name: 'test', logger: createLogger('test', 'silent') })
  const begun = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  server.app.get('/slow', async () => {
    begun.resolve()
    await held.promise
    return 'done'
  })
  const port = await server.listen(0, '127.0.0.1')
  const [kept, other] = [new Agent({ keepAlive: true }), new Agent()]
  expect((await answerOf(port, '/health/live', kept)).headers.connection).toBe('keep-alive')
  const slow = answerOf(port, '/slow', other)
  await begun.promise

  const empty = handOver()
  await expect(answerOf(port, '/health/live', new Agent())).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  const { statusCode, headers } = await answerOf(port, '/health/live', kept)
  expect([statusCode, headers.connection]).toEqual([200, 'close'])
  held.resolve()
  expect((await slow).statusCode).toBe(200)
  await empty
  await server.close()
})
