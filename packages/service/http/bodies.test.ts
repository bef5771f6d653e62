import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from './bodies.ts'

const read = (text: string) => parseJson(Buffer.from(text))

describe('a JSON body', () => {
  it.each([
    '99999999999.1234567',
    '123456789012345678',
    '1e400',
    '-9007199254740993',
    '0.12345678901234567890',
  ])('is refused with the number %s, which would lose digits', number => {
    expect(() => read(`{"amounts":[{"amount":${number}}]}`)).toThrow(/^amount has more digits/)
  })

  it.each(['0', '-0', '0.0', '1.50', '1e3', '15e-1', '100', '9007199254740991', '0.1234567', '1E+2'])(
    'is read with the number %s',
    number => {
      expect(read(`{"n":${number}}`)).toEqual({ n: Number(number) })
    },
  )

  it('is refused with a number of a hundred thousand digits as fast as with a short one', () => {
    expect(() => read(`{"amount":1${'0'.repeat(100_000)}1}`)).toThrow(/^amount has more digits/)
    expect(() => read(`{"amount":1.${'0'.repeat(100_000)}}`)).toThrow(/^amount has more digits/)
  })

  it('is read with every number that JavaScript writes, and with digits in texts', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), n => {
        expect(read(JSON.stringify({ n, text: '12345678901234567890e5' }))).toEqual({
          n: n === 0 ? 0 : n,
          text: '12345678901234567890e5',
        })
      }),
    )
  })
})
