import Type, { type Static } from 'typebox'
import { Amount, Count, Id, Nullable, OneLine, Page, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { signed } from '../relayed.ts'

/* What a regulator asks for: complaints of customers, and incidents (DORA). Entries are never changed: steps are added. */

export const registerCategories = {
  complaints: ['delay', 'fee', 'amount', 'identity', 'service', 'other'],
  incidents: ['outage', 'security', 'data', 'third-party', 'process', 'other'],
} as const
const registerNames = ['complaints', 'incidents'] as const
export type RegisterName = (typeof registerNames)[number]
const categories = [...new Set(Object.values(registerCategories).flat())]
export type RegisterCategory = (typeof categories)[number]

/** How far it reached, as far as it is known. */
const reach = {
  /** How many customers it touched. */
  customers: Nullable(Count),
  /** How much money it touched. */
  amount: Nullable(Amount),
  currency: Nullable(Type.String({ pattern: '^[A-Z]{3}$' })),
  /** Why it happened. */
  cause: Nullable(Text(2000)),
}

const RegisterStep = Type.Object({
  /** What was done or found. */
  text: Type.String(),
  ...reach,
  /** Whether it ended with this step. */
  closes: Type.Boolean(),
  by: Type.String(),
  at: Time,
})

export const RegisterEntry = Type.Object({
  id: Type.String(),
  /** Numbered from 1 in its register. */
  number: Count,
  register: Type.Enum([...registerNames]),
  category: Type.Enum(categories),
  title: Type.String(),
  /** When the complaint came, or the incident began. */
  happenedAt: Time,
  /** The customer or transaction it is about; null: nobody in particular. */
  subject: Nullable(Type.Object({ kind: Type.Enum(['customer', 'transaction']), id: Type.String() })),
  status: Type.Enum(['open', 'closed']),
  closedAt: Nullable(Time),
  /** As the newest step that says it. */
  ...reach,
  /** Oldest first; the first one is what was entered. */
  steps: Type.Array(RegisterStep, { maxItems: 200 }),
  createdAt: Time,
  /** When retention removed what was written; null: it did not. */
  removedAt: Type.Optional(Nullable(Time)),
})
export type RegisterEntry = Static<typeof RegisterEntry>

const Params = Type.Object({ register: Type.Enum([...registerNames]) })
const EntryParams = Type.Object({ register: Type.Enum([...registerNames]), id: Id })
export const NewRegisterEntry = {
  category: Type.Enum(categories),
  title: OneLine(200),
  text: Text(4000),
  happenedAt: Time,
  subject: Type.Optional(Type.Object({ kind: Type.Enum(['customer', 'transaction']), id: Text(200) })),
  ...reach,
}
export const NewRegisterStep = { text: Text(4000), ...reach, closes: Type.Boolean() }

export const listRegister = endpoint('GET /api/v1/registers/:register', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'Complaints of customers, or incidents, newest first',
  params: Params,
  query: Type.Object({ status: Type.Optional(Type.Enum(['open', 'closed'])), ...Page }),
  response: { 200: Type.Array(RegisterEntry) },
})

/* For the platform, which knows the operator and their role. */

export const addToRegisterAs = endpoint('POST /admin/registers/:register', {
  realm: 'anchor-admin',
  summary: 'Enters a complaint or an incident',
  params: Params,
  body: signed(Type.Object(NewRegisterEntry)),
  response: { 201: RegisterEntry },
  idempotent: 'secret',
})

export const addRegisterStepAs = endpoint('POST /admin/registers/:register/:id/steps', {
  realm: 'anchor-admin',
  summary: 'Adds what was done about a complaint or an incident, or that it ended',
  params: EntryParams,
  body: signed(Type.Object(NewRegisterStep)),
  response: { 200: RegisterEntry },
  problems: ['register-entry-not-found', 'register-entry-closed'],
  idempotent: 'secret',
})
