import {
  Account,
  Asset,
  FeeBumpTransaction,
  Operation,
  StrKey,
  TransactionBuilder,
} from '@stellar/stellar-sdk/base'
import { createHash, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { generateKey, signTransaction } from './keys.ts'
import { readSigned } from './signatures.ts'

const networkPassphrase = 'Test SDF Network ; September 2015'
const [source, second, stranger] = [generateKey(), generateKey(), generateKey()]
const built = () =>
  new TransactionBuilder(new Account(source.publicKey, '1'), { fee: '100', networkPassphrase })
    .addOperation(Operation.payment({ asset: Asset.native(), amount: '1', destination: stranger.publicKey }))
    .addOperation(
      Operation.payment({
        ...{ asset: Asset.native(), amount: '1', destination: stranger.publicKey },
        source: second.publicKey,
      }),
    )
    .setTimeout(0)
    .build()

it('an envelope is signed by the keys that signed it, on this network alone', () => {
  const transaction = built()
  expect(readSigned(transaction.toXdr(), networkPassphrase).isSignedBy([source.publicKey])).toBe(false)
  signTransaction(transaction, source.secret)
  const { isSignedBy, sourcesOf } = readSigned(transaction.toXdr(), networkPassphrase)
  expect(isSignedBy([source.publicKey])).toBe(true)
  expect(isSignedBy([stranger.publicKey, second.publicKey])).toBe(false)
  expect(readSigned(transaction.toXdr(), 'another').isSignedBy([source.publicKey])).toBe(false)
  expect([sourcesOf([0]), sourcesOf([0, 1])]).toEqual([
    [source.publicKey],
    [source.publicKey, second.publicKey],
  ])
})

it('who pays the fee of a bump signed nothing of what is inside', () => {
  const inner = built()
  signTransaction(inner, stranger.secret)
  const bump = TransactionBuilder.buildFeeBumpTransaction(source.publicKey, '200', inner, networkPassphrase)
  signTransaction(bump, source.secret)
  expect(bump).toBeInstanceOf(FeeBumpTransaction)
  const { isSignedBy } = readSigned(bump.toXdr(), networkPassphrase)
  expect([isSignedBy([source.publicKey]), isSignedBy([stranger.publicKey])]).toEqual([false, true])
})

it('knows signers that are the hash of a secret, or of the transaction', () => {
  const transaction = built()
  const preimage = randomBytes(32)
  const hashX = StrKey.encodeSha256Hash(createHash('sha256').update(preimage).digest())
  const other = StrKey.encodeSha256Hash(randomBytes(32))
  const preAuth = StrKey.encodePreAuthTx(Buffer.from(transaction.hash()))
  transaction.signHashX(preimage)
  const { isSignedBy } = readSigned(transaction.toXdr(), networkPassphrase)
  expect([isSignedBy([hashX]), isSignedBy([preAuth]), isSignedBy([other])]).toEqual([true, true, false])
})
