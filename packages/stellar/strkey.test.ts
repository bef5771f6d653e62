import { StrKey } from '@stellar/stellar-sdk/base'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isStellarAccount, muxedParts } from './addresses.ts'
import { decodeKey, encodeKey, type KeyKind } from './strkey.ts'

const sdk: Readonly<Record<KeyKind, { encode(bytes: Uint8Array): string; valid(text: string): boolean }>> = {
  account: {
    encode: bytes => StrKey.encodeEd25519PublicKey(bytes),
    valid: text => StrKey.isValidEd25519PublicKey(text),
  },
  seed: {
    encode: bytes => StrKey.encodeEd25519SecretSeed(bytes),
    valid: text => StrKey.isValidEd25519SecretSeed(text),
  },
  muxed: {
    encode: bytes => StrKey.encodeMed25519PublicKey(bytes),
    valid: text => StrKey.isValidMed25519PublicKey(text),
  },
}
const kinds = ['account', 'seed', 'muxed'] as const
const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size })

describe('a key as people see it', () => {
  it.each(kinds)('is what the SDK makes of it, there and back: %s', kind => {
    fc.assert(
      fc.property(bytes(kind === 'muxed' ? 40 : 32), payload => {
        const text = encodeKey(kind, payload)
        expect(text).toBe(sdk[kind].encode(payload))
        expect(decodeKey(kind, text)).toEqual(Buffer.from(payload))
        for (const other of kinds) if (other !== kind) expect(decodeKey(other, text)).toBeNull()
      }),
    )
  })

  it.each(kinds)('is refused where the SDK refuses it, one letter changed, cut or added: %s', kind => {
    const letters = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 'a', '1', '=', ' ', '\u0000', 'é')
    const size = kind === 'muxed' ? 40 : 32
    fc.assert(
      fc.property(bytes(size), fc.nat(70), letters, fc.nat(2), (payload, at, letter, how) => {
        const good = encodeKey(kind, payload)
        const cut = how === 0 ? 1 : 0
        const text = good.slice(0, at) + (how === 2 ? '' : letter) + good.slice(at + (how === 2 ? 1 : cut))
        expect(decodeKey(kind, text) !== null).toBe(sdk[kind].valid(text))
      }),
      { numRuns: 300 },
    )
  })

  // SEP-23's own examples of addresses that must not be taken.
  it.each([
    'GAAAAAAAACGC6',
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUR',
    'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZA',
    'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUACUSI',
    'G47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVP2I',
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLKA',
    'M47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ',
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUK===',
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUO',
    '',
  ])('is none: %s', text => expect(isStellarAccount(text)).toBe(false))

  it('tells a muxed account’s parts, to the largest number', () => {
    const base = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'
    expect(muxedParts('MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ')).toEqual({
      base,
      id: '0',
    })
    expect(muxedParts('MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK')).toEqual({
      base,
      id: '9223372036854775808',
    })
    expect(muxedParts(base)).toBeNull()
  })
})
