import { Account, Asset, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fundFromFaucet } from './friendbot.ts'
import { createHorizon, PAGE } from './horizon.ts'
import { generateKey, signTransaction } from './keys.ts'

let network: LocalNetwork
const sender = generateKey()
const cosigners = Array.from({ length: 19 }, generateKey)
const [few, many] = [generateKey(), generateKey()]
let asked: { path: string; bytes: number }[]
/** What the proxy answers instead of Horizon; null: what Horizon answers. */
let instead: (path: string) => { status?: number; body: Buffer; encoding?: string } | null
const proxy = createServer(async (request, response) => {
  const path = (request.url ?? '').replace(/^\/\d+/, '')
  const given = instead(path)
  const answer = given ? null : await fetch(network.url + path)
  const body = given?.body ?? Buffer.from(answer ? await answer.arrayBuffer() : new ArrayBuffer())
  asked.push({ path, bytes: body.length })
  const encoding = given?.encoding ? { 'content-encoding': given.encoding } : {}
  response.writeHead(given ? (given.status ?? 200) : (answer?.status ?? 502), encoding).end(body)
})
/** Each test asks at an address of its own: what is read with care is remembered. */
let horizon: ReturnType<typeof createHorizon>
let nth = 0

beforeAll(async () => {
  network = await startLocalNetwork({ closeEvery: 'at-once' })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  const direct = createHorizon(network)
  for (const { publicKey } of [sender, few, many])
    await fundFromFaucet(network.friendbotUrl, direct, publicKey)
  const apply = async (operations: Parameters<TransactionBuilder['addOperation']>[0][], all: boolean) => {
    const account = await direct.account(sender.publicKey)
    const builder = new TransactionBuilder(new Account(sender.publicKey, account?.sequence ?? '0'), {
      ...{ fee: '100', networkPassphrase: network.passphrase },
    }).setTimeout(0)
    for (const operation of operations) builder.addOperation(operation)
    const transaction = builder.build()
    for (const { secret } of all ? [sender, ...cosigners] : [sender]) signTransaction(transaction, secret)
    expect(await direct.submit(transaction.toXdr())).toEqual({ outcome: 'applied' })
  }
  const pay = (destination: string, amount: string) =>
    Operation.payment({ asset: Asset.native(), amount, destination })
  for (let count = 0; count < 30; count++) await apply([pay(many.publicKey, '1')], false)
  const signers = cosigners.map(({ publicKey: ed25519PublicKey }) =>
    Operation.setOptions({ signer: { ed25519PublicKey, weight: 1 } }),
  )
  const thresholds = { lowThreshold: 20, medThreshold: 20, highThreshold: 20 }
  await apply([...signers, Operation.setOptions(thresholds)], false)
  for (let count = 0; count < 4; count++)
    await apply(
      Array.from({ length: 100 }, () => pay(few.publicKey, '0.0000001')),
      true,
    )
}, 120_000)
afterAll(async () => {
  proxy.close()
  await network.stop()
})
beforeEach(() => {
  ;[asked, instead] = [[], () => null]
  const source = {
    passphrase: network.passphrase,
    // The proxy takes any path in front.
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/${nth++}`,
  }
  horizon = createHorizon(source, 'person')
})

describe('payments of a poison page', () => {
  it('are read, each transaction once, where the page with transactions is too large', async () => {
    const first = await horizon.paymentsOf(few.publicKey, '0')
    expect(first).toHaveLength(PAGE)
    expect(first.filter(({ fault, type }) => fault !== null || type !== 'payment').length).toBeLessThan(2)
    const whole = asked.filter(({ path }) => path.includes('join=transactions'))
    expect(whole).toHaveLength(1)
    const rest = asked.filter(each => !whole.includes(each))
    expect(rest.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(2 * 1024 * 1024)
    expect(rest.length).toBeLessThan(8)
    // The next page is not tried whole again.
    const next = await horizon.paymentsOf(few.publicKey, first.at(-1)?.paging_token ?? '')
    expect(next.every(({ fault }) => fault === null)).toBe(true)
    expect(next).toHaveLength(PAGE)
    expect(asked.filter(({ path }) => path.includes('join=transactions'))).toHaveLength(1)
  })

  it('of many transactions are read in smaller pages', async () => {
    instead = path => (path.includes('limit=200&join') ? { status: 504, body: Buffer.from('{}') } : null)
    const read = await horizon.paymentsOf(many.publicKey, '0')
    expect(read.filter(({ type }) => type === 'payment')).toHaveLength(30)
    expect(read.every(({ fault }) => fault === null)).toBe(true)
    expect(asked.filter(({ path }) => path.includes('limit=20&join'))).toHaveLength(2)
  })

  it('are the smallest pages where these are too much as well', async () => {
    const tooMuch = /limit=(?:200|20)&join/
    instead = path => (tooMuch.test(path) ? { status: 504, body: Buffer.from('{}') } : null)
    const read = await horizon.paymentsOf(many.publicKey, '0')
    expect(read.filter(({ type }) => type === 'payment')).toHaveLength(30)
  })

  it('are not asked for again in pieces while Horizon limits requests', async () => {
    instead = path => (path.includes('join') ? { status: 429, body: Buffer.from('{}') } : null)
    await expect(horizon.paymentsOf(many.publicKey, '0')).rejects.toThrow('limits our rate')
    expect(asked.filter(({ path }) => path.includes('/payments'))).toHaveLength(1)
  })
})

it('reads an account’s transactions in smaller pages where they are too much at once', async () => {
  instead = path => (path.includes('limit=200') ? { status: 504, body: Buffer.from('{}') } : null)
  const read = await horizon.transactionsOf(many.publicKey, '', 'asc')
  expect(read).toHaveLength(31)
  expect(read.map(({ cursor }) => BigInt(cursor))).toEqual(
    read.map(({ cursor }) => BigInt(cursor)).toSorted((a, b) => (a < b ? -1 : 1)),
  )
})

it('takes no answer that becomes too large when it is decompressed', async () => {
  const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024, ' '))
  expect(bomb.length).toBeLessThan(1024 * 1024)
  instead = path => (path.includes('/accounts/') ? { body: bomb, encoding: 'gzip' } : null)
  await expect(horizon.account(few.publicKey)).rejects.toThrow('does not answer')
})
