import Type, { type Static } from 'typebox'
import { Count, Nullable, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { signed } from '../relayed.ts'
import { weakening } from './weakening.ts'

/** By ISO 3166-1, two letters. */
const Country = Type.String({ pattern: '^[A-Z]{2}$' })
const Countries = Type.Array(Country, { maxItems: 250, uniqueItems: true })

export const CountryRules = Type.Object({
  /** Anyone who lives there, has a document of theirs or a bank account there is not served. */
  prohibited: Countries,
  /** A person looks at each customer and account of these before money moves. */
  highRisk: Countries,
  /** Whether customers say where they live before they can pay. */
  asksResidence: Type.Boolean(),
})
export type CountryRules = Static<typeof CountryRules>

/** The rules that count first, then earlier ones, at most 20, and last those that count until someone sets some. */
export const CountryRulesHistory = Type.Object({
  history: Type.Array(
    Type.Object({
      version: Count,
      rules: CountryRules,
      /** `operator:<id>`; null: nobody. */
      by: Nullable(Type.String()),
      at: Nullable(Time),
    }),
    { maxItems: 21 },
  ),
})
export type CountryRulesHistory = Static<typeof CountryRulesHistory>

export const CountryRulesChange = { rules: CountryRules, version: Count, ...weakening }

export const getCountryRules = endpoint('GET /api/v1/country-rules', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Countries that the anchor does not serve, and countries whose customers it always looks at',
  response: { 200: CountryRulesHistory },
})

/** For the platform, which knows the operator and their role. */
export const setCountryRulesAs = endpoint('PUT /admin/country-rules', {
  realm: 'anchor-admin',
  summary: 'Sets which countries are not served, and which are looked at',
  body: signed(Type.Object(CountryRulesChange)),
  response: { 200: CountryRulesHistory },
  problems: ['settings-changed'],
  idempotent: 'replay',
})
