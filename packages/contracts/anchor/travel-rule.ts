import Type, { type Static } from 'typebox'
import { Amount, Count, Id, Nullable, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { Ivms101 } from './ivms101.ts'
import { signed } from '../relayed.ts'
import { weakening } from './weakening.ts'

const Country = Type.String({ pattern: '^[A-Z]{2}$' })

/** Towards providers of a country another amount counts than the laws of both sides ask for. */
export const Corridor = Type.Object({
  /** ISO 3166-1, two letters. */
  country: Country,
  /** Units of the first asset; `0`: every transfer; null: of none. */
  threshold: Nullable(Amount),
})
export type Corridor = Static<typeof Corridor>

const thresholds = {
  /** Units of the first asset: who sends and who receives a transfer of so much or more is kept with it; null: of none. */
  threshold: Nullable(Amount),
  /** The anchor's legal entity identifier (ISO 17442), which names it to other anchors and authorities. */
  lei: Nullable(Type.String({ pattern: '^[A-Z0-9]{18}[0-9]{2}$' })),
}
const further = {
  /** Where the anchor is, by ISO 3166-1, two letters; null: nobody said. */
  country: Nullable(Country),
  corridors: Type.Array(Corridor, { maxItems: 250 }),
  /** Units of the first asset: from it on a wallet that no provider holds is proven to be its person's; null: never. */
  ownershipAbove: Nullable(Amount),
  /** Whether money waits for the answer of a provider that is known. */
  waitsForAnswer: Type.Boolean(),
}
export const TravelRuleSettings = Type.Object({ ...thresholds, ...further })
export type TravelRuleSettings = Static<typeof TravelRuleSettings>

/** What is left out stays as it is. */
export const TravelRuleWanted = Type.Object({
  ...thresholds,
  ...Type.Partial(Type.Object(further)).properties,
})
export type TravelRuleWanted = Static<typeof TravelRuleWanted>

/** The settings that count first, then earlier ones, newest first, at most 20 and version 0, which nobody set. */
export const TravelRuleHistory = Type.Object({
  history: Type.Array(
    Type.Object({
      version: Count,
      settings: TravelRuleSettings,
      /** `operator:<id>` */
      by: Nullable(Type.String()),
      at: Nullable(Time),
    }),
    { minItems: 1 },
  ),
})
export type TravelRuleHistory = Static<typeof TravelRuleHistory>

export const TravelRuleChange = { settings: TravelRuleWanted, version: Count, ...weakening }

/** Names and accounts of both sides, each by itself. */
const facts = ['originator-name', 'originator-account', 'beneficiary-name', 'beneficiary-account'] as const
/** Who or what says it. */
const sources = [
  ...([
    'customer',
    'sending-anchor',
    'provider',
    'identity-check',
    'wallet-login',
    'wallet-proof',
    'bank',
  ] as const),
]

/** How something in a record is known: by someone's word, by a proof, or not at all. */
export const TravelRuleFact = Type.Object({
  fact: Type.Enum([...facts]),
  known: Type.Enum(['asked', 'proven', 'unknown']),
  /** Null: nobody says it. */
  by: Nullable(Type.Enum([...sources])),
})
export type TravelRuleFact = Static<typeof TravelRuleFact>

/** The sides of a transfer, as they were before its money moved. */
export const TravelRuleRecord = Type.Object({
  transactionId: Type.String(),
  recordedAt: Time,
  /** IVMS101.2023 */
  document: Ivms101,
  /** How what it says is known; null: an earlier release kept it. */
  facts: Nullable(Type.Array(TravelRuleFact)),
})
export type TravelRuleRecord = Static<typeof TravelRuleRecord>

export const recordProblems = ['travel-rule-record-not-found'] as const

export const getTravelRule = endpoint('GET /api/v1/travel-rule', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'From which amount the sides of a transfer are kept with it',
  response: { 200: TravelRuleHistory },
})

export const getTravelRuleRecord = endpoint('GET /api/v1/transactions/:id/travel-rule', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'Who sends and who receives a transfer, in the data model IVMS101.2023',
  params: Type.Object({ id: Id }),
  response: { 200: TravelRuleRecord },
  problems: [...recordProblems],
})

/** For the platform, which knows the operator and their role. */
export const setTravelRuleAs = endpoint('PUT /admin/travel-rule', {
  realm: 'anchor-admin',
  summary: 'Sets from which amount the sides of a transfer are kept with it',
  body: signed(Type.Object(TravelRuleChange)),
  response: { 200: TravelRuleHistory },
  problems: ['settings-changed'],
  idempotent: 'replay',
})
