import { useProxies } from '@windlass/service/outbound/proxy.ts'
import { certificateOf } from '@windlass/testing/certificates.ts'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createVault } from './backends/vault.ts'
import { startVaultStandIn, type StoreStandIn } from './testing/key-stores.ts'

const dispatcher = getGlobalDispatcher()
let vault: StoreStandIn
let proxy: Server
let ca: string
/** Whom the proxy was asked to reach. */
let asked: string[]

beforeEach(async () => {
  asked = []
  const { key, cert } = await certificateOf('vault.far.example', new Date(Date.now() + 86_400_000))
  ca = cert
  vault = await startVaultStandIn('hvs.first', { key, cert })
  proxy = createServer().on('connect', (request, socket) => {
    asked.push(request.url ?? '')
    const onward = connect(Number(new URL(vault.url).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  await useProxies({})
  setGlobalDispatcher(dispatcher)
  proxy.closeAllConnections()
  proxy.close()
  await vault.stop()
})

const makeKey = async () => {
  const settings = {
    address: 'https://vault.far.example:8200',
    mount: 'transit',
    ca,
    token: () => 'hvs.first',
  }
  const { reference, publicKey } = await createVault(settings).create('mumbai distribution')
  return { reference, bytes: publicKey.length }
}

it('reaches a Vault outside by the proxy of the environment, with TLS to Vault itself', async () => {
  await useProxies({ HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` })
  expect(await makeKey()).toEqual({ reference: 'windlass-mumbai-distribution', bytes: 32 })
  expect(new Set(asked)).toEqual(new Set(['vault.far.example:8200']))
})

it('asks no proxy for a Vault that NO_PROXY excepts', async () => {
  await useProxies({
    HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    NO_PROXY: '.far.example',
  })
  await expect(makeKey()).rejects.toThrow()
  expect(asked).toEqual([])
})
