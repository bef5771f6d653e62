import Type, { type Static } from 'typebox'
import { Count, Nullable, OneLine, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { signed } from '../relayed.ts'
import { weakening } from './weakening.ts'

/*
 * What cannot be embedded: whether a person is politically exposed or in adverse media, and what is known of a wallet. A program
 * of the founder answers by HTTP; docs/guides/outside-checks.md has its side.
 */

/** `person`: a customer whose money leaves. `wallet`: the account on the ledger that gets or gave it. */
export const outsideCheckKinds = ['person', 'wallet'] as const
export type OutsideCheckKind = (typeof outsideCheckKinds)[number]
const Kind = Type.Enum([...outsideCheckKinds])

/** What is asked, as the body of a POST signed by Standard Webhooks. */
export const OutsideQuestion = Type.Object({
  /** The same where it is asked again. */
  id: Type.String(),
  kind: Kind,
  /** The person's. */
  name: Type.Optional(Type.String()),
  /** `YYYY-MM-DD` */
  birthDate: Type.Optional(Type.String()),
  /** Where they live, by ISO 3166-1, two letters. */
  country: Type.Optional(Type.String()),
  /** The wallet's. */
  account: Type.Optional(Type.String()),
  network: Type.String(),
})
export type OutsideQuestion = Static<typeof OutsideQuestion>

/** What is answered with status 200. Anything else is a lost answer, and what was asked about waits. */
export const OutsideAnswer = Type.Object({
  answer: Type.Enum(['clear', 'found']),
  /** What was found, for the person who decides. */
  evidence: Type.Optional(Type.String({ maxLength: 4_000 })),
  /** The provider's number of it. */
  reference: Type.Optional(Type.String({ maxLength: 200 })),
})
export type OutsideAnswer = Static<typeof OutsideAnswer>

export const OutsideCheck = Type.Object({
  kind: Kind,
  /** Null: nothing is asked. */
  url: Nullable(Type.String()),
  version: Count,
  by: Nullable(Type.String()),
  at: Nullable(Time),
  /** How many answers are kept (`clear` for 30 days), and when the last one came. */
  answers: Count,
  lastAnswerAt: Nullable(Time),
})
export const OutsideChecks = Type.Object({ checks: Type.Array(OutsideCheck) })
export type OutsideChecks = Static<typeof OutsideChecks>

export const OutsideCheckChange = { url: Nullable(OneLine(500)), version: Count, ...weakening }
const Params = Type.Object({ kind: Kind })

export const getOutsideChecks = endpoint('GET /api/v1/outside-checks', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'Programs that are asked about customers and wallets before money leaves',
  response: { 200: OutsideChecks },
})

/** For the platform, which knows the operator and their role. */
export const setOutsideCheckAs = endpoint('PUT /admin/outside-checks/:kind', {
  realm: 'anchor-admin',
  summary: 'Sets which program is asked about customers or wallets before money leaves',
  params: Params,
  body: signed(Type.Object(OutsideCheckChange)),
  response: {
    200: Type.Object({
      ...OutsideChecks.properties,
      /** Signs the questions, `whsec_…`; only where there was no program before. */
      secret: Nullable(Text(200)),
    }),
  },
  problems: ['settings-changed'],
  idempotent: 'secret',
})
