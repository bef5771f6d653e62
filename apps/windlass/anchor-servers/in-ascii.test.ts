import fc from 'fast-check'
import { runInThisContext } from 'node:vm'
import { expect, it } from 'vitest'
import { inAscii } from './in-ascii.ts'

it('says the same in strings, escaped or not', () => {
  const anyText = fc.string({
    unit: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\\', '—', '😀')),
  })
  fc.assert(
    fc.property(anyText, text => {
      for (const code of [JSON.stringify(text), JSON.stringify(text).replaceAll('—', '\\—')]) {
        expect(inAscii(code)).toMatch(/^[\x00-\x7f]*$/)
        expect(runInThisContext(inAscii(code))).toBe(text)
      }
    }),
  )
})

it.each(['/^[а-я—]+$/', '/^\\—$|я/', '/^[—😀]+$|я/u'])('matches the same: %s', code => {
  const [given, written] = [code, inAscii(code)].map(each => runInThisContext(each) as RegExp)
  for (const text of ['—', 'я', '😀', 'u2014', '\\u2014', ''])
    expect(written?.test(text)).toBe(given?.test(text))
})
