import Type, { type Static } from 'typebox'
import { Amount, AmountInput, Id, Page, Time } from './common.ts'
import { endpoint } from './endpoint.ts'

/** The aggregator's knowledge of one anchor, without what is private. */
export const RegistryEntry = Type.Object({
  id: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  domain: Type.String(),
  status: Type.String(),
  regions: Type.Array(Type.String()),
  assets: Type.Array(Type.Object({ code: Type.String(), issuer: Type.String(), anchoredTo: Type.String() })),
  rails: Type.Array(Type.String()),
  limits: Type.Object({ min: Amount, max: Amount }),
  fees: Type.Object({ fixed: Amount, percentage: Type.String() }),
  settlement: Type.String(),
  treasury_capacity: Amount,
  current_availability: Type.Boolean(),
  domainVerified: Type.Boolean(),
  lastCheckedAt: Type.Union([Time, Type.Null()]),
  createdAt: Time,
  updatedAt: Time,
})
export type RegistryEntry = Static<typeof RegistryEntry>

const Code = Type.String({ pattern: '^[A-Za-z0-9_-]{1,32}$' })

/** What the platform API says of an anchor once it stands. */
export const Registration = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
  slug: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$' }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  /** Host, with the port where it is not 80 or 443. */
  domain: Type.String({ pattern: '^[a-z0-9.-]{1,253}(:\\d{1,5})?$' }),
  /** The business server's private address; never published. */
  apiUrl: Type.String({ format: 'uri', maxLength: 500 }),
  status: Type.Enum(['draft', 'provisioning', 'active', 'suspended', 'removed', 'error']),
  regions: Type.Array(Type.String({ pattern: '^[A-Za-z]{2}$' }), { minItems: 1, maxItems: 250 }),
  assets: Type.Array(
    Type.Object({
      code: Type.String({ pattern: '^[A-Za-z0-9]{1,12}$' }),
      issuer: Type.String({ pattern: '^G[A-Z2-7]{55}$' }),
      anchoredTo: Type.String({ minLength: 1, maxLength: 12 }),
    }),
    { minItems: 1, maxItems: 32 },
  ),
  rails: Type.Array(Code, { minItems: 1, maxItems: 16 }),
  limits: Type.Object({ min: AmountInput, max: AmountInput }),
  fees: Type.Object({ fixed: AmountInput, percentage: AmountInput }),
  settlement: Type.Enum(['instant', 'under_60_minutes']),
  treasury_capacity: Type.Optional(AmountInput),
  /** What the health worker sends to `{apiUrl}/admin/summary` in `x-service-secret`; never published. */
  summarySecret: Type.Optional(Type.String({ minLength: 16, maxLength: 200 })),
})
export type Registration = Static<typeof Registration>

export const registerAnchor = endpoint('POST /anchors', {
  realm: 'service',
  summary: 'Registers an anchor or updates it, and probes it at once',
  body: Registration,
  response: { 200: Type.Object({ anchor: RegistryEntry }), 201: Type.Object({ anchor: RegistryEntry }) },
  idempotent: 'replay',
})

export const listAnchors = endpoint('GET /anchors', {
  realm: 'public',
  summary: 'The registered anchors, newest first',
  query: Type.Object({
    asset: Type.Optional(Type.String({ maxLength: 60 })),
    rail: Type.Optional(Type.String({ maxLength: 32 })),
    region: Type.Optional(Type.String({ maxLength: 8 })),
    status: Type.Optional(Type.String({ maxLength: 20 })),
    available: Type.Optional(Type.Boolean()),
    ...Page,
  }),
  response: { 200: Type.Object({ anchors: Type.Array(RegistryEntry) }) },
})

export const RegistryParams = Type.Object({ id: Id })

export const removeRegistryEntry = endpoint('DELETE /anchors/:id', {
  realm: 'service',
  summary: 'Takes an anchor out of the registry',
  params: RegistryParams,
  response: { 200: Type.Object({ ok: Type.Boolean() }) },
  problems: ['anchor-not-found'],
})
