import { STAND_IN } from '@windlass/contracts/internal/proxy-routes.ts'
import { createLogger } from '@windlass/service/observe/logger.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import { type AddressInfo, BlockList, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRouteTable } from '../routes/route-table.ts'
import { createActivity } from './activity.ts'
import { createProxy, type Proxy } from './proxy.ts'

const HOST = 'acme.anchors.localhost'
let port: number
let front: Front
/** It waits as long as a busy machine needs. */
let patient: Front

interface Front {
  proxy: Proxy
  server: http.Server
}

async function startFront(standInWaitMs: number): Promise<Front> {
  const target = `http://127.0.0.1:${port}${STAND_IN}anchor1/sep`
  const proxy = createProxy({
    table: createRouteTable(new Map(), [{ host: HOST, rules: [{ prefix: '/', target }] }]),
    activity: createActivity(),
    proxySecret: 'p'.repeat(40),
    front: { trusted: new BlockList() },
    logger: createLogger('test', 'silent'),
    standInWaitMs,
  })
  const server = proxy.listener().server as http.Server
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { proxy, server }
}

/** A control plane that says what it was sent. */
async function startControlPlane(): Promise<() => Promise<void>> {
  const server = http.createServer((request, response) => {
    void request.toArray().then(chunks => response.end(`${request.url} ${Buffer.concat(chunks).toString()}`))
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  port = (server.address() as AddressInfo).port
  return async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  }
}

/** One in a process of its own that answers nothing; `held` resolves when so many requests have reached it. */
async function startSilentControlPlane(): Promise<{
  held(count: number): Promise<void>
  kill(): Promise<void>
}> {
  const program = `
    const server = require('http').createServer(() => console.log('held'))
    server.listen(${port}, '127.0.0.1', () => console.log('listening'))`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', chunk => (text += chunk))
  const ended = once(child, 'exit')
  await expect.poll(() => text).toContain('listening')
  return {
    held: count => expect.poll(() => text.split('held').length - 1).toBe(count),
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** One that treats every connection as told, and counts them. */
async function startRawControlPlane(act: (socket: Socket) => void): Promise<{ asked: number; stop(): void }> {
  const server = createServer(socket => {
    socket
      .on('error', () => undefined)
      .once('data', () => {
        started.asked++
        act(socket)
      })
  })
  const started = { asked: 0, stop: () => void server.close() }
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return started
}

async function ask(
  body: string,
  method = 'POST',
  through = front,
): Promise<{ status: number; retryAfter: string | null; text: string }> {
  const { port: at } = through.server.address() as AddressInfo
  const request = http.request({
    host: '127.0.0.1',
    port: at,
    path: '/auth',
    headers: { host: HOST },
    method,
  })
  const [response] = (await once(request.end(body), 'response')) as [http.IncomingMessage]
  const text = Buffer.concat(await response.toArray()).toString()
  return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] ?? null, text }
}

beforeAll(async () => {
  port = 0
  await (
    await startControlPlane()
  )()
  front = await startFront(2_000)
  patient = await startFront(40_000)
})
afterAll(() => {
  for (const { proxy, server } of [front, patient]) {
    server.closeAllConnections()
    server.close()
    proxy.close()
  }
})

describe('an anchor that sleeps', () => {
  it('is asked once the control plane is back, with the whole body, however many wait', async () => {
    const bodies = Array.from({ length: 50 }, (_, index) => String(index).repeat(1_000))
    const answers = bodies.map(body => ask(body))
    await sleep(300)
    const stop = await startControlPlane()
    expect(await Promise.all(answers)).toEqual(
      bodies.map(body => ({ status: 200, retryAfter: null, text: `${STAND_IN}anchor1/sep/auth ${body}` })),
    )
    await stop()
  })

  it('answers 503 and when to come back where the control plane stays away', async () => {
    const { status, retryAfter, text } = await ask('x')
    expect([status, retryAfter]).toEqual([503, '5'])
    expect(JSON.parse(text)).toMatchObject({ code: 'dependency-unavailable' })
  })

  it('is read although the control plane is killed meanwhile, and gets no POST twice', async () => {
    const warnings: Error[] = []
    const warn = (warning: Error) => void warnings.push(warning)
    process.on('warning', warn)
    const killed = await startSilentControlPlane()
    const reads = [ask('', 'GET', patient), ask('', 'HEAD', patient)]
    const write = ask('x', 'POST', patient)
    await killed.held(3)
    await killed.kill()
    const again = await startSilentControlPlane()
    await again.held(2)
    await again.kill()
    const stop = await startControlPlane()
    const text = `${STAND_IN}anchor1/sep/auth `
    expect(await Promise.all(reads)).toEqual(
      [text, ''].map(text => ({ status: 200, retryAfter: null, text })),
    )
    expect(await write).toMatchObject({ status: 502, retryAfter: '5' })
    await stop()
    process.off('warning', warn)
    expect(warnings).toEqual([])
  })

  it('is not read again where the control plane was killed and stays away: 503', async () => {
    const killed = await startSilentControlPlane()
    const read = ask('', 'GET')
    await killed.held(1)
    await killed.kill()
    expect(await read).toMatchObject({ status: 503, retryAfter: '5' })
  })

  it('is read three times at most, and once where an answer has begun', async () => {
    const hangingUp = await startRawControlPlane(socket => socket.resetAndDestroy())
    expect(await ask('', 'GET')).toMatchObject({ status: 502 })
    expect(hangingUp.asked).toBe(3)
    hangingUp.stop()
    const breakingOff = await startRawControlPlane(socket => socket.end('HTTP/1.1 20'))
    expect(await ask('', 'GET')).toMatchObject({ status: 502 })
    expect(breakingOff.asked).toBe(1)
    breakingOff.stop()
  })
})
