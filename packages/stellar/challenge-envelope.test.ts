import {
  Account,
  Keypair,
  Memo,
  MuxedAccount,
  Operation,
  TransactionBuilder,
  type xdr,
} from '@stellar/stellar-sdk/base'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeEnvelope,
  encodeEnvelope,
  encodeTransaction,
  NoChallenge,
  transactionHash,
} from './challenge-envelope.ts'
import { XdrError } from './xdr.ts'

const passphrase = 'Test SDF Network ; September 2015'
const key = Keypair.random()
const muxed = (id: bigint) => new MuxedAccount(new Account(key.publicKey(), '0'), id.toString()).accountId()
const id64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const sources = fc.oneof(fc.constant(key.publicKey()), id64.map(muxed))
const operations = fc.array(
  fc.record({
    source: fc.option(sources),
    name: fc.string({ minLength: 1, maxLength: 64 }).filter(text => Buffer.byteLength(text) <= 64),
    value: fc.option(fc.uint8Array({ minLength: 1, maxLength: 64 })),
  }),
  { minLength: 1, maxLength: 5 },
)
const memos = fc.oneof(
  fc.constant(Memo.none()),
  id64.map(id => Memo.id(id.toString())),
)

describe('the envelope of a challenge', () => {
  it('is read and written byte by byte as the SDK does, and hashed to the same', () => {
    fc.assert(
      fc.property(sources, operations, memos, fc.nat(2_000_000_000), (source, ops, memo, minTime) => {
        const account = source.startsWith('M')
          ? MuxedAccount.fromAddress(source, '-1')
          : new Account(source, '-1')
        const builder = new TransactionBuilder(account, {
          fee: '100',
          networkPassphrase: passphrase,
          timebounds: { minTime, maxTime: minTime + 900 },
          memo,
        })
        for (const { source, name, value } of ops) {
          const buffer = value ? Buffer.from(value) : null
          builder.addOperation(Operation.manageData({ name, value: buffer, ...(source ? { source } : {}) }))
        }
        const theirs = builder.build()
        theirs.sign(key)
        const text = theirs.toXdr()
        const { envelope, transaction } = decodeEnvelope(text)
        expect(transactionHash(transaction, passphrase).equals(Buffer.from(theirs.hash()))).toBe(true)
        expect(envelope).toMatchObject({ source, sequence: 0n, fee: 100 * ops.length })
        expect(envelope.operations).toEqual(
          ops.map(({ source, name, value }) => ({ source, name, value: value ? Buffer.from(value) : null })),
        )
        expect(encodeTransaction(envelope).equals(transaction)).toBe(true)
        expect(encodeEnvelope(transaction, envelope.signatures)).toBe(text)
      }),
      { numRuns: 200 },
    )
  })

  it('that holds anything but manageData is none', () => {
    const builtWith = (operation: xdr.Operation) =>
      new TransactionBuilder(new Account(key.publicKey(), '-1'), {
        fee: '100',
        networkPassphrase: passphrase,
        timebounds: { minTime: 0, maxTime: 1 },
      })
        .addOperation(operation)
        .build()
    const bump = builtWith(Operation.bumpSequence({ bumpTo: '1' }))
    expect(() => decodeEnvelope(bump.toXdr())).toThrow(NoChallenge)
    const inner = builtWith(Operation.manageData({ name: 'a', value: 'b' }))
    inner.sign(key)
    const outer = TransactionBuilder.buildFeeBumpTransaction(key, '200', inner, passphrase)
    expect(() => decodeEnvelope(outer.toXdr())).toThrow('must not be a fee bump')
  })

  it('is refused, never anything else, whatever strangers send', () => {
    const good = encodeEnvelope(
      encodeTransaction({
        source: key.publicKey(),
        fee: 100,
        sequence: 0n,
        timeBounds: { minTime: 1n, maxTime: 2n },
        memo: { type: 'id', value: 7n },
        operations: [{ source: muxed(9n), name: 'home auth', value: Buffer.alloc(64, 1) }],
      }),
      [{ hint: Buffer.alloc(4), signature: Buffer.alloc(64) }],
    )
    const bytes = Buffer.from(good, 'base64')
    const spoilt = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255), fc.nat(12)).map(([at, value, more]) => {
      const copy = Buffer.concat([bytes, Buffer.alloc(more)])
      copy[at] = value
      return copy.toString('base64')
    })
    const texts = fc.oneof(
      spoilt,
      fc.base64String(),
      fc.string(),
      fc.nat(bytes.length - 1).map(end => bytes.subarray(0, end).toString('base64')),
    )
    fc.assert(
      fc.property(texts, text => {
        try {
          const { envelope, transaction } = decodeEnvelope(text)
          // What is taken says the same when it is written again.
          if (envelope.memo.type !== 'other')
            expect(encodeTransaction(envelope).equals(transaction)).toBe(true)
        } catch (error) {
          expect(error instanceof XdrError || error instanceof NoChallenge, String(error)).toBe(true)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
