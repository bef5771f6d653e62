import Type, { type Static } from 'typebox'
import { Count, Day, Id, Nullable, Page, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { signed } from '../relayed.ts'
import { BeneficialOwner } from './beneficial-owners.ts'
import { DeveloperTransaction } from './developer-api.ts'
import { Ivms101 } from './ivms101.ts'
import { weakening } from './weakening.ts'

export const MAX_YEARS = 10
const Years = Type.Integer({ minimum: 1, maximum: MAX_YEARS })

/** For how many years personal data is kept. Anchors of earlier releases say the first two alone; what is not given stays as it is. */
export const RetentionRules = Type.Object({
  /** Years for a customer who had transactions, after they are deleted. */
  customerYears: Years,
  /** Years for who sent and who received, after the transaction. */
  travelRecordYears: Years,
  /** Years for what statements, payout files and transactions say of people and their accounts, after the payment. */
  paymentRecordYears: Type.Optional(Years),
  /** Years for what was written in cases and registers, and for names with hits, after their end. */
  caseRecordYears: Type.Optional(Years),
})
export type RetentionRules = Static<typeof RetentionRules>

/**
 * What is removed. Of a line of a statement, a payout file, an account, a case and an entry of a register, it is what they
 * say of people: their amounts, days and hashes stay.
 */
export const removedKinds = [
  ...(['customer', 'travel-record', 'snapshot', 'bank-line', 'bank-file', 'payout-file', 'account'] as const),
  ...(['transaction-note', 'case', 'register-entry', 'outside-answer', 'screened-name'] as const),
] as const
export type RemovedKind = (typeof removedKinds)[number]

const Removal = Type.Object({
  kind: Type.Enum([...removedKinds]),
  count: Count,
  /** Everything that ended before it. */
  before: Time,
  at: Time,
})

/** The rules that count first, at most 20 versions, and last those that count until someone sets some. */
export const Retention = Type.Object({
  history: Type.Array(
    Type.Object({ version: Count, rules: RetentionRules, by: Nullable(Type.String()), at: Nullable(Time) }),
    { maxItems: 21 },
  ),
  /** How many customers are kept who asked to be deleted. */
  kept: Count,
  /** The newest 50. */
  removals: Type.Array(Removal, { maxItems: 50 }),
})
export type Retention = Static<typeof Retention>

/** The answer to who asked to be deleted. */
export const ErasureAnswer = Type.Object({
  id: Type.String(),
  /** What the law asks to keep; empty: everything is gone. */
  kept: Type.Array(Type.Enum(['identity', 'transactions', 'payment-records'])),
  /** `YYYY-MM-DD`, the first day on which it may be gone; null: nothing is kept. */
  until: Nullable(Type.String()),
})
export type ErasureAnswer = Static<typeof ErasureAnswer>

/** How the person who asked was identified: by the letter alone nobody is. */
export const erasureChecks = [
  'document',
  'known-wallet',
  'account-details',
  'in-person',
  'certified-letter',
] as const

/** A request by letter to be deleted. */
export const ErasureRequest = {
  /** The day on which it came. */
  receivedOn: Day,
  identity: Type.Enum([...erasureChecks]),
  /** Where the letter is, and what shows that it is theirs. */
  note: Text(1000),
}

/** What would be answered now. */
export const ErasurePreview = Type.Object({
  ...ErasureAnswer.properties,
  /** Whether one person may do it: no case, complaint, dispute or debt is open. The answer to the customer does not say so. */
  alone: Type.Boolean(),
})
export type ErasurePreview = Static<typeof ErasurePreview>

/** Everything that the anchor has of a customer, for a request of access, an auditor or an authority: the JSON of {@link getCustomerCopy}. */
export const CustomerCopy = Type.Object({
  id: Type.String(),
  account: Type.String(),
  memo: Nullable(Type.String()),
  /** Null: they were not deleted. */
  deletedAt: Nullable(Time),
  keptUntil: Nullable(Type.String()),
  /** SEP-9's names to values. */
  fields: Type.Record(Type.String(), Type.String()),
  verifiedName: Nullable(Type.String()),
  files: Type.Array(Type.Object({ name: Type.String(), mediaType: Type.String(), base64: Type.String() }), {
    maxItems: 50,
  }),
  /** Who owns or controls an organization, also those who ended. */
  beneficialOwners: Type.Optional(Type.Array(Type.Omit(BeneficialOwner, ['organization']))),
  transactions: Type.Array(
    Type.Object({
      transaction: DeveloperTransaction,
      /** The bank account that a withdrawal pays, by SEP-6's names. */
      destination: Type.Record(Type.String(), Type.String()),
      /** Who sent and who received; null: nothing is kept. */
      travelRule: Nullable(Ivms101),
    }),
  ),
})
export type CustomerCopy = Static<typeof CustomerCopy>

export const RetentionChange = { rules: RetentionRules, version: Count, ...weakening }

export const listRemovals = endpoint('GET /api/v1/removals', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'What was removed when its time was over, newest first',
  query: Type.Object(Page),
  response: { 200: Type.Array(Removal) },
})

export const getRetention = endpoint('GET /api/v1/retention', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'For how long personal data is kept, and what was removed when its time was over',
  response: { 200: Retention },
})

/** Also of a customer who was deleted and is kept. */
export const getCustomerCopy = endpoint('GET /api/v1/customers/:id/copy', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'Everything that the anchor has of a customer',
  params: Type.Object({ id: Id }),
  response: { 200: Type.Unknown() },
  problems: ['customer-not-found'],
  file: 'application/json',
})

export const previewErasure = endpoint('GET /api/v1/customers/:id/erasure', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'What would be kept of a customer who asks to be deleted, and until when',
  params: Type.Object({ id: Id }),
  response: { 200: ErasurePreview },
  problems: ['customer-not-found'],
})

/** As the customer's own request (SEP-12), with the same answer. For the platform, which knows the operator and their role. */
export const eraseCustomerAs = endpoint('POST /admin/customers/:id/erase', {
  realm: 'anchor-admin',
  summary: 'Deletes a customer who asked by letter',
  params: Type.Object({ id: Id }),
  body: signed(Type.Object(ErasureRequest)),
  response: { 200: ErasureAnswer },
  problems: ['customer-not-found'],
  idempotent: 'replay',
})

/** For the platform, which knows the operator and their role. */
export const setRetentionAs = endpoint('PUT /admin/retention', {
  realm: 'anchor-admin',
  summary: 'Sets for how long personal data is kept',
  body: signed(Type.Object(RetentionChange)),
  response: { 200: Retention },
  problems: ['settings-changed'],
  idempotent: 'replay',
})
