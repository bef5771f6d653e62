import fc from 'fast-check'
import { runInThisContext } from 'node:vm'
import { expect, it } from 'vitest'
import { SourceMap } from 'node:module'
import { inAscii, mappingsInAscii } from './in-ascii.ts'

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

it('leaves each place of a program where its source map says', () => {
  const code = ['a("é", b);c("\\—😀")', '', 'd(e)', 'f("ñ".repeat(99), g)'].join('\n')
  // A segment for each of the names, with the same place in the source.
  const mappings = 'AAAA,OAAO,GAAG;;AAEV,EAAE;AACF,kBAAkB'
  const payload = { file: '', version: 3, sources: ['x.ts'], sourcesContent: [], names: [], sourceRoot: '' }
  const [before, after] = [
    new SourceMap({ ...payload, mappings }),
    new SourceMap({ ...payload, mappings: mappingsInAscii(mappings, code) }),
  ]
  const placeOf = (program: string, name: string) => {
    const lines = program.split('\n')
    const line = lines.findIndex(each => each.includes(name))
    return [line, lines[line]?.indexOf(name) ?? -1] as const
  }
  for (const name of ['a(', 'b)', 'c(', 'd(', 'e)', 'f(', 'g)']) {
    const [was, is] = [
      before.findEntry(...placeOf(code, name)),
      after.findEntry(...placeOf(inAscii(code), name)),
    ]
    expect(was).toHaveProperty('originalSource', 'x.ts')
    expect({ ...is, generatedColumn: 0 }).toEqual({ ...was, generatedColumn: 0 })
  }
})
