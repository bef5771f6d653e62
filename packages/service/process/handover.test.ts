import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { handOver } from './handover.ts'
import { createLogger } from '../observe/logger.ts'
import { createServer } from '../http/server.ts'

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
  const refusal = () =>
    answerOf(port, '/health/live', new Agent()).then(
      () => null,
      ({ code }) => code,
    )
  await expect.poll(refusal, { interval: 5 }).toBe('ECONNREFUSED')
  const { statusCode, headers } = await answerOf(port, '/health/live', kept)
  expect([statusCode, headers.connection]).toEqual([200, 'close'])
  held.resolve()
  expect((await slow).statusCode).toBe(200)
  await empty
  await server.close()
})

it('a service that another one replaces answers those whose connections the system has, too', async () => {
  const server = await createServer({ name: 'test', logger: createLogger('test', 'silent') })
  const port = await server.listen(0, '127.0.0.1')
  const signal = new Int32Array(new SharedArrayBuffer(4))
  const clients = new Worker(CLIENTS, { eval: true, workerData: { port, signal } })
  const answers = once(clients, 'message')
  // As long as this thread waits it accepts none.
  expect(Atomics.wait(signal, 0, 0, 30_000)).not.toBe('timed-out')
  await handOver()
  expect((await answers)[0]).toEqual(Array.from({ length: 20 }, () => 'HTTP/1.1 200 OK'))
  await server.close()
})

/** Twenty clients that ask once all are connected; their answers' first lines, or what went wrong. */
const CLIENTS = `
  const { parentPort, workerData: { port, signal } } = require('node:worker_threads')
  const { connect } = require('node:net')
  let connected = 0
  const answer = () => new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      if (++connected < 20) return
      Atomics.store(signal, 0, 1)
      Atomics.notify(signal, 0)
    })
    socket.write('GET /health/live HTTP/1.1\\r\\nhost: localhost\\r\\nconnection: close\\r\\n\\r\\n')
    socket.once('data', data => resolve(String(data).split('\\r\\n')[0]))
    socket.once('error', error => resolve(error.code))
  })
  Promise.all(Array.from({ length: 20 }, answer)).then(answers => parentPort.postMessage(answers))
`
