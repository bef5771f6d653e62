import { createServer as createHttp, request, type Server } from 'node:http'
import { createServer as createHttps, request as requestHttps } from 'node:https'
import { connect, type AddressInfo } from 'node:net'
import { certificateOf } from '@windlass/testing/certificates.ts'
import { getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTracer } from '../observe/tracing-sdk.ts'
import { createOutboundOnce } from './outbound-once.ts'
import { createOutbound, type Outbound } from './outbound.ts'
import { proxiedAgent, proxyOf, useProxies } from './proxy.ts'

const names = new Map<string, string[]>()
const resolve = async (name: string) => names.get(name) ?? []

const dispatcher = getGlobalDispatcher()
const listening = async (server: Server): Promise<number> => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** What the proxy was asked for, and with which credentials. */
const asked: { target: string; credentials: string | undefined }[] = []
let refuses = false
let proxy: Server
let target: Server
let secure: Server
let address: string
let direct: number

beforeAll(async () => {
  target = createHttp((incoming, answer) => answer.end(`plain ${incoming.headers.host}`))
  const { key, cert } = await certificateOf('far.example', new Date(Date.now() + 86_400_000))
  secure = createHttps({ key, cert }, (incoming, answer) => answer.end(`secure ${incoming.headers.host}`))
  const [plainPort, securePort] = [await listening(target), await listening(secure)]
  direct = plainPort
  // A forward proxy as others are: whatever is asked for is at one of the two servers.
  proxy = createHttp((incoming, answer) => {
    asked.push({ target: incoming.url ?? '', credentials: incoming.headers['proxy-authorization'] })
    const onward = request(
      { port: plainPort, path: '/', headers: { host: new URL(incoming.url ?? '').host } },
      from => from.pipe(answer),
    )
    onward.end()
  })
  proxy.on('connect', (incoming, socket) => {
    asked.push({ target: incoming.url ?? '', credentials: incoming.headers['proxy-authorization'] })
    if (refuses) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const onward = connect(/:443$/.test(incoming.url ?? '') ? securePort : plainPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  address = `http://127.0.0.1:${await listening(proxy)}`
})
afterAll(() => [proxy, target, secure].forEach(server => server.closeAllConnections()))
beforeEach(() => {
  asked.splice(0)
  names.clear()
  refuses = false
})
afterEach(async () => {
  await useProxies({})
  setGlobalDispatcher(dispatcher)
})

describe('the proxies of an environment', () => {
  it.each([
    ['http://far.example/', true],
    ['https://far.example/', true],
    ['http://localhost:3000/', false],
    ['http://mumbai.anchors.localhost/', false],
    ['http://127.0.0.1:80/', false],
    ['http://[::1]:80/', false],
    ['http://platform-api:4000/', false],
    ['http://near.example/', false],
    ['http://below.near.example/', false],
    ['http://notnear.example/', true],
    ['http://one.example:8080/', false],
    ['http://one.example/', true],
    ['http://10.1.2.3/', false],
    ['http://10.1.2.4/', true],
  ])('reach %s by the proxy: %s', async (url, isProxied) => {
    await useProxies({
      HTTP_PROXY: address,
      https_proxy: address,
      NO_PROXY: '.near.example, one.example:8080 10.1.2.3',
    })
    expect(proxyOf(url) !== null).toBe(isProxied)
  })

  it('are addresses', async () => {
    for (const HTTPS_PROXY of ['proxy:3128', 'socks5://proxy:1', 'nonsense'])
      await expect(useProxies({ HTTPS_PROXY })).rejects.toThrow(/HTTPS_PROXY must be the address/)
  })

  it('are used by fetch, and not for this machine', async () => {
    await useProxies({ HTTP_PROXY: address })
    expect(await (await fetch('http://far.example/')).text()).toContain('plain')
    expect(asked).toHaveLength(1)
    expect(await (await fetch(`http://127.0.0.1:${direct}/`)).text()).toBe(`plain 127.0.0.1:${direct}`)
    expect(asked).toHaveLength(1)
  })

  it('are used by clients that take an agent, through a tunnel', async () => {
    expect(proxiedAgent()).toBeUndefined()
    await useProxies({ HTTPS_PROXY: address })
    const text = await new Promise<string>((resolve, reject) => {
      const options = { agent: proxiedAgent(), rejectUnauthorized: false }
      requestHttps('https://far.example/', options, answer =>
        answer.on('data', data => resolve(String(data))),
      )
        .on('error', reject)
        .end()
    })
    expect([text, asked[0]?.target]).toEqual(['secure far.example', 'far.example:443'])
  })
})

describe('traces', () => {
  it('leave by the proxy where the collector is far', async () => {
    await useProxies({ HTTP_PROXY: address })
    const tracer = createTracer('signer', 'http://collector.example:4318')
    tracer.start('internal', 'signs', undefined).end()
    await tracer.stop()
    await expect
      .poll(() => asked.map(each => each.target))
      .toEqual(['http://collector.example:4318/v1/traces'])
  })
})

describe.each([
  ['createOutbound', createOutbound],
  ['createOutboundOnce', createOutboundOnce],
])('%s behind a proxy', (_, create) => {
  let outbound: Outbound
  beforeEach(async () => {
    await useProxies({ HTTP_PROXY: address.replace('//', '//me:s%40cret@'), HTTPS_PROXY: address })
    outbound = create({ allowPrivate: false, resolve })
  })
  afterEach(() => outbound.close())

  it('gives the proxy the address that it checked, with its credentials', async () => {
    names.set('far.example', ['10.0.0.7', '93.184.216.34'])
    expect(await outbound.request('http://far.example/x')).toMatchObject({
      status: 200,
      text: 'plain far.example',
    })
    const credentials = `Basic ${Buffer.from('me:s@cret').toString('base64')}`
    expect(asked).toEqual([{ target: '93.184.216.34:80', credentials }])
  })

  it('has TLS with the host itself', async () => {
    names.set('far.example', ['93.184.216.34'])
    await expect(outbound.request('https://far.example/')).rejects.toThrow(/certificate/)
    expect(asked.map(each => each.target)).toEqual(['93.184.216.34:443'])
  })

  it.each([
    'http://inside.example/',
    'http://10.0.0.7/',
    'http://169.254.169.254/latest/',
    'http://[fd00::1]/',
  ])('asks the proxy for nothing private: %s', async url => {
    names.set('inside.example', ['10.0.0.7'])
    await expect(outbound.request(url)).rejects.toMatchObject({ failure: 'refused-address' })
    expect(asked).toEqual([])
  })

  it('says that the proxy refused', async () => {
    refuses = true
    await expect(outbound.request('http://93.184.216.34/')).rejects.toThrow(/the proxy answered 403/)
  })

  it('leaves names to the proxy where private addresses are allowed', async () => {
    const open = create({ allowPrivate: true })
    expect(await open.request('http://inside.example:81/')).toMatchObject({ text: 'plain inside.example:81' })
    expect(asked.map(each => each.target)).toEqual(['inside.example:81'])
    await open.close()
  })
})
