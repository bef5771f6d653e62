import { Keypair, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codesOf, data, Laboratory, native, operation, options, pay, xlm } from './testing/laboratory.ts'

let lab: Laboratory
beforeAll(async () => {
  lab = await Laboratory.open()
})
afterAll(() => lab.close())

describe('a fee bump', () => {
  const inner = async (key: Keypair, body: xdr.OperationBody, fee = 100) =>
    (await lab.sign({ source: key.publicKey(), signers: [key], fee, operations: [operation(body)] })).envelope

  it("pays for another's transaction, even one that offers no fee", async () => {
    const [key, payer] = [await lab.holding(xlm(1)), await lab.funded()]
    const { envelope, hash } = lab.bump(await inner(key, options({ homeDomain: 'a.b' }), 0), {
      payer,
      fee: 200n,
      signers: [payer],
    })
    const answer = await lab.post('/transactions', { tx: envelope })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      hash,
      successful: true,
      fee_account: payer.publicKey(),
      fee_charged: '200',
      max_fee: '200',
      source_account: key.publicKey(),
      fee_bump_transaction: { hash },
      inner_transaction: { max_fee: '0' },
    })
    const result = xdr.TransactionResult.fromXdr(String(answer.body['result_xdr']), 'base64').result
    expect(result.type).toBe('txFeeBumpInnerSuccess')
    expect(await lab.nativeBalance(payer.publicKey())).toBe('9999.9999800')
    expect(await lab.nativeBalance(key.publicKey())).toBe('1.0000000')
  })

  it('is found by the hash of what is inside, under that hash', async () => {
    const [key, payer] = [await lab.funded(), await lab.funded()]
    const envelope = await inner(key, data('a', 'b'))
    const bumped = lab.bump(envelope, { payer, fee: 1000n, signers: [payer] })
    const { body } = await lab.post('/transactions', { tx: bumped.envelope })
    const innerHash = lab.hash(
      2,
      envelope.type === 'envelopeTypeTx' ? envelope.v1.tx.toXdr() : Buffer.alloc(0),
    )
    const found = (await lab.get(`/transactions/${innerHash.toString('hex')}`)).body
    expect(found).toMatchObject({
      hash: innerHash.toString('hex'),
      inner_transaction: { hash: innerHash.toString('hex') },
    })
    expect(found['signatures']).not.toEqual(body['signatures'])
    const again = await lab.post('/transactions', { tx: envelope.toXdr('base64') })
    expect(again.status).toBe(200)
    expect(await lab.sequence(key.publicKey())).toBe(
      envelope.type === 'envelopeTypeTx' ? envelope.v1.tx.seqNum : 0n,
    )
  })

  it('whose inside fails says so in both codes and still costs its payer', async () => {
    const [key, payer] = [await lab.funded(), await lab.funded()]
    const { envelope } = lab.bump(await inner(key, pay(Keypair.random(), native, 1n)), {
      payer,
      fee: 400n,
      signers: [payer],
    })
    expect(codesOf(await lab.post('/transactions', { tx: envelope }))).toEqual({
      transaction: 'tx_fee_bump_inner_failed',
      inner_transaction: 'tx_failed',
      operations: ['op_no_destination'],
    })
    expect(await lab.nativeBalance(payer.publicKey())).toBe('9999.9999800')
    expect(await lab.nativeBalance(key.publicKey())).toBe('10000.0000000')
  })

  it('is rejected for too low a fee, too low a rate, a poor or unknown payer, or wrong signatures', async () => {
    const [key, payer, stranger] = [await lab.funded(), await lab.funded(), Keypair.random()]
    const poor = await lab.holding(xlm(1))
    const envelope = await inner(key, data('a', 'b'), 1000)
    const codes = async (given: Partial<Parameters<Laboratory['bump']>[1]>) => {
      const bumped = lab.bump(envelope, { payer, fee: 2000n, signers: [payer], ...given })
      return codesOf(await lab.post('/transactions', { tx: bumped.envelope }))
    }
    expect(await codes({ fee: 199n })).toEqual({ transaction: 'tx_insufficient_fee' })
    expect(await codes({ fee: 1999n })).toEqual({ transaction: 'tx_insufficient_fee' })
    expect(await codes({ payer: stranger, signers: [stranger] })).toEqual({
      transaction: 'tx_no_source_account',
    })
    expect(await codes({ signers: [stranger] })).toEqual({ transaction: 'tx_bad_auth' })
    expect(await codes({ payer: poor, signers: [poor] })).toEqual({ transaction: 'tx_insufficient_balance' })
    expect(await codes({ signers: [payer, stranger] })).toEqual({ transaction: 'tx_bad_auth_extra' })
    expect(await codes({})).toBeUndefined()
    expect(await codes({ fee: 3000n })).toEqual({
      transaction: 'tx_fee_bump_inner_failed',
      inner_transaction: 'tx_bad_seq',
    })
  })
})
