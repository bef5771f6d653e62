import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttp, type Server } from 'node:http'
import { createServer as createHttps, request } from 'node:https'
import { connect, type AddressInfo } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { certificateOf } from '@windlass/testing/certificates.ts'
import { freePorts } from '@windlass/testing/free-ports.ts'
import { getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createOutboundOnce } from './outbound-once.ts'
import { createOutbound } from './outbound.ts'
import { proxiedAgent, useProxies } from './proxy.ts'

const TINYPROXY = '/usr/bin/tinyproxy'
/** An address of this machine that is not its own loopback, which no proxy is asked for. */
const here = Object.values(networkInterfaces())
  .flatMap(each => each ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
const isHere = existsSync(TINYPROXY) && here !== undefined
if (!isHere)
  console.warn('SKIPPED: calls through a real forward proxy: Debian’s tinyproxy, or a network, is not here')

describe.runIf(isHere)('a real forward proxy', () => {
  const dispatcher = getGlobalDispatcher()
  let folder: string
  let program: ChildProcess
  let plain: Server
  let secure: Server
  let port: number
  const listening = async (server: Server): Promise<number> => {
    await new Promise<void>(resolve => server.listen(0, '0.0.0.0', resolve))
    return (server.address() as AddressInfo).port
  }
  const proxyAs = (credentials: string) => `http://${credentials}@127.0.0.1:${port}`
  /** What its log says that it was asked for. */
  const asked = () =>
    [...readFileSync(join(folder, 'log'), 'utf8').matchAll(/Request .*: (\w+ \S+) HTTP/g)].map(
      ([, line]) => line,
    )

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'forward-proxy-'))
    const [free = 0] = await freePorts(1)
    port = free
    const log = join(folder, 'log')
    writeFileSync(log, '')
    writeFileSync(
      join(folder, 'conf'),
      [
        ...[`Port ${port}`, 'Listen 127.0.0.1', 'Timeout 60', 'MaxClients 20', 'BasicAuth me secret'],
        ...[`LogFile "${log}"`, 'LogLevel Connect', ''],
      ].join('\n'),
    )
    program = spawn(TINYPROXY, ['-d', '-c', join(folder, 'conf')], { stdio: 'ignore' })
    await untilOpen(port)
    plain = createHttp((incoming, answer) => answer.end(`plain ${incoming.headers.host}`))
    const { key, cert } = await certificateOf('far.example', new Date(Date.now() + 86_400_000))
    secure = createHttps({ key, cert }, (incoming, answer) => answer.end(`secure ${incoming.headers.host}`))
    await Promise.all([listening(plain), listening(secure)])
  })
  afterAll(async () => {
    for (const server of [plain, secure]) {
      server?.closeAllConnections()
      server?.close()
    }
    const ended = new Promise(resolve => program?.once('exit', resolve))
    program?.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  afterEach(async () => {
    await useProxies({})
    setGlobalDispatcher(dispatcher)
  })
  const at = (server: Server) => `${here}:${(server.address() as AddressInfo).port}`

  it.each([
    ['createOutbound', createOutbound],
    ['createOutboundOnce', createOutboundOnce],
  ])('passes on what %s asks for, by a tunnel', async (_, create) => {
    await useProxies({ HTTP_PROXY: proxyAs('me:secret') })
    const outbound = create({ allowPrivate: true })
    const before = asked().length
    expect(await outbound.request(`http://${at(plain)}/`)).toMatchObject({ text: `plain ${at(plain)}` })
    await expect.poll(() => asked().slice(before)).toEqual([`CONNECT ${at(plain)}`])
    await outbound.close()
  })

  it('passes on fetch and clients that take an agent', async () => {
    await useProxies({ HTTP_PROXY: proxyAs('me:secret'), HTTPS_PROXY: proxyAs('me:secret') })
    const before = asked().length
    expect(await (await fetch(`http://${at(plain)}/`)).text()).toBe(`plain ${at(plain)}`)
    const text = await new Promise<string>((resolve, reject) => {
      const options = { agent: proxiedAgent(), rejectUnauthorized: false }
      request(`https://${at(secure)}/`, options, answer => answer.on('data', data => resolve(String(data))))
        .on('error', reject)
        .end()
    })
    expect(text).toBe(`secure ${at(secure)}`)
    await expect.poll(() => asked().slice(before).at(-1)).toBe(`CONNECT ${at(secure)}`)
    expect(asked().length - before).toBe(2)
  })

  it('is not asked for what is private where strangers name the host, and says when it refuses', async () => {
    await useProxies({ HTTP_PROXY: proxyAs('me:wrong') })
    const before = asked().length
    const guarded = createOutbound({ allowPrivate: false, resolve: async () => ['10.0.0.7'] })
    await expect(guarded.request('http://inside.example/')).rejects.toMatchObject({
      failure: 'refused-address',
    })
    expect(asked().length).toBe(before)
    const open = createOutbound({ allowPrivate: true })
    await expect(open.request(`http://${at(plain)}/`)).rejects.toThrow(/the proxy answered 40[17]/)
    await Promise.all([guarded.close(), open.close()])
  })
})

async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const open = await new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      socket.on('connect', () => socket.end())
    })
    if (open) return
    await sleep(100)
  }
  throw new Error('the proxy does not start')
}
