import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { ordinaryNames, readQuestions } from '../../../testing/screening/names.ts'
import { createMatcher } from './matcher.ts'
import { scoreOf } from './score.ts'
import { wordsOf } from './words.ts'

const score = (one: string, other: string) => scoreOf(wordsOf(one), wordsOf(other))
const nothing = { detail: '', born: [], countries: [] }
const textsOf = (name: string) => wordsOf(name).map(({ text }) => text)
const matcherOf = (names: readonly string[]) =>
  createMatcher(
    names.map((name, at) => ({ source: 'UN', list: '1', entryId: String(at), name, ...nothing })),
    async () => undefined,
  )

describe('a name as words', () => {
  it('has neither marks, capitals, titles, legal forms nor words between names', () => {
    expect(textsOf('  Dr. José  MÜLLER-Łukasz ')).toEqual(['jose', 'muller', 'lukasz'])
    expect(textsOf('O’Brien & Sons Ltd.')).toEqual(['obrien', 'sons'])
    expect(textsOf('Владимир Путин')).toEqual(['vladimir', 'putin'])
    expect(textsOf('Usama bin al-Ladin')).toEqual(['usama', 'ladin'])
    expect(textsOf('The Ltd')).toEqual(['the', 'ltd'])
    expect(textsOf(' - ')).toEqual([])
  })

  it('has a servant of God as one word, however it is written', () => {
    for (const name of ["'Abd al-Wahhab", 'Abdul Wahhab', 'Abdelwahhab', 'ABD-AL-WAHHAB'])
      expect(textsOf(name)).toEqual(['abdwahhab'])
    expect(textsOf('Abd Allah')).toEqual(['abdallah'])
  })

  it('is the same whatever its spaces, order of marks and capitals', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), name => {
        expect(textsOf(`\t${name.normalize('NFD')}  `)).toEqual(textsOf(name.normalize('NFC')))
      }),
    )
  })
})

describe('the score of two names', () => {
  it('is the same both ways, from 0 to 1, and 1 for the words of one name in any order', () => {
    const name = fc.array(fc.stringMatching(/^[a-e]{1,6}$/), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(name, name, (ones, others) => {
        const [one, other] = [wordsOf(ones.join(' ')), wordsOf(others.join(' '))]
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

describe('of the questions', () => {
  test.each(['questions.csv', 'held-out.csv'] as const)(
    'in %s at least 95 % of the right names hit, and at most 2 % of the others and of ordinary names',
    async file => {
      const questions = readQuestions(file)
      const { find } = await matcherOf([...new Set(questions.map(({ listed }) => listed))])
      const missed = questions.filter(
        ({ listed, asked, right }) =>
          right === 'hit' && !find(asked, 0.85).some(({ name }) => name === listed),
      )
      const others = [
        ...questions.filter(({ right }) => right === 'none').map(({ asked }) => asked),
        ...ordinaryNames(),
      ]
      const wrong = others.filter(asked => find(asked, 0.85).length > 0)
      const hits = questions.filter(({ right }) => right === 'hit').length
      expect(missed.length / hits, JSON.stringify(missed)).toBeLessThanOrEqual(0.05)
      expect(wrong.length / others.length, JSON.stringify(wrong)).toBeLessThanOrEqual(0.02)
    },
  )
})

const word = fc.oneof(
  fc.constantFrom('anna', 'ana', 'hanna', 'peter', 'petr', 'lin', 'li', 'a', 'schmidt', 'schmitt', 'محمد'),
  fc.stringMatching(/^[abk1]{1,5}$/),
)
const name = fc.array(word, { minLength: 1, maxLength: 3 }).map(words => words.join(' '))

it('a matcher finds what comparing each name finds, once for each entry', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ max: 4, min: 0 }), name), { maxLength: 12 }),
      name.filter(asked => !/\d/.test(asked)),
      async (all, asked) => {
        const listed = all.map(([entry, each]) => ({
          ...{ source: 'UN', list: '1', entryId: String(entry), name: each, ...nothing },
        }))
        const found = (await createMatcher(listed, async () => undefined)).find(asked, 0.85)
        for (const { entryId, name: each } of listed)
          if (score(asked, each) >= 0.85) expect(found.map(match => match.entryId)).toContain(entryId)
        for (const match of found) expect(match.score).toBeGreaterThanOrEqual(0.85)
        expect(new Set(found.map(({ entryId }) => entryId)).size).toBe(found.length)
      },
    ),
  )
})

it('a name of hundreds of words and letters is compared', async () => {
  const { find } = await matcherOf(['Qadir Testov'])
  expect(find(`Qadir Testov ${'x'.repeat(400)}`, 0.7)).toHaveLength(1)
  expect(find('a b '.repeat(120), 0.85)).toEqual([])
})

it('nothing that is put before a name hides it', async () => {
  const { find } = await matcherOf(['Qadir Testov'])
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 250 }), fc.integer({ min: 0, max: 40 }), (before, after) => {
      const filler = (words: number) => 'qqq '.repeat(words)
      expect(find(`${filler(before)}Qadir Testov ${filler(after)}`, 0.85)).toHaveLength(1)
    }),
  )
})
