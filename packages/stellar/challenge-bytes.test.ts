import { Keypair, Transaction, TransactionBuilder } from '@stellar/stellar-sdk/base'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { muxedAccount } from './addresses.ts'
import { envelopeOf, readChallengeBytes, writeChallenge, type ChallengeParts } from './challenge-bytes.ts'

const PASSPHRASE = 'Test SDF Network ; September 2015'
const address = Keypair.random().publicKey()
const server = Keypair.random().publicKey()

const ascii = fc.string({ minLength: 1, maxLength: 64, unit: 'grapheme-ascii' })
const entry = fc.record({
  source: fc.constantFrom(
    address,
    server,
    muxedAccount(address, '7'),
    muxedAccount(server, '18446744073709551615'),
  ),
  name: ascii,
  value: ascii,
})
const challenge: fc.Arbitrary<ChallengeParts> = fc.record({
  source: fc.constant(server),
  sequence: fc.constantFrom('0', '1', '9223372036854775807'),
  minTime: fc.nat(),
  maxTime: fc.nat(),
  memo: fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String), { nil: null }),
  entries: fc.array(entry, { minLength: 1, maxLength: 6 }),
})
const signature = fc.record({
  hint: fc.uint8Array({ minLength: 4, maxLength: 4 }).map(bytes => Buffer.from(bytes)),
  signature: fc.uint8Array({ minLength: 0, maxLength: 64 }).map(bytes => Buffer.from(bytes)),
})

const bytesOf = (envelope: string) => Buffer.from(envelope, 'base64')

it('a challenge is written as the SDK writes it, and read as it was written', () => {
  fc.assert(
    fc.property(challenge, fc.array(signature, { maxLength: 3 }), (parts, signatures) => {
      const written = writeChallenge(parts, PASSPHRASE)
      const envelope = envelopeOf(written, signatures)
      const theirs = new Transaction(envelope, PASSPHRASE)
      expect(theirs.toXdr()).toBe(envelope)
      expect(Buffer.from(theirs.hash()).equals(written.hash)).toBe(true)
      expect({
        source: theirs.source,
        sequence: theirs.sequence,
        minTime: Number(theirs.timeBounds?.minTime),
        maxTime: Number(theirs.timeBounds?.maxTime),
        memo: theirs.memo.type === 'none' ? null : String(theirs.memo.value),
        entries: theirs.operations.map(operation =>
          operation.type === 'manageData'
            ? {
                source: operation.source,
                name: operation.name,
                value: Buffer.from(operation.value ?? []).toString(),
              }
            : null,
        ),
      }).toEqual(parts)
      expect(readChallengeBytes(bytesOf(envelope), PASSPHRASE)).toEqual({ ...parts, ...written, signatures })
    }),
  )
})

it('bytes that differ anywhere are left to the SDK, or hash as what they say', () => {
  const change = fc.record({ at: fc.nat(), to: fc.nat(255), cut: fc.nat(8) })
  fc.assert(
    fc.property(challenge, change, (parts, { at, to, cut }) => {
      const bytes = bytesOf(envelopeOf(writeChallenge(parts, PASSPHRASE), []))
      bytes[at % bytes.length] = to
      const envelope = bytes.subarray(0, bytes.length - cut)
      const read = readChallengeBytes(envelope, PASSPHRASE)
      if (read === null) return
      const theirs = TransactionBuilder.fromXdr(envelope.toString('base64'), PASSPHRASE)
      expect(Buffer.from(theirs.hash()).equals(read.hash)).toBe(true)
      const { entries, ...others } = read
      expect(writeChallenge({ ...others, entries }, PASSPHRASE).transaction.subarray(40)).toEqual(
        // Whatever the fee is.
        read.transaction.subarray(40),
      )
    }),
    { numRuns: 500 },
  )
})
