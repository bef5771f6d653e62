import { countries as byThreeLetters } from '@windlass/contracts/countries.ts'

/** What tells people of one name apart. An empty list: not known. */
export interface Facts {
  /** Years of birth that may be. */
  born: readonly number[]
  /** ISO 3166-1, two letters. */
  countries: readonly string[]
}

/** Years of birth are often told wrong by a year or two. */
const YEARS_APART = 2
/** By how much OpenSanctions' logic-v2 lowers a score. */
const OTHER_YEAR = 0.15
const OTHER_COUNTRY = 0.2

/** From here on names are the same, perhaps in another spelling. */
const SAME = 0.95

/**
 * A score of names, lowered where both sides know years of birth or countries and none fits. What people tell of themselves is
 * not proven: who has the name of a listed person, in whatever spelling, is looked at by a person.
 */
export function scoreWithFacts(score: number, one: Facts | null, other: Facts): number {
  if (one === null || score >= SAME) return score
  const years = one.born.length > 0 && other.born.length > 0
  const otherYear =
    years && !one.born.some(year => other.born.some(each => Math.abs(each - year) <= YEARS_APART))
  const places = one.countries.length > 0 && other.countries.length > 0
  const otherCountry = places && !one.countries.some(country => other.countries.includes(country))
  const lowered = score - (otherYear ? OTHER_YEAR : 0) - (otherCountry ? OTHER_COUNTRY : 0)
  return Math.max(0, Math.round(lowered * 1000) / 1000)
}

const MOST_YEARS = 30

/** The years in dates as lists write them: `10 Mar 1957`, `circa 1957`, `1957-03-10`, `1955 to 1957`. */
export function yearsIn(dates: readonly string[]): number[] {
  const years = dates.flatMap(date => {
    const found = [...date.matchAll(/(?<!\d)(1[89]|20)\d\d(?!\d)/g)].map(([year]) => Number(year))
    const [first, last] = [Math.min(...found), Math.max(...found)]
    if (found.length < 2 || last - first > MOST_YEARS) return found
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })
  return [...new Set(years)].toSorted()
}

/** Names of countries as lists write them, where they are not those of Unicode. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ burma: 'MM', myanmar: 'MM', 'korea north': 'KP', 'democratic peoples republic of korea': 'KP' },
  ...{ 'korea south': 'KR', 'republic of korea': 'KR', 'iran islamic republic of': 'IR' },
  ...{ 'islamic republic of iran': 'IR', 'russian federation': 'RU', 'syrian arab republic': 'SY' },
  ...{ 'congo democratic republic of the': 'CD', 'democratic republic of the congo': 'CD' },
  ...{ 'congo republic of the': 'CG', 'united states of america': 'US', 'viet nam': 'VN' },
  ...{ 'bosnia and herzegovina': 'BA', 'cote d ivoire': 'CI', 'ivory coast': 'CI', turkey: 'TR' },
  ...{ 'czech republic': 'CZ', macedonia: 'MK', 'the former yugoslav republic of macedonia': 'MK' },
  ...{ 'republic of moldova': 'MD', 'united republic of tanzania': 'TZ', 'hong kong': 'HK', macau: 'MO' },
  ...{
    'bolivarian republic of venezuela': 'VE',
    'united kingdom of great britain and northern ireland': 'GB',
  },
  ...{ 'state of palestine': 'PS', palestinian: 'PS', 'libyan arab jamahiriya': 'LY', 'the gambia': 'GM' },
}

const plain = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/[\p{M}’']/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, ' ')
    .trim()

let byName: ReadonlyMap<string, string> | undefined

/** Made where a list is read: every server would load its language's names otherwise. */
function getCodesByName(): ReadonlyMap<string, string> {
  if (byName) return byName
  const names = new Intl.DisplayNames(['en'], { type: 'region' })
  byName = new Map([
    ...[...byThreeLetters.values()].map(code => {
      const name = names.of(code) ?? code
      return [plain(name.replaceAll('&', 'and').replace(/ \(.*\)$/, '')), code] as const
    }),
    ...Object.entries(OTHER_NAMES),
  ])
  return byName
}

/** The countries of an entry. None where one of them is not known: what is left out would count against nobody. */
export function countriesIn(names: readonly string[]): string[] {
  const codes = names.map(plain).filter(Boolean).map(codeOf)
  return codes.includes(undefined) ? [] : [...new Set(codes.filter(code => code !== undefined))].toSorted()
}

const codeOf = (name: string): string | undefined =>
  /^[a-z]{2}$/.test(name) ? name.toUpperCase() : getCodesByName().get(name)

/** What a person told of themselves by SEP-9; null: nothing that tells them apart. */
export function factsTold(fields: Readonly<Record<string, string>>): Facts | null {
  const told = [fields.address_country_code, fields.birth_country_code, fields.id_country_code]
  const facts = {
    born: yearsIn([fields.birth_date ?? '']),
    countries: [...new Set(told.flatMap(code => byThreeLetters.get(code ?? '') ?? []))].toSorted(),
  }
  return facts.born.length + facts.countries.length > 0 ? facts : null
}
