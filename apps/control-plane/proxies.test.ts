import type { ProxyRoute } from '@windlass/contracts/internal/proxy-routes.ts'
import { listRoutes } from '@windlass/contracts/internal/proxy-routes.ts'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createProxies } from './proxies.ts'

const route = (host: string): ProxyRoute => ({ host, rules: [{ prefix: '/', target: 'http://sep:1' }] })
const servers: Server[] = []

/** Copies of a proxy at addresses of this machine, on one port; a failing one answers 503. */
async function startCopies(...copies: { address: string; host?: string }[]): Promise<string> {
  let port = 0
  for (const { address, host } of copies) {
    const server = createServer((_, response) => {
      response.writeHead(host ? 200 : 503, { 'content-type': 'application/json' })
      response.end(JSON.stringify(host ? [route(host)] : {}))
    }).listen(port, address)
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
    servers.push(server)
  }
  return `http://reverse-proxy:${port}`
}

describe('copies of the reverse proxy', () => {
  afterEach(() => servers.splice(0).forEach(server => server.close()))

  const ask = (url: string, addresses: string[], how: 'all' | 'answering') => {
    const resolve = async () => addresses.map(address => ({ address, family: 4 }))
    return createProxies({ url, headers: {}, resolve })[how](proxy => proxy.call(listRoutes))
  }

  it('are all asked, each at its own address', async () => {
    const url = await startCopies(
      { address: '127.0.0.2', host: 'one' },
      { address: '127.0.0.3', host: 'two' },
    )
    expect(await ask(url, ['127.0.0.2', '127.0.0.3'], 'all')).toEqual([[route('one')], [route('two')]])
  })

  it('are not all asked where one does not answer, and those that do are heard', async () => {
    const url = await startCopies({ address: '127.0.0.2' }, { address: '127.0.0.3', host: 'two' })
    const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
    await expect(ask(url, addresses, 'all')).rejects.toThrow()
    expect(await ask(url, addresses, 'answering')).toEqual([[route('two')]])
    await expect(ask(url, ['127.0.0.2', '127.0.0.4'], 'answering')).rejects.toThrow()
  })

  it('cannot be asked where the name has no address', async () => {
    await expect(ask('http://reverse-proxy:1', [], 'all')).rejects.toThrow('no address')
  })

  it('are one on this machine, whatever addresses its name has', async () => {
    const url = await startCopies({ address: '127.0.0.1', host: 'one' })
    const { port } = new URL(url)
    expect(await ask(`http://127.0.0.1:${port}`, [], 'all')).toEqual([[route('one')]])
  })
})
