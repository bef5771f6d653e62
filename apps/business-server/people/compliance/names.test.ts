import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { createMatcher, scoreOf, wordsOf } from './names.ts'

const score = (one: string, other: string) => scoreOf(wordsOf(one), wordsOf(other))

describe('a name as words', () => {
  it('has neither marks, capitals, titles nor legal forms, and is in Latin letters', () => {
    expect(wordsOf('  Dr. José  MÜLLER-Łukasz ')).toEqual(['jose', 'muller', 'lukasz'])
    expect(wordsOf('O’Brien & Sons Ltd.')).toEqual(['obrien', 'sons'])
    expect(wordsOf('Владимир Путин')).toEqual(['vladimir', 'putin'])
    expect(wordsOf('The Company')).toEqual(['the', 'company'])
    expect(wordsOf(' - ')).toEqual([])
  })

  it('is the same however often it is made, and whatever its spaces, order of marks and capitals', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), name => {
        const words = wordsOf(name)
        expect(wordsOf(words.join(' '))).toEqual(words)
        expect(wordsOf(`\t${name.normalize('NFD')}  `)).toEqual(wordsOf(name.normalize('NFC')))
        for (const word of words) expect(word).toMatch(/^[a-z0-9]+$/)
      }),
    )
  })
})

describe('the score of two names', () => {
  it('is the same both ways, from 0 to 1, and 1 for the words of one name in any order', () => {
    const name = fc.array(fc.stringMatching(/^[a-e]{1,6}$/), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(name, name, (one, other) => {
        const found = scoreOf(one, other)
        expect(found).toBe(scoreOf(other, one))
        expect(found >= 0 && found <= 1).toBe(true)
        expect(scoreOf(one, one.toReversed())).toBe(1)
      }),
    )
  })

  test.each([
    ['Usama bin Ladin', 'Osama Bin Laden'],
    ['Vladimir Vladimirovich PUTIN', 'Putin, Vladimir'],
    ['Abdul Rahman', 'AbdulRahman'],
    ['Schmitt, Anna', 'Anna Schmidt'],
    ['Gazprom Neft OAO', 'GAZPROM NEFT'],
  ])('of “%s” and “%s” is a hit', (one, other) => {
    expect(score(one, other)).toBeGreaterThanOrEqual(0.85)
  })

  test.each([
    ['Mohammed Khan', 'Mohammed Ali'],
    ['Asha', 'Asha Rao'],
    ['Maria Gonzalez', 'Mario Rossi'],
    ['Anna Schmidt', 'Peter Schmidt'],
  ])('of “%s” and “%s” is none', (one, other) => {
    expect(score(one, other)).toBeLessThan(0.85)
  })
})

it('a matcher finds what comparing each name finds, once for each entry', async () => {
  const known = fc.constantFrom(
    'anna',
    'ana',
    'hanna',
    'peter',
    'petr',
    'lin',
    'li',
    'a',
    'schmidt',
    'schmitt',
  )
  const word = fc.oneof(known, fc.stringMatching(/^[abc1]{1,5}$/))
  const name = fc.array(word, { minLength: 1, maxLength: 3 }).map(words => words.join(' '))
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ max: 4, min: 0 }), name), { maxLength: 12 }),
      name,
      async (all, asked) => {
        const listed = all.map(([entry, each]) => ({
          ...{ source: 'UN', list: '1', entryId: String(entry), name: each, detail: '' },
        }))
        const expected = new Map<string, number>()
        for (const { entryId, name: each } of listed)
          if (score(asked, each) >= 0.85)
            expected.set(entryId, Math.max(expected.get(entryId) ?? 0, score(asked, each)))
        const found = (await createMatcher(listed, async () => undefined)).find(asked, 0.85)
        expect(new Map(found.map(match => [match.entryId, match.score]))).toEqual(expected)
        expect(found).toHaveLength(expected.size)
      },
    ),
  )
})
