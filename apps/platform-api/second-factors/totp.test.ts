import { expect, it } from 'vitest'
import { base32, stepOf, totp } from './totp.ts'

const secret = Buffer.from('12345678901234567890')

// RFC 6238 appendix B, its last six digits.
it.each([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
])('the code at second %i is %s', (seconds, code) => {
  expect(totp(secret, Math.floor(seconds / 30))).toBe(code)
})

it('accepts a code one step early or late, and no other', () => {
  const now = new Date(1234567890_000)
  const step = Math.floor(1234567890 / 30)
  const found = [-2, -1, 0, 1, 2].map(off => stepOf(secret, totp(secret, step + off), now))
  expect(found).toEqual([null, step - 1, step, step + 1, null])
  for (const wrong of ['', '00592', '0059240', '５０５９２４', '005925']) {
    expect(stepOf(secret, wrong, now)).toBeNull()
  }
})

// RFC 4648 §10.
it.each([
  ['', ''],
  ['f', 'MY'],
  ['foob', 'MZXW6YQ'],
  ['foobar', 'MZXW6YTBOI'],
])('writes %o in base 32 as %o', (text, written) => {
  expect(base32(Buffer.from(text))).toBe(written)
})
