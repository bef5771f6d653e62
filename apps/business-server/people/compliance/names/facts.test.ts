import { expect, it, test } from 'vitest'
import fc from 'fast-check'
import { countriesIn, factsTold, scoreWithFacts, yearsIn } from './facts.ts'

const year = fc.integer({ min: 1920, max: 2010 })
const country = fc.constantFrom('DE', 'SY', 'RU', 'IN')
const facts = fc.record({
  born: fc.array(year, { maxLength: 3 }),
  countries: fc.array(country, { maxLength: 3 }),
})
const score = fc.integer({ min: 0, max: 1000 }).map(each => each / 1000)

it('facts lower a score, never raise it, and leave the same name alone; unknown facts and those that fit change nothing', () => {
  fc.assert(
    fc.property(score, facts, facts, (alone, one, other) => {
      const found = scoreWithFacts(alone, one, other)
      expect(found).toBeLessThanOrEqual(alone)
      expect(found).toBe(scoreWithFacts(alone, other, one))
      expect(scoreWithFacts(1, one, other)).toBe(1)
      expect(scoreWithFacts(alone, null, other)).toBe(alone)
      const fits = {
        born: [...one.born, ...other.born.slice(0, 1).map(each => each + 2)],
        countries: [...one.countries, ...other.countries.slice(0, 1)],
      }
      expect(scoreWithFacts(alone, fits, other)).toBe(alone)
    }),
  )
})

test.each([
  [['10 Mar 1957'], [1957]],
  [
    ['circa 1957', '1959-03-10'],
    [1957, 1959],
  ],
  [['1955 to 1957'], [1955, 1956, 1957]],
  [['01 Jan 1955 to 31 Dec 1956'], [1955, 1956]],
  [['', 'unknown', '12345678'], []],
])('the years of %j are %j', (dates, years) => {
  expect(yearsIn(dates)).toEqual(years)
})

test.each([
  [
    ['Korea, North', 'Iran'],
    ['IR', 'KP'],
  ],
  [
    ['Russian Federation', 'Syrian Arab Republic', 'Türkiye', 'Turkey'],
    ['RU', 'SY', 'TR'],
  ],
  [['DE', ''], ['DE']],
  [
    ['United States', 'Bosnia and Herzegovina', "Côte d'Ivoire", 'Viet Nam'],
    ['BA', 'CI', 'US', 'VN'],
  ],
])('the countries of %j are %j', (names, codes) => {
  expect(countriesIn(names)).toEqual(codes)
})

it('an entry with a country that is not known has none: the one that is left would count against people of the other', () => {
  expect(countriesIn(['Germany', 'Region: Northern Mali'])).toEqual([])
})

it('what a customer told is read by SEP-9', () => {
  expect(
    factsTold({ birth_date: '1976-07-04', address_country_code: 'IND', id_country_code: 'DEU' }),
  ).toEqual({
    ...{ born: [1976], countries: ['DE', 'IN'] },
  })
  expect(factsTold({ first_name: 'Asha' })).toBeNull()
})
