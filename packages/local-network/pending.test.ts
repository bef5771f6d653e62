import { Keypair, xdr } from '@stellar/stellar-sdk'
import { afterEach, describe, expect, it } from 'vitest'
import { codesOf, data, Laboratory, operation } from './testing/laboratory.ts'

let lab: Laboratory
afterEach(() => lab.close())

const [key, payer, other] = [Keypair.random(), Keypair.random(), Keypair.random()]

/** Ledgers close when the test says so, and what is not taken is answered after a fifth of a second. @returns the sequence of each account */
async function open(protocol?: number): Promise<bigint> {
  const accounts = [key, payer, other].map(each => ({ address: each.publicKey(), lumens: '10000' }))
  lab = await Laboratory.open({
    closeEvery: 'on-demand',
    submissionTimeout: 200,
    genesis: { accounts },
    ...(protocol === undefined ? {} : { protocol }),
  })
  return lab.sequence(key.publicKey())
}

const write = async (source: Keypair, sequence: bigint, value: string) =>
  lab.sign({
    source: source.publicKey(),
    signers: [source],
    operations: [operation(data('a', value))],
    sequence,
  })

const send = async (tx: string | xdr.TransactionEnvelope) =>
  lab.post('/transactions_async', { tx: typeof tx === 'string' ? tx : tx.toXdr('base64') })

const statusOf = async (tx: string | xdr.TransactionEnvelope) => {
  const { status, body } = await send(tx)
  return [status, body['tx_status']]
}

const valueOf = async (account: Keypair) =>
  Buffer.from(
    String((await lab.horizon.loadAccount(account.publicKey())).data_attr['a']),
    'base64',
  ).toString()

describe('the second transaction of an account', () => {
  it('waits for the next ledger, whatever its sequence number', async () => {
    const start = await open()
    const first = await write(key, start + 1n, 'first')
    const [next, other] = [await write(key, start + 2n, 'next'), await write(key, start + 1n, 'other')]
    expect(await statusOf(first.envelope)).toEqual([201, 'PENDING'])
    expect(await statusOf(first.envelope)).toEqual([409, 'DUPLICATE'])
    expect(await statusOf(next.envelope)).toEqual([503, 'TRY_AGAIN_LATER'])
    expect(await statusOf(other.envelope)).toEqual([503, 'TRY_AGAIN_LATER'])
    lab.network.close()
    expect(await statusOf(next.envelope)).toEqual([201, 'PENDING'])
    lab.network.close()
    expect(await valueOf(key)).toBe('next')
  })

  it('gets 504 of POST /transactions, unless it is in a ledger by then', async () => {
    const start = await open()
    expect(await statusOf((await write(key, start + 1n, 'first')).envelope)).toEqual([201, 'PENDING'])
    const tx = (await write(key, start + 2n, 'next')).envelope.toXdr('base64')
    const answer = await lab.post('/transactions', { tx })
    expect([answer.status, answer.body['title']]).toEqual([504, 'Transaction Submission Timeout'])
    const waiting = lab.post('/transactions', { tx })
    await lab.get('/')
    lab.network.close()
    expect(await statusOf(tx)).toEqual([201, 'PENDING'])
    lab.network.close()
    expect((await waiting).status).toBe(200)
  })

  it('of another account in the same ledger is taken', async () => {
    const start = await open()
    const others = await write(other, start + 1n, 'others')
    expect(await statusOf((await write(key, start + 1n, 'first')).envelope)).toEqual([201, 'PENDING'])
    expect(await statusOf(others.envelope)).toEqual([201, 'PENDING'])
  })

  it('is taken by the network of protocol 19', async () => {
    const start = await open(19)
    expect(await statusOf((await write(key, start + 1n, 'first')).envelope)).toEqual([201, 'PENDING'])
    expect(await statusOf((await write(key, start + 2n, 'next')).envelope)).toEqual([201, 'PENDING'])
    lab.network.close()
    expect(await valueOf(key)).toBe('next')
  })

  it('is asked by friendbot for nobody: it funds many in one ledger', async () => {
    await open()
    const strangers = [Keypair.random(), Keypair.random()]
    const answers = strangers.map(each => lab.get(`/friendbot?addr=${each.publicKey()}`))
    await lab.get('/')
    await lab.get('/')
    lab.network.close()
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
  })
})

describe('a fee bump of a pending transaction', () => {
  const bumped = async (sequence: bigint, fee: bigint, from = payer) => {
    const { envelope } = await write(key, sequence, 'inside')
    return lab.bump(envelope, { payer: from, fee, signers: [from] }).envelope
  }

  it('takes its place from ten times its rate on, and names the least fee below', async () => {
    const start = await open()
    expect(await statusOf((await write(key, start + 1n, 'inside')).envelope)).toEqual([201, 'PENDING'])
    const others = await write(other, start + 1n, 'others')
    expect(await statusOf(others.envelope)).toEqual([201, 'PENDING'])
    const low = await send(await bumped(start + 1n, 1999n))
    expect([low.status, low.body['tx_status']]).toEqual([400, 'ERROR'])
    const { result, feeCharged } = xdr.TransactionResult.fromXdr(
      String(low.body['error_result_xdr']),
      'base64',
    )
    expect([result.type, feeCharged]).toEqual(['txInsufficientFee', 2000n])
    expect(await statusOf(await bumped(start + 1n, 2000n))).toEqual([201, 'PENDING'])
    // The transaction inside is pending with it.
    expect(await statusOf((await write(key, start + 1n, 'inside')).envelope)).toEqual([409, 'DUPLICATE'])
    lab.network.close()
    expect(await valueOf(key)).toBe('inside')
    expect(await valueOf(other)).toBe('others')
    expect(await lab.nativeBalance(key.publicKey())).toBe('10000.0000000')
    expect(await lab.nativeBalance(payer.publicKey())).toBe('9999.9999800')
  })

  it('leaves it where it is not valid itself', async () => {
    const start = await open()
    expect(await statusOf((await write(key, start + 1n, 'inside')).envelope)).toEqual([201, 'PENDING'])
    const stranger = Keypair.random()
    expect((await send(await bumped(start + 1n, 2000n, stranger))).status).toBe(400)
    lab.network.close()
    expect(await valueOf(key)).toBe('inside')
  })

  it('of another sequence number waits, and of an older one is refused', async () => {
    const start = await open()
    expect(await statusOf((await write(key, start + 1n, 'first')).envelope)).toEqual([201, 'PENDING'])
    expect(await statusOf(await bumped(start + 2n, 5000n))).toEqual([503, 'TRY_AGAIN_LATER'])
    const older = await lab.post('/transactions', { tx: await bumped(start, 5000n) })
    expect(codesOf(older)).toEqual({ transaction: 'tx_bad_seq' })
  })
})
