import fc from 'fast-check'
import { expect, test } from 'vitest'
import { catalogue, setLanguage, text } from '../catalogue.ts'
import { inLanguage } from './one-language.ts'

const SOURCE = `
import { byLanguage, catalogue, text as words } from '@windlass/ui/catalogue.ts'
const text = (en: string, es: string) => en + es
export const texts = catalogue({
  save: words('Save', 'Guardar'),
  /** Said once. */
  left: words((left: number) => \`\${left} left\`, left => \`Quedan \${left}\`),
  list: [words('One', 'Uno'), ''],
})
export const other = byLanguage({}, { late: 'Tarde' })
export const own = text('a', 'b')
`

test('a build holds the texts of its language alone, and calls that only look alike stay', () => {
  const [english, spanish] = [inLanguage('en', 'texts.ts', SOURCE), inLanguage('es', 'texts.ts', SOURCE)]
  expect(english).toContain("save: ('Save')")
  expect(english).toContain('left: ((left: number) => `${left} left`)')
  expect(english).not.toMatch(/Guardar|Quedan|Uno|Tarde/)
  expect(spanish).toContain("list: [('Uno'), '']")
  expect(spanish).toContain("other = ({ late: 'Tarde' })")
  expect(spanish).not.toMatch(/Save|\} left|One/)
  for (const built of [english, spanish]) expect(built).toContain("own = text('a', 'b')")
})

test('the pseudo-locale marks every text', () => {
  const marked = inLanguage('en-XA', 'texts.ts', SOURCE)
  expect(marked).toContain("save: markText('Save')")
  expect(marked).toContain('left: markText((left: number) => `${left} left`)')
})

/** What a module exports as `texts` once its texts are of one language. */
const textsOf = (code: string): unknown => {
  const body = code.replace(/^import .*$/gm, '').replace('export const texts =', 'return')
  return (new Function(body) as () => unknown)()
}

test('any two texts, each with quotes, brackets and line breaks, stay whole in their language', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.string())), pairs => {
      const calls = pairs.map(pair => `text(${pair.map(one => JSON.stringify(one)).join()})`)
      const source = `import { catalogue, text } from './catalogue.ts'\nexport const texts = catalogue({ list: [${calls.join()}] })`
      for (const [index, language] of (['en', 'es'] as const).entries())
        expect(textsOf(inLanguage(language, 'texts.ts', source))).toEqual({
          list: pairs.map(pair => pair[index]),
        })
    }),
  )
})

test('without a build a page reads the texts of its language', () => {
  try {
    setLanguage('es')
    const { days } = catalogue({
      days: text(
        (days: number) => `${days} days`,
        days => `${days} días`,
      ),
    })
    expect(days(3)).toBe('3 días')
  } finally {
    setLanguage('en')
  }
})

test('a text in one language, or with other gaps in the second, does not compile', () => {
  // @ts-expect-error A text needs both languages.
  text('Save')
  // @ts-expect-error Neither does words alone make a catalogue.
  catalogue({ save: 'Save' })
  // @ts-expect-error Nor a sentence alone.
  catalogue({ list: [{ left: (left: number) => `${left} left` }] })
  const named = (name: string) => `Quedan ${name}`
  // @ts-expect-error The gaps of the second are those of the first.
  text((left: number) => `${left} left`, named)
  // @ts-expect-error Words do not translate a sentence.
  text((left: number) => `${left} left`, 'Quedan')
})
