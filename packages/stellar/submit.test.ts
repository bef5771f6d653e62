import { Account, Asset, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base'
import { startLocalNetwork, type LocalNetwork } from '@windlass/local-network/local-network.ts'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { payFee } from './fees.ts'
import { createHorizon } from './horizon.ts'
import { generateKey, seedSigner, signTransaction } from './keys.ts'

const [payer, payee] = [generateKey(), generateKey()]
let network: LocalNetwork
let front: Server
/** Requests that reached Horizon, and how it answers a path instead. */
let asked: string[]
let instead: Record<string, { status: number; body: object } | undefined>

beforeEach(async () => {
  const accounts = [payer, payee].map(({ publicKey }) => ({ address: publicKey, lumens: '100' }))
  network = await startLocalNetwork({ closeEvery: 300, genesis: { accounts } })
  asked = []
  instead = {}
  front = createServer(async (request, response) => {
    const path = request.url ?? ''
    asked.push(`${request.method} ${path}`)
    const given = instead[path]
    if (given) return response.writeHead(given.status).end(JSON.stringify(given.body))
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const init = {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }
    const answer = await fetch(network.url + path, {
      ...init,
      ...(request.method === 'POST' ? { body: Buffer.concat(chunks).toString() } : {}),
    })
    response.writeHead(answer.status).end(await answer.text())
  })
  await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  front.close()
  await network.stop()
})

const horizon = () =>
  createHorizon({ ...network, url: `http://127.0.0.1:${(front.address() as AddressInfo).port}` })

/** A payment, signed with the so-many-th sequence number from now. */
async function payment(nth = 1n, amount = '1'): Promise<string> {
  const { sequence = '' } = (await createHorizon(network).account(payer.publicKey)) ?? {}
  const transaction = new TransactionBuilder(
    new Account(payer.publicKey, String(BigInt(sequence) + nth - 1n)),
    {
      fee: '100',
      networkPassphrase: network.passphrase,
      timebounds: { minTime: 0, maxTime: 0 },
    },
  )
    .addOperation(Operation.payment({ destination: payee.publicKey, asset: Asset.native(), amount }))
    .build()
  signTransaction(transaction, payer.secret)
  return transaction.toXdr()
}

const posts = () => asked.filter(each => each.startsWith('POST'))

describe('a submission', () => {
  it('is asked for by its hash until a ledger has it, and is submitted once', async () => {
    const xdr = await payment()
    expect(await horizon().submit(xdr)).toEqual({ outcome: 'applied' })
    expect(posts()).toEqual(['POST /transactions_async'])
    // Applied before: the core says TRY_AGAIN_LATER, the ledger has it.
    expect(await horizon().submit(xdr)).toEqual({ outcome: 'applied' })
  })

  it('behind another of its account is submitted again, and in the ledger after it', async () => {
    const [first, second] = [await payment(1n), await payment(2n)]
    const outcomes = await Promise.all([horizon().submit(first), horizon().submit(second)])
    expect(outcomes).toEqual([{ outcome: 'applied' }, { outcome: 'applied' }])
    expect(posts().length).toBeGreaterThan(2)
    expect(asked).not.toContain('POST /transactions')
  })

  it('that someone else made already ends as applied, also inside a fee bump', async () => {
    const xdr = await payment()
    const bump = await payFee(xdr, {
      horizon: horizon(),
      networkPassphrase: network.passphrase,
      max: 1_000n,
      payer: seedSigner(payer.secret),
    })
    const both = await Promise.all([horizon().submit(xdr), horizon().submit(xdr)])
    expect(both).toEqual([{ outcome: 'applied' }, { outcome: 'applied' }])
    expect(await horizon().submit(bump)).toEqual({ outcome: 'applied' })
  })

  it('is refused with the codes of its result, at once or in its ledger', async () => {
    expect(await horizon().submit(await payment(3n))).toEqual({ outcome: 'refused', codes: ['tx_bad_seq'] })
    expect(await horizon().submit(await payment(1n, '5000'))).toEqual({
      outcome: 'refused',
      codes: ['tx_failed', 'op_underfunded'],
    })
  })

  it('goes to POST /transactions where Horizon has no other, and does not ask again', async () => {
    instead['/transactions_async'] = { status: 404, body: { status: 404 } }
    const ours = horizon()
    for (let round = 0; round < 2; round++)
      expect(await ours.submit(await payment())).toEqual({ outcome: 'applied' })
    expect(posts()).toEqual(['POST /transactions_async', 'POST /transactions', 'POST /transactions'])
    const refused = await ours.submit(await payment(1n, '5000'))
    expect(refused).toEqual({ outcome: 'refused', codes: ['tx_failed', 'op_underfunded'] })
  })

  it.each([
    [503, { type: 'stale_history', status: 503 }],
    [500, { type: 'transaction_submission_failed', status: 500 }],
    [400, { type: 'transaction_malformed', status: 400 }],
    [201, { tx_status: 'SURPRISE' }],
  ])('of which nothing is known after %i %j is unknown', async (status, body) => {
    instead['/transactions_async'] = { status, body }
    expect(await horizon().submit(await payment())).toEqual({ outcome: 'unknown', detail: `HTTP ${status}` })
  })
})
