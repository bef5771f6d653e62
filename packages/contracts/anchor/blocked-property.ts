import Type, { type Static } from 'typebox'
import { Amount, Nullable, Page, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { directions } from './anchor-settings.ts'
import { NameMatch, screenedRoles } from './compliance.ts'

/** Money that does not leave because a person confirmed that someone of its transaction is on a list. */
export const BlockedMoney = Type.Object({
  id: Type.String(),
  transactionId: Type.String(),
  hitId: Type.String(),
  /** The name on the list; null: the hit is about something else. */
  match: Nullable(NameMatch),
  /** `asset`, `CODE:ISSUER` of a further asset, or a currency. */
  unit: Type.String(),
  amount: Amount,
  direction: Nullable(Type.Enum([...directions])),
  rail: Nullable(Type.String()),
  /** The customer's account on the ledger. */
  wallet: Nullable(Type.String()),
  /** The bank account that a withdrawal pays. */
  payee: Type.Object({ account: Nullable(Type.String()), bank: Nullable(Type.String()) }),
  names: Type.Array(Type.Object({ role: Type.Enum([...screenedRoles]), name: Type.String() })),
  blockedAt: Time,
  /** `YYYY-MM-DD`: ten business days later, when 31 CFR 501.603 wants the report. */
  reportBy: Type.String(),
  /** Null: it is blocked. */
  releasedAt: Nullable(Time),
})
export type BlockedMoney = Static<typeof BlockedMoney>

/** A draft of the report on blocked property (31 CFR 501.603): what the anchor knows of it. */
export const BlockedProperty = Type.Object({
  holder: Type.Object({
    name: Type.String(),
    homeDomain: Type.String(),
    website: Nullable(Type.String()),
    email: Type.String(),
  }),
  /** What is blocked now. */
  totals: Type.Array(Type.Object({ unit: Type.String(), amount: Amount })),
  /** All that is blocked, and the newest 200 of what was released: {@link listReleasedProperty} has the others. */
  property: Type.Array(BlockedMoney),
  at: Time,
})
export type BlockedProperty = Static<typeof BlockedProperty>

export const getBlockedProperty = endpoint('GET /api/v1/blocked-property', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'Money that confirmed hits of lists block, as a draft of the report that the law asks for',
  response: { 200: BlockedProperty },
})

export const listReleasedProperty = endpoint('GET /api/v1/blocked-property/released', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'Money that was blocked by confirmed hits of lists and is no more, newest first',
  query: Type.Object(Page),
  response: { 200: Type.Array(BlockedMoney) },
})
