import Type, { type Static } from 'typebox'
import { Amount, Count, Id, Nullable, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { Ivms101 } from './ivms101.ts'
import { signed } from '../relayed.ts'
import { weakening } from './weakening.ts'

export const TravelRuleSettings = Type.Object({
  /** Asset units: who sends and who receives a transfer of so much or more is kept with it; null: of none. */
  threshold: Nullable(Amount),
  /** The anchor's legal entity identifier (ISO 17442), which names it to other anchors and authorities. */
  lei: Nullable(Type.String({ pattern: '^[A-Z0-9]{18}[0-9]{2}$' })),
})
export type TravelRuleSettings = Static<typeof TravelRuleSettings>

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

export const TravelRuleChange = { settings: TravelRuleSettings, version: Count, ...weakening }

/** The sides of a transfer, as they were before its money moved. */
export const TravelRuleRecord = Type.Object({
  transactionId: Type.String(),
  recordedAt: Time,
  /** IVMS101.2023 */
  document: Ivms101,
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
