import fc from 'fast-check'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOutboundOnce } from './outbound-once.ts'
import {
  createOutbound,
  describeOutboundFailure,
  isPrivate,
  outboundFailure,
  OutboundError,
  type Outbound,
} from './outbound.ts'

let server: Server
let port: number
const seen: IncomingMessage[] = []
const open = new Set<Socket>()

function respond(request: IncomingMessage, response: ServerResponse): void {
  seen.push(request)
  const { url } = request
  if (url === '/redirect') return void response.writeHead(302, { location: '/landed' }).end()
  if (url === '/silent') return
  if (url === '/drip') {
    response.writeHead(200)
    const timer = setInterval(() => response.write('x'), 20)
    return void response.on('close', () => clearInterval(timer))
  }
  if (url === '/endless') {
    response.writeHead(200)
    const more = (): void => {
      while (response.write(Buffer.alloc(16_384)) && !response.destroyed);
    }
    response.on('drain', more)
    return more()
  }
  if (url === '/headers') return void response.writeHead(200, { 'x-long': 'x'.repeat(60_000) }).end()
  if (url === '/cut')
    return void response.writeHead(200, { 'content-length': '10' }).write('x', () => response.destroy())
  if (url === '/exact') return void response.end('x'.repeat(100))
  response.end(`you asked ${request.headers.host}${url}`)
}

beforeAll(async () => {
  server = createServer(respond)
  server.on('connection', socket => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

async function using<T>(outbound: Outbound, act: (outbound: Outbound) => Promise<T>): Promise<T> {
  return act(outbound).finally(() => outbound.close())
}
const at = (path: string) => `http://127.0.0.1:${port}${path}`

describe.each([
  ['with a pool for each host', createOutbound],
  ['with a connection for each request', createOutboundOnce],
])('requests %s', (_, create) => {
  it('that failed are described in words of ours', async () => {
    await using(create({ allowPrivate: true }), async outbound => {
      const failureOf = (url: string) =>
        outbound.request(url, { timeout: 60_000 }).catch(describeOutboundFailure)
      const late = await outbound.request(at('/silent'), { timeout: 50 }).catch(outboundFailure)
      expect(late).toBe('timeout')
      expect(await failureOf(at('/cut'))).toBe('the host closed the connection')
      expect(await failureOf(at('/endless'))).toBe('the answer is too long')
      expect(await failureOf('http://127.0.0.1:1/')).toBe('the host refused the connection')
    })
    await using(create({ allowPrivate: false }), async outbound => {
      const refused = await outbound.request('http://10.1.2.3/').catch(describeOutboundFailure)
      expect(refused).toBe('the host has no public address')
    })
    const unresolved = Object.assign(new Error('getaddrinfo'), { code: 'EAI_AGAIN' })
    expect(describeOutboundFailure(new OutboundError('hook: getaddrinfo', { cause: unresolved }))).toBe(
      'the host name cannot be resolved',
    )
    expect(describeOutboundFailure('what a <b>stranger</b> throws')).toBe('the host cannot be reached')
  })

  describe('addresses', () => {
    it.each([
      'http://127.0.0.1',
      'http://127.1',
      'http://2130706433',
      'http://0x7f.1',
      'http://017700000001',
      'http://0.0.0.0',
      'http://10.1.2.3',
      'http://172.16.0.1',
      'http://192.168.1.1',
      'http://169.254.169.254/latest/meta-data/',
      'http://100.100.100.200',
      'http://255.255.255.255',
      'http://[::1]',
      'http://[::]',
      'http://[::ffff:127.0.0.1]',
      'http://[::ffff:7f00:1]',
      'http://[::127.0.0.1]',
      'http://[64:ff9b::7f00:1]',
      'http://[2002:7f00:1::]',
      'http://[2001:0:7f00:1::]',
      'http://[fd00:ec2::254]',
      'http://[fe80::1]',
      'http://[fec0::1]',
      'http://localhost',
      'http://wallet.localhost',
    ])('of this machine or network are not reached: %s', async url => {
      const before = seen.length
      const asked = new URL(url)
      asked.port = String(port)
      await using(create({ allowPrivate: false }), async outbound => {
        await expect(outbound.request(asked.href)).rejects.toThrow(OutboundError)
      })
      expect(seen.length).toBe(before)
    })

    it('below localhost are this machine where that is allowed, whatever the resolver knows', async () => {
      await using(create({ allowPrivate: true }), async outbound => {
        const { text } = await outbound.request(`http://wallet.localhost:${port}/toml`)
        expect(text).toBe(`you asked wallet.localhost:${port}/toml`)
        await expect(outbound.request(`http://wallet.localhost.invalid:${port}/`)).rejects.toThrow(
          OutboundError,
        )
      })
    })

    it('that are no web addresses are refused', async () => {
      await using(create({ allowPrivate: true }), async outbound => {
        for (const url of ['file:///etc/passwd', 'ftp://127.0.0.1', 'nonsense', 'http://', 'data:,x']) {
          await expect(outbound.request(url)).rejects.toThrow(OutboundError)
        }
      })
    })
  })

  describe('hosts under the suffix', () => {
    const ingress = () => ({ suffix: 'anchors.localhost', url: `http://127.0.0.1:${port}` })

    it('are reached in plain through an ingress that speaks http, where TLS ends in front of it', async () => {
      await using(create({ allowPrivate: false, ingress: ingress() }), async outbound => {
        const { text } = await outbound.request('https://mumbai.anchors.localhost/x')
        expect(text).toBe('you asked mumbai.anchors.localhost/x')
      })
    })

    it('are reached through the ingress with their Host, whatever port they name, also where private is not allowed', async () => {
      await using(create({ allowPrivate: false, ingress: ingress() }), async outbound => {
        const { text } = await outbound.request('http://acme.anchors.localhost/health')
        expect(text).toBe('you asked acme.anchors.localhost/health')
        const other = await outbound.request('http://acme.anchors.localhost:1/health')
        expect(other.text).toBe('you asked acme.anchors.localhost:1/health')
      })
    })

    it('are those alone', async () => {
      await using(create({ allowPrivate: false, ingress: ingress() }), async outbound => {
        for (const host of [
          'anchors.localhost',
          'evilanchors.localhost',
          'anchors.localhost.evil.invalid',
          '127.0.0.1',
        ]) {
          await expect(outbound.request(`http://${host}:${port}/`)).rejects.toThrow(OutboundError)
        }
      })
    })
  })

  describe('an answer', () => {
    it('that redirects is given back, not followed', async () => {
      await using(create({ allowPrivate: true }), async outbound => {
        const before = seen.length
        expect(await outbound.request(at('/redirect'))).toMatchObject({
          status: 302,
          headers: { location: '/landed' },
        })
        expect(seen.length).toBe(before + 1)
      })
    })

    it.each(['/silent', '/drip'])('that never ends is given up in time: %s', async path => {
      await using(create({ allowPrivate: true }), async outbound => {
        await expect(outbound.request(at(path), { timeout: 150 })).rejects.toThrow(/did not answer in time/)
      })
      await expect.poll(() => open.size).toBe(0)
    })

    it('without end is cut off and its connection closed', async () => {
      await using(create({ allowPrivate: true }), async outbound => {
        await expect(outbound.request(at('/endless'))).rejects.toThrow(/longer than 65536 bytes/)
        expect((await outbound.request(at('/exact'), { maxBytes: 100 })).text).toHaveLength(100)
        await expect(outbound.request(at('/exact'), { maxBytes: 99 })).rejects.toThrow(/longer than 99/)
      })
      await expect.poll(() => open.size).toBe(0)
    })

    it('with huge headers, or cut off half-way, is an error like any other', async () => {
      await using(create({ allowPrivate: true }), async outbound => {
        await expect(outbound.request(at('/headers'))).rejects.toThrow(OutboundError)
        await expect(outbound.request(at('/cut'))).rejects.toThrow(OutboundError)
      })
    })

    it('from nobody names the host and what is wrong', async () => {
      await using(create({ allowPrivate: true }), async outbound => {
        await expect(outbound.request('http://127.0.0.1:18598/')).rejects.toThrow(
          /127.0.0.1:18598: .*ECONNREFUSED/,
        )
        await expect(outbound.request('http://no-such-host.invalid/')).rejects.toThrow(OutboundError)
      })
    })
  })
})

it('addresses of the internet are not taken for private ones', () => {
  const publicFirst = fc
    .integer({ min: 1, max: 223 })
    .filter(n => ![10, 100, 127, 169, 172, 192, 198, 203].includes(n))
  fc.assert(
    fc.property(publicFirst, fc.nat(255), fc.nat(255), fc.nat(255), (a, b, c, d) => {
      expect(isPrivate(`${a}.${b}.${c}.${d}`)).toBe(false)
      expect(isPrivate(`::ffff:${a}.${b}.${c}.${d}`)).toBe(true)
    }),
  )
  expect(isPrivate('2606:4700:4700::1111')).toBe(false)
  expect(isPrivate('2a00:1450:4001::8a')).toBe(false)
})
