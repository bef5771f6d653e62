import fc from 'fast-check'
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSealer, parseKeyring } from './seal.ts'

const key = (version: number) => `v${version}:${randomBytes(32).toString('base64')}`
const [one, two] = [key(1), key(2)]
const sealer = createSealer(parseKeyring(one))
// Half surrogate pairs have no UTF-8 form.
const text = fc.string({ unit: 'binary', maxLength: 200 }).map(s => s.toWellFormed())

describe('what is sealed', () => {
  it('opens to the same text in the same context', () => {
    fc.assert(
      fc.property(text, text, (secret, context) => {
        expect(sealer.open(sealer.seal(secret, context), context)).toBe(secret)
      }),
    )
  })

  it('does not open in another context, or with any bit changed, or cut off', () => {
    fc.assert(
      fc.property(text, text, text, fc.nat(), fc.nat(7), (secret, context, other, at, bit) => {
        const sealed = sealer.seal(secret, context)
        if (other !== context) expect(() => sealer.open(sealed, other)).toThrow()
        const changed = Buffer.from(sealed)
        changed[at % sealed.length]! ^= 1 << bit
        expect(() => sealer.open(changed, context)).toThrow()
        expect(() => sealer.open(sealed.subarray(0, at % sealed.length), context)).toThrow()
      }),
    )
  })

  it('never looks the same twice and does not show its text', () => {
    const secret = 'a-secret-that-is-long-enough'
    const [a, b] = [sealer.seal(secret, 'x'), sealer.seal(secret, 'x')]
    expect(a.equals(b)).toBe(false)
    expect(a.includes(secret)).toBe(false)
  })

  it('opens after the keys were rotated, until the old one is gone', () => {
    const old = sealer.seal('secret', 'x')
    const rotated = createSealer(parseKeyring(`${two}, ${one}`))
    expect(rotated.open(old, 'x')).toBe('secret')
    const fresh = rotated.seal('new', 'x')
    expect(() => sealer.open(fresh, 'x')).toThrow(/v2/)
    const only = createSealer(parseKeyring(two))
    expect(only.open(fresh, 'x')).toBe('new')
    expect(() => only.open(old, 'x')).toThrow(/v1/)
  })

  it('does not open with a tag that was cut to four bytes', () => {
    const sealed = sealer.seal('', 'x')
    expect(() => sealer.open(sealed.subarray(0, 17), 'x')).toThrow()
  })
})

it.each([
  ['nothing', ''],
  ['a short key', 'v1:AAAA'],
  ['a long key', `v1:${randomBytes(33).toString('base64')}`],
  ['no version', randomBytes(32).toString('base64')],
  ['a version beyond a byte', key(256)],
  ['one version twice', `${key(1)},${key(1)}`],
])('a keyring of %s is refused', (_what, given) => {
  expect(() => parseKeyring(given)).toThrow(/key/)
})
