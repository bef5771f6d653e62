import { createHash } from 'node:crypto'
import { Keypair, SignerKey, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  codesOf,
  createAccount,
  data,
  keySigner,
  Laboratory,
  operation,
  options,
  xlm,
  type Draft,
} from './testing/laboratory.ts'

let lab: Laboratory
beforeAll(async () => {
  lab = await Laboratory.open()
})
afterAll(() => lab.close())

/** A valid transaction of this account, but for what the row changes. */
const draft = (key: Keypair, change: Partial<Draft> = {}): Draft => ({
  source: key.publicKey(),
  signers: [key],
  operations: [operation(data('greeting', 'hello'))],
  ...change,
})

describe('signatures', () => {
  it('of further signers add up to a threshold', async () => {
    const [key, second] = [await lab.funded(), Keypair.random()]
    await lab.succeed(
      draft(key, {
        operations: [
          operation(options({ signer: { key: keySigner(second), weight: 1 } })),
          operation(options({ lowThreshold: 2, medThreshold: 2, highThreshold: 2 })),
        ],
      }),
    )
    expect(codesOf(await lab.submit(draft(key)))).toEqual({ transaction: 'tx_bad_auth' })
    await lab.succeed(draft(key, { signers: [key, second] }))
  })

  it('of a master key without weight do not count', async () => {
    const [key, second] = [await lab.funded(), Keypair.random()]
    await lab.succeed(
      draft(key, {
        operations: [operation(options({ masterWeight: 0, signer: { key: keySigner(second), weight: 1 } }))],
      }),
    )
    expect(codesOf(await lab.submit(draft(key)))).toEqual({ transaction: 'tx_bad_auth' })
    await lab.succeed(draft(key, { signers: [second] }))
  })

  it('may be the preimage of a hash that is a signer', async () => {
    const key = await lab.funded()
    const preimage = Buffer.from('a secret that opens this account')
    const hash = createHash('sha256').update(preimage).digest()
    await lab.succeed(
      draft(key, {
        operations: [
          operation(options({ signer: { key: xdr.SignerKey.signerKeyTypeHashX(hash), weight: 1 } })),
        ],
      }),
    )
    const { envelope } = await lab.sign(draft(key, { signers: [] }))
    if (envelope.type !== 'envelopeTypeTx') throw new TypeError()
    const opened = xdr.TransactionEnvelope.envelopeTypeTx(
      new xdr.TransactionV1Envelope({
        tx: envelope.v1.tx,
        signatures: [new xdr.DecoratedSignature({ hint: hash.subarray(-4), signature: preimage })],
      }),
    )
    expect((await lab.post('/transactions', { tx: opened.toXdr('base64') })).status).toBe(200)
  })

  it('are not needed for a transaction whose hash is a signer, which then is a signer no more', async () => {
    const key = await lab.funded()
    const sequence = (await lab.sequence(key.publicKey())) + 2n
    const later = draft(key, { signers: [], sequence })
    const { hash } = await lab.sign(later)
    await lab.succeed(
      draft(key, {
        operations: [
          operation(
            options({
              signer: { key: xdr.SignerKey.signerKeyTypePreAuthTx(Buffer.from(hash, 'hex')), weight: 1 },
            }),
          ),
        ],
      }),
    )
    expect((await lab.horizon.loadAccount(key.publicKey())).signers).toHaveLength(2)
    await lab.succeed(later)
    const account = await lab.horizon.loadAccount(key.publicKey())
    expect(account.signers).toHaveLength(1)
    expect(account.subentry_count).toBe(1) // the data it set
  })

  it('over a payload serve where the payload is a signer', async () => {
    const [key, signer] = [await lab.funded(), Keypair.random()]
    const payload = Buffer.from('agreed')
    const signerKey = xdr.SignerKey.signerKeyTypeEd25519SignedPayload(
      new xdr.SignerKeyEd25519SignedPayload({ ed25519: signer.rawPublicKey(), payload }),
    )
    await lab.succeed(
      draft(key, { operations: [operation(options({ signer: { key: signerKey, weight: 1 } }))] }),
    )
    expect(SignerKey.encodeSignerKey(signerKey)).toMatch(/^P/)
    const { envelope } = await lab.sign(draft(key, { signers: [] }))
    if (envelope.type !== 'envelopeTypeTx') throw new TypeError()
    const signed = xdr.TransactionEnvelope.envelopeTypeTx(
      new xdr.TransactionV1Envelope({
        tx: envelope.v1.tx,
        signatures: [xdr.DecoratedSignature.fromXdr(signer.signPayloadDecorated(payload).toXDR())],
      }),
    )
    expect((await lab.post('/transactions', { tx: signed.toXdr('base64') })).status).toBe(200)
  })

  it("of an account that the transaction itself makes are its own key's", async () => {
    const [key, child] = [await lab.funded(), Keypair.random()]
    await lab.succeed(
      draft(key, {
        operations: [operation(createAccount(child, xlm(5))), operation(data('born', 'today'), child)],
        signers: [key, child],
      }),
    )
    expect((await lab.horizon.loadAccount(child.publicKey())).data_attr).toHaveProperty('born')
  })
})
