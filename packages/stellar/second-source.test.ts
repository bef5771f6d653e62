import { Account, Asset, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { accountKey, requirementsOf, signersIn } from './account-signers.ts'
import { fundFromFaucet } from './friendbot.ts'
import { createHorizon, type LedgerHead } from './horizon.ts'
import { generateKey, signTransaction } from './keys.ts'
import {
  askSecond,
  compareSources,
  createSecondSource,
  letsEnd,
  type SecondSource,
  type Shown,
} from './second-source.ts'
import { askRpc } from './stellar-rpc.ts'

let network: LocalNetwork
let paid: Shown & { ledger: number }
let failed: typeof paid
const payer = generateKey()

beforeAll(async () => {
  network = await startLocalNetwork({ closeEvery: 'at-once' })
  const horizon = createHorizon(network)
  await fundFromFaucet(network.friendbotUrl, horizon, payer.publicKey)
  const pay = async (amount: string) => {
    const account = await horizon.account(payer.publicKey)
    const transaction = new TransactionBuilder(new Account(payer.publicKey, account?.sequence ?? '0'), {
      ...{ fee: '100', networkPassphrase: network.passphrase },
    })
      .addOperation(
        Operation.payment({ asset: Asset.native(), amount, destination: network.root.publicKey() }),
      )
      .setTimeout(0)
      .build()
    signTransaction(transaction, payer.secret)
    await horizon.submit(transaction.toXdr())
    const hash = Buffer.from(transaction.hash()).toString('hex')
    const found = await horizon.transaction(hash)
    return { hash, ledger: network.latestLedger, ...found } as typeof paid
  }
  paid = await pay('1')
  failed = await pay('100000')
})
afterAll(() => network.stop())

const sources: Record<string, () => SecondSource> = {
  Horizon: () => createSecondSource({ horizonUrl: network.url }, network.passphrase) ?? expect.unreachable(),
  'Stellar RPC': () =>
    createSecondSource({ rpcUrl: `${network.url}/rpc` }, network.passphrase) ?? expect.unreachable(),
}

describe.each(Object.keys(sources))('a second source that is a %s', kind => {
  const source = () => sources[kind]?.() ?? expect.unreachable()

  it('shows ledgers and transactions as the first one does', async () => {
    const horizon = createHorizon(network)
    const head = await horizon.head()
    // Headers have whole seconds.
    const whole = ({ closedAt, ...rest }: LedgerHead) => ({
      ...{ ...rest, closedAt: Math.floor(closedAt.getTime() / 1_000) },
    })
    expect(whole(await source().head())).toEqual(whole(head))
    const before = await horizon.ledger(head.sequence - 1)
    expect((await source().ledger(head.sequence - 1))?.hash).toBe(before?.hash)
    expect(await source().ledger(head.sequence + 1)).toBeNull()
    expect((await source().history()).latest).toBe(head.sequence)
    for (const { hash, successful, result } of [paid, failed])
      expect(await source().transaction(hash)).toMatchObject({ successful, result })
    expect(await source().transaction('ab'.repeat(32))).toBeNull()
  })

  it('says who signs for an account, and of none where it has none', async () => {
    const [signer, account] = [generateKey(), generateKey()]
    const horizon = createHorizon(network)
    await fundFromFaucet(network.friendbotUrl, horizon, account.publicKey)
    const { sequence = '' } = (await horizon.account(account.publicKey)) ?? {}
    const ed25519PublicKey = signer.publicKey
    const transaction = new TransactionBuilder(new Account(account.publicKey, sequence), {
      ...{ fee: '100', networkPassphrase: network.passphrase },
    })
      .addOperation(
        Operation.setOptions({
          ...{ masterWeight: 2, lowThreshold: 1, medThreshold: 3, highThreshold: 4 },
          signer: { ed25519PublicKey, weight: 1 },
        }),
      )
      .setTimeout(0)
      .build()
    signTransaction(transaction, account.secret)
    expect(await horizon.submit(transaction.toXdr())).toEqual({ outcome: 'applied' })
    const found = (await source().signersOf(account.publicKey)) ?? expect.unreachable()
    expect(found.thresholds.medium).toBe(3)
    expect(requirementsOf(account.publicKey, await horizon.account(account.publicKey), found)).toMatchObject({
      signers: expect.arrayContaining([
        { key: account.publicKey, weight: 2 },
        { key: signer.publicKey, weight: 1 },
      ]),
      ...{ threshold: 3, isAgreed: true },
    })
    expect(await source().signersOf(signer.publicKey)).toBeNull()
  })

  it('confirms a payment with its result, and nothing else', async () => {
    expect([paid.successful, failed.successful]).toEqual([true, false])
    expect(await askSecond(source(), paid)).toBe('same')
    expect(await askSecond(source(), { ...paid, successful: false })).toBe('differs')
    expect(await askSecond(source(), { ...paid, result: failed.result })).toBe('differs')
    const at = (ledgers: number, places: number) =>
      String(BigInt(paid.cursor) + (BigInt(ledgers) << 32n) + BigInt(places) * 0x1000n)
    for (const cursor of [at(0, 1), at(1, 0), at(-1, 0)])
      expect(await askSecond(source(), { ...paid, cursor })).toBe('differs')
    const closedAt = new Date(paid.closedAt.getTime() - 1_000)
    expect(await askSecond(source(), { ...paid, closedAt })).toBe('differs')
    const unknown = { ...paid, hash: 'ab'.repeat(32) }
    expect(await askSecond(source(), unknown)).toBe('differs')
    expect(
      await askSecond(source(), { ...unknown, cursor: at(network.latestLedger + 1 - paid.ledger, 0) }),
    ).toBe('behind')
    const history = async () => ({ elder: paid.ledger + 1, latest: network.latestLedger })
    expect(await askSecond({ ...source(), history }, unknown)).toBe('gone')
  })

  it('lets an envelope end only where it failed, or where it has every ledger in which it could be', async () => {
    const until = new Date(0)
    const envelope = { from: paid.ledger, until }
    expect(await letsEnd(source(), { ...envelope, hash: paid.hash })).toBe(false)
    expect(await letsEnd(source(), { ...envelope, hash: failed.hash })).toBe(true)
    const missing = { ...envelope, hash: 'ab'.repeat(32) }
    expect(await letsEnd(source(), missing)).toBe(true)
    expect(await letsEnd(source(), { ...missing, until: new Date(Date.now() + 60_000) })).toBe(false)
    const history = async () => ({ elder: paid.ledger + 2, latest: network.latestLedger })
    expect(await letsEnd({ ...source(), history }, missing)).toBe(false)
  })

  it('is of the same chain by the newest ledger that both have', async () => {
    const horizon = createHorizon(network)
    expect(await compareSources(horizon, source(), network.latestLedger + 5)).toBe('same')
    const other = await startLocalNetwork({ closeEvery: 'at-once' })
    onTestFinished(() => other.stop())
    while (other.latestLedger < network.latestLedger) other.close()
    expect(await compareSources(createHorizon(other), source(), other.latestLedger)).toBe('another')
  })

  it('does not answer for another network', async () => {
    const other = await startLocalNetwork({ passphrase: 'Another network' })
    onTestFinished(() => other.stop())
    const where = kind === 'Horizon' ? { horizonUrl: other.url } : { rpcUrl: `${other.url}/rpc` }
    const source = createSecondSource(where, network.passphrase)
    await expect(source?.transaction(paid.hash)).rejects.toThrow(/another network|of the network/)
  })
})

it('takes no entry of another account', async () => {
  const key = accountKey(payer.publicKey)
  const answer = await askRpc(`${network.url}/rpc`, 'getLedgerEntries', { keys: [key] })
  const [entry] = answer.entries as { xdr: string }[]
  expect(signersIn(payer.publicKey, entry?.xdr ?? '').signers).toEqual([{ key: payer.publicKey, weight: 1 }])
  expect(() => signersIn(generateKey().publicKey, entry?.xdr ?? '')).toThrow('another entry')
})

it('takes nothing that an RPC says of bytes that say otherwise', async () => {
  const liar = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const answer = await fetch(`${network.url}/rpc`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: Buffer.concat(chunks) },
    })
    const body = await answer.text()
    const lies = body
      .replace('"status":"SUCCESS"', '"status":"FAILED"')
      .replace(/"hash":"[0-9a-f]{64}"/, `"hash":"${'ab'.repeat(32)}"`)
    response.end(lies)
  })
  await new Promise<void>(resolve => liar.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void liar.close())
  const rpcUrl = `http://127.0.0.1:${(liar.address() as AddressInfo).port}`
  const source = createSecondSource({ rpcUrl }, network.passphrase)
  await expect(source?.transaction(paid.hash)).rejects.toThrow('contradicts itself')
  await expect(source?.head()).rejects.toThrow('contradicts itself')
})
