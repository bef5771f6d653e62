import Type, { type Static } from 'typebox'
import { Amount, Count, Id, Nullable, Page, Text, Time, OneLine } from '../common.ts'
import { directions } from './anchor-settings.ts'
import { DeveloperTransaction } from './developer-api.ts'
import { endpoint } from '../endpoint.ts'
import { signed } from '../relayed.ts'
import { weakening } from './weakening.ts'

export const listIds = ['ofac-sdn', 'ofac-consolidated', 'un-consolidated', 'eu-consolidated'] as const
export type ListId = (typeof listIds)[number]

/** A version of a list. `current`: names are compared with it. */
export const SanctionsList = Type.Object({
  version: Count,
  source: Type.Enum(['OFAC', 'UN', 'EU']),
  /** Which list of its authority it is. */
  list: Type.Optional(Type.Enum([...listIds])),
  format: Type.Enum(['ofac-xml', 'ofac-csv', 'un-xml', 'eu-xml']),
  fileName: Type.String(),
  /** The SHA-256 of the file's bytes, in hexadecimal. */
  sha256: Type.String(),
  /** `YYYY-MM-DD`, where the file says so. */
  publishedOn: Nullable(Type.String()),
  entries: Count,
  /** With aliases. */
  names: Count,
  current: Type.Boolean(),
  /** `operator:<id>`; `schedule`: it was fetched from its publisher. */
  by: Type.String(),
  at: Time,
  /** When a file of the authority last was this one: loading it again changes nothing else. */
  checkedAt: Type.Optional(Time),
})
export type SanctionsList = Static<typeof SanctionsList>

export const LEAST_THRESHOLD = 0.7
const Score = Type.Number({ minimum: 0, maximum: 1 })
const Threshold = Type.Number({ minimum: LEAST_THRESHOLD, maximum: 1 })

export const Screening = Type.Object({
  /** From which score on two names are alike. */
  threshold: Score,
  /** The newest 50. Without one that is current nothing is compared. */
  lists: Type.Array(SanctionsList),
  /** Hits that wait for a decision, and what they hold. */
  waiting: Count,
  /** Names that wait to be compared with the lists. */
  outdated: Count,
})
export type Screening = Static<typeof Screening>

export const hitStatuses = ['waiting', 'cleared', 'confirmed'] as const

const HOURS_OF_30_DAYS = 720
const HOURS_OF_2_YEARS = 17_520
export const MAX_RULES = 20

/** What a velocity rule looks at, and which of its figures say how much is too much. */
export const velocityKinds = {
  /** More transfers of one customer. */
  'customer-count': ['count'],
  /** A larger sum of one customer's transfers. */
  'customer-sum': ['amount'],
  /** More transfers from or to one bank account. */
  'account-count': ['count'],
  /** A larger sum from or to one bank account. */
  'account-sum': ['amount'],
  /** More customers with one bank account. */
  'account-customers': ['count'],
  /** More transfers of one customer of at least nine tenths of the amount and less than it. */
  'below-limit': ['count', 'amount'],
  /** A larger sum that one customer deposited and withdrew again. */
  'in-and-out': ['amount'],
  /** More bank accounts from or to which one customer pays. */
  'customer-accounts': ['count'],
  /** More wallets of one customer. */
  'customer-wallets': ['count'],
  /** More customers with one wallet. */
  'wallet-customers': ['count'],
  /** A larger sum of all customers who share a bank account, a wallet or an address with one. */
  'linked-sum': ['amount'],
  /** A larger transfer of a customer who moved nothing for so many hours. */
  'after-quiet': ['amount'],
  /** A larger sum that one customer moved here, and the other way at other anchors of the platform. */
  'round-trip': ['amount'],
  /** More transfers of one customer between midnight and five o'clock in the journal's time zone. */
  'night-count': ['count'],
} as const satisfies Record<string, readonly ('count' | 'amount')[]>
export type VelocityKind = keyof typeof velocityKinds
/** What is counted is kept for 30 days; how long a customer was quiet is known of two years. */
export const mostHoursOf = (kind: VelocityKind): number =>
  kind === 'after-quiet' ? HOURS_OF_2_YEARS : HOURS_OF_30_DAYS

/** Holds a transfer that exceeds it, with those before it in the hours up to it. */
export const VelocityRule = Type.Object({
  kind: Type.Enum(Object.keys(velocityKinds) as VelocityKind[]),
  /** At most 720; of `after-quiet` 17,520. */
  hours: Type.Integer({ minimum: 1, maximum: HOURS_OF_2_YEARS }),
  /** Null where the kind has none. */
  count: Nullable(Type.Integer({ minimum: 1, maximum: 10_000 })),
  /** In asset units; null where the kind has none. */
  amount: Nullable(Amount),
})
export type VelocityRule = Static<typeof VelocityRule>

const VelocityRules = Type.Object({
  version: Count,
  rules: Type.Array(VelocityRule, { maxItems: MAX_RULES }),
  /** `operator:<id>` */
  by: Type.String(),
  at: Time,
})

/** The rules that count first, then earlier ones, newest first, at most 20. Empty: none were set. */
export const VelocityHistory = Type.Object({ history: Type.Array(VelocityRules) })
export type VelocityHistory = Static<typeof VelocityHistory>

/** What a rule counted when it held a transfer. */
const VelocityFinding = Type.Object({
  rule: VelocityRule,
  /** How many transfers it counted, or how many customers, bank accounts or wallets by its kind. */
  count: Count,
  /** The sum of those in the asset of the one that is held; of `in-and-out` and `round-trip` what went one way and came back. */
  amount: Amount,
  /** `CODE:ISSUER` of that asset where it is a further one of the anchor. */
  asset: Type.Optional(Type.String()),
  /** The newest 200, with the one that is held. */
  transfers: Type.Array(
    Type.Object({
      id: Type.String(),
      direction: Type.Enum([...directions]),
      amount: Amount,
      asset: Type.Optional(Type.String()),
      at: Time,
    }),
  ),
  /** What the customer moved at other anchors, the newest 200, each with its hour; for `round-trip` alone. */
  elsewhere: Type.Optional(
    Type.Array(
      Type.Object({
        direction: Type.Enum([...directions]),
        amount: Amount,
        currency: Type.String(),
        at: Time,
      }),
    ),
  ),
})
export type VelocityFinding = Static<typeof VelocityFinding>

/** A country of a transaction's customer or bank account that is not served, or that a person looks at. */
export const CountryFinding = Type.Object({
  of: Type.Enum(['residence', 'document', 'payer-account', 'payee-account']),
  /** By ISO 3166-1, two letters. */
  country: Type.String(),
  list: Type.Enum(['prohibited', 'high-risk']),
})
export type CountryFinding = Static<typeof CountryFinding>

/** What a program that the anchor asks found about a customer or a wallet. */
export const OutsideFinding = Type.Object({
  kind: Type.Enum(['person', 'wallet']),
  evidence: Nullable(Type.String()),
  /** The program's number of it. */
  reference: Nullable(Type.String()),
  at: Time,
})
export type OutsideFinding = Static<typeof OutsideFinding>

/**
 * `customer`: as the customer told; `organization`: theirs, where they told a person's name too; `verified`: the person by
 * their document; `wallet`: an address on the ledger; `owner`: who owns or controls an organization.
 */
export const screenedRoles = [
  'customer',
  'organization',
  'verified',
  'payer',
  'beneficiary',
  'wallet',
  'owner',
] as const
export type ScreenedRole = (typeof screenedRoles)[number]

/** A name like one on a list. */
export const NameMatch = Type.Object({
  /** As it was compared; empty where retention removed it. */
  name: Type.String(),
  role: Type.Enum([...screenedRoles]),
  source: Type.String(),
  listVersion: Count,
  entryId: Type.String(),
  /** The entry's name that is most like it. */
  entryName: Type.String(),
  /** What the list says of the entry: program, dates of birth. */
  detail: Type.String(),
  score: Score,
})
export type NameMatch = Static<typeof NameMatch>

/**
 * A name like one on a list, a transfer that exceeds a velocity rule, or a country: one of the three is not null. While it waits, and once
 * it is confirmed, no payment of its subject leaves; a transfer of a rule can be refunded once it is confirmed.
 */
export const ScreeningHit = Type.Object({
  id: Type.String(),
  match: Nullable(NameMatch),
  velocity: Nullable(VelocityFinding),
  /** Absent at anchors of earlier releases. */
  country: Type.Optional(Nullable(CountryFinding)),
  /** Absent at anchors of earlier releases. */
  outside: Type.Optional(Nullable(OutsideFinding)),
  /** A hit about a customer holds all their transactions; about anything else the one transaction. */
  subject: Type.Object({ kind: Type.Enum(['customer', 'transaction', 'payout']), id: Type.String() }),
  /** Their names now, where a hit is about a customer; null where it is about anything else. */
  names: Type.Optional(
    Nullable(
      Type.Object({
        /** As the customer told; null: they did not. */
        told: Nullable(Type.String()),
        /** On their document; null: nobody knows it. */
        verified: Nullable(Type.String()),
      }),
    ),
  ),
  status: Type.Enum([...hitStatuses]),
  /** Transactions whose payments it held. */
  transactions: Type.Array(Type.String()),
  decisions: Type.Array(
    Type.Object({
      decision: Type.Enum(['clear', 'confirm']),
      reason: Type.String(),
      evidence: Nullable(Type.String()),
      /** `operator:<id>` */
      by: Type.String(),
      at: Time,
    }),
  ),
  createdAt: Time,
})
export type ScreeningHit = Static<typeof ScreeningHit>

/** From this score on two people clear a hit: after the first one it still waits. */
export const CLEARED_BY_TWO = 0.95

/** `clear`: it is someone else or harmless, and what was held continues. `confirm`: it stays held. */
export const HitDecision = Type.Object({
  decision: Type.Enum(['clear', 'confirm']),
  reason: Text(500),
  /** What shows it: a document's number, an address, a report. */
  evidence: Type.Optional(Text(2000)),
})
export type HitDecision = Static<typeof HitDecision>

/** A hit with everything that an authority asks for. */
export const ScreeningCase = Type.Object({
  /** Its home domain. */
  anchor: Type.String(),
  hit: ScreeningHit,
  /** In which a name was found. */
  list: Nullable(SanctionsList),
  /** At the time of the export. */
  threshold: Score,
  transactions: Type.Array(DeveloperTransaction),
  exportedAt: Time,
})
export type ScreeningCase = Static<typeof ScreeningCase>

export const MAX_LIST_BYTES = 48_000_000
export const ListQuery = {
  fileName: OneLine(200),
  /** Accepts a list with less than four fifths of the entries of the one that is loaded, once two people have loaded it. */
  smaller: Type.Optional(Type.Boolean()),
}
/** The file itself, as the authority publishes it. */
export const listFile = {
  raw: true,
  accepts: ['application/octet-stream'],
  body: Type.Object({}, { additionalProperties: true }),
  bodyLimit: MAX_LIST_BYTES,
} as const
export const HitsQuery = Type.Object({ status: Type.Optional(Type.Enum([...hitStatuses])), ...Page })
export const ThresholdBody = { threshold: Threshold, ...weakening }
export const RulesChange = {
  rules: Type.Array(VelocityRule, { maxItems: MAX_RULES }),
  /** The version that the change starts from, 0 if none was set: rules that changed since are not overwritten. */
  version: Count,
  ...weakening,
}
const listProblems = [
  'sanctions-list-refused',
  'sanctions-list-already-loaded',
  'second-person-needed',
] as const
export const decisionProblems = [
  'screening-hit-not-found',
  'screening-hit-decided',
  'second-person-needed',
] as const

export const getScreening = endpoint('GET /api/v1/screening', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'Sanctions lists that are loaded, and how names are compared with them',
  response: { 200: Screening },
})

export const listSanctionsLists = endpoint('GET /api/v1/sanctions-lists', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'Every version of the lists that was loaded or fetched, newest first',
  query: Type.Object(Page),
  response: { 200: Type.Array(SanctionsList) },
})

export const listScreeningHits = endpoint('GET /api/v1/screening-hits', {
  realm: 'developer',
  scopes: ['compliance'],
  summary:
    'Names like those on sanctions lists and transfers beyond velocity rules, newest first. People decide in the console',
  query: HitsQuery,
  response: { 200: Type.Array(ScreeningHit) },
})

export const getScreeningCase = endpoint('GET /api/v1/screening-hits/:id/case', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'A hit with its list, decisions and transactions',
  params: Type.Object({ id: Id }),
  response: { 200: ScreeningCase },
  problems: ['screening-hit-not-found'],
})

export const getVelocityRules = endpoint('GET /api/v1/velocity-rules', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'Velocity rules, and who changed them',
  response: { 200: VelocityHistory },
})

/*
 * For the platform, which knows the operator and their role, and proves itself in `x-windlass-platform`.
 */

export const loadSanctionsListAs = endpoint('POST /admin/sanctions-lists', {
  realm: 'anchor-admin',
  summary: "Loads a sanctions list: OFAC's SDN list, the UN's or the EU's consolidated list",
  query: signed(Type.Object(ListQuery)),
  ...listFile,
  response: { 201: SanctionsList },
  problems: listProblems,
  idempotent: 'replay',
})

export const setScreeningThresholdAs = endpoint('PUT /admin/screening', {
  realm: 'anchor-admin',
  summary: 'Sets from which score on names are alike',
  body: signed(Type.Object(ThresholdBody)),
  response: { 200: Screening },
  idempotent: 'replay',
})

export const setVelocityRulesAs = endpoint('PUT /admin/velocity-rules', {
  realm: 'anchor-admin',
  summary: 'Sets the velocity rules for transfers that are paid from now on',
  body: signed(Type.Object(RulesChange)),
  response: { 200: VelocityHistory },
  problems: ['settings-changed'],
  idempotent: 'replay',
})

export const decideScreeningHitAs = endpoint('POST /admin/screening-hits/:id/decision', {
  realm: 'anchor-admin',
  summary: "Records an operator's decision about a hit",
  params: Type.Object({ id: Id }),
  body: signed(HitDecision),
  response: { 200: ScreeningHit },
  problems: decisionProblems,
  idempotent: 'secret',
})
