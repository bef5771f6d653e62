import Type, { type Static } from 'typebox'
import { Day, Id, Nullable, OneLine, Page, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { signed } from '../relayed.ts'

/* Who owns or controls customers that are organizations. Entries are never changed: one ends, and another is entered. */

/** `managing`: nobody owns or controls enough, so a person of the management stands for it. */
export const ownerControls = ['shares', 'votes', 'other', 'managing'] as const

export const NewBeneficialOwner = {
  name: OneLine(200),
  birthDate: Nullable(Day),
  /** Where they live: ISO 3166-1, two letters. */
  country: Nullable(Type.String({ pattern: '^[A-Z]{2}$' })),
  control: Type.Enum([...ownerControls]),
  /** In percent, such as `25.5`; null: not known, or control without a share. */
  share: Nullable(Type.String({ pattern: '^(100(\\.0{1,2})?|\\d{1,2}(\\.\\d{1,2})?)$' })),
  /** Where it is known from, such as a register of companies. */
  source: OneLine(200),
  /** The day of which the source says it. */
  asOf: Day,
  /** What proves it and where it is kept. */
  evidence: Text(2000),
}

export const BeneficialOwner = Type.Object({
  id: Type.String(),
  customer: Type.String(),
  /** The customer's name; null: not known. */
  organization: Nullable(Type.String()),
  ...NewBeneficialOwner,
  /** `operator:<id>` */
  by: Type.String(),
  createdAt: Time,
  /** Null: they own or control it. */
  ended: Nullable(Type.Object({ reason: Type.String(), by: Type.String(), at: Time })),
})
export type BeneficialOwner = Static<typeof BeneficialOwner>

export const OwnersQuery = Type.Object({
  /** Their id. */
  customer: Type.Optional(Id),
  status: Type.Optional(Type.Enum(['current', 'ended'])),
  ...Page,
})
export const OwnerEnd = { reason: Text(2000) }

export const listBeneficialOwners = endpoint('GET /api/v1/beneficial-owners', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'Who owns or controls customers that are organizations, newest first',
  query: OwnersQuery,
  response: { 200: Type.Array(BeneficialOwner) },
})

/* For the platform, which knows the operator and their role. */

export const addBeneficialOwnerAs = endpoint('POST /admin/customers/:id/beneficial-owners', {
  realm: 'anchor-admin',
  summary: 'Enters who owns or controls a customer that is an organization',
  params: Type.Object({ id: Id }),
  body: signed(Type.Object(NewBeneficialOwner)),
  response: { 201: BeneficialOwner },
  problems: ['customer-not-found'],
  idempotent: 'secret',
})

export const endBeneficialOwnerAs = endpoint('POST /admin/beneficial-owners/:id/end', {
  realm: 'anchor-admin',
  summary: 'Says that someone no longer owns or controls a customer; hits about them stay',
  params: Type.Object({ id: Id }),
  body: signed(Type.Object(OwnerEnd)),
  response: { 200: BeneficialOwner },
  problems: ['not-found'],
  idempotent: 'secret',
})
