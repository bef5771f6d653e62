import { STAND_IN } from '@windlass/contracts/proxy-routes.ts'
import { createLogger } from '@windlass/service/logger.ts'
import { once } from 'node:events'
import http from 'node:http'
import { type AddressInfo, BlockList } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRouteTable } from '../routes/route-table.ts'
import { createActivity } from './activity.ts'
import { createProxy, type Proxy } from './proxy.ts'

const HOST = 'acme.anchors.localhost'
let proxy: Proxy
let front: http.Server
let port: number

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

async function ask(body: string): Promise<{ status: number; retryAfter: string | null; text: string }> {
  const { port: at } = front.address() as AddressInfo
  const request = http.request({
    host: '127.0.0.1',
    port: at,
    path: '/auth',
    headers: { host: HOST },
    method: 'POST',
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
  const target = `http://127.0.0.1:${port}${STAND_IN}anchor1/sep`
  proxy = createProxy({
    table: createRouteTable(new Map(), [{ host: HOST, rules: [{ prefix: '/', target }] }]),
    activity: createActivity(),
    proxySecret: 'p'.repeat(40),
    trustedProxies: new BlockList(),
    logger: createLogger('test', 'silent'),
    standInWaitMs: 2_000,
  })
  front = proxy.listener().server as http.Server
  await once(front.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => {
  front.closeAllConnections()
  front.close()
  proxy.close()
})

describe('an anchor that sleeps', () => {
  it('is asked once the control plane is back, with the whole body, however many wait', async () => {
    const bodies = Array.from({ length: 50 }, (_, index) => String(index).repeat(1_000))
    const answers = bodies.map(ask)
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
})
