import Type, { type Static } from 'typebox'
import { Spread } from '../anchor/anchor-settings.ts'
import { Amount, AmountInput, Id, Page, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { READ_FROM_MEMORY } from '../limits.ts'

export const RegistryStatus = Type.Enum(['draft', 'provisioning', 'active', 'suspended', 'removed', 'error'])
export type RegistryStatus = Static<typeof RegistryStatus>

export const Settlement = Type.Enum(['instant', 'under_60_minutes'])
export type Settlement = Static<typeof Settlement>

/** What anchors take. `percentage` is a fraction: 0.005 is half a percent. */
export const StatedFee = Type.Object({ fixed: Amount, percentage: Type.String() })

/** In asset units. */
export const AmountRange = Type.Object({ min: Amount, max: Amount })

const stated = {
  min: Type.Union([Amount, Type.Null()]),
  max: Type.Union([Amount, Type.Null()]),
  fees: Type.Union([StatedFee, Type.Null()]),
  /** Currency units for one asset unit, by currency, as last read from its SEP-38 prices. */
  prices: Type.Record(Type.String(), Type.String()),
}

/** Terms of one asset as an external anchor states them, in asset units; null: not known. */
export const ExternalTerms = Type.Object({
  ...stated,
  /** Absent where it offers no withdrawals. */
  withdrawal: Type.Optional(Type.Object(stated)),
})

const RailCode = Type.String({ pattern: '^[A-Za-z0-9_-]{1,32}$' })

/** A fee that differs over a rail. */
const RailFee = { rail: RailCode, direction: Type.Enum(['deposit', 'withdrawal']) }

/** What the aggregator publishes about one anchor. */
export const RegistryEntry = Type.Object({
  id: Type.String(),
  slug: Type.String(),
  name: Type.String(),
  domain: Type.String(),
  status: Type.String(),
  regions: Type.Array(Type.String()),
  assets: Type.Array(
    Type.Object({
      code: Type.String(),
      issuer: Type.String(),
      anchoredTo: Type.String(),
      /** As `treasury_capacity`, of this asset; absent where the anchor serves one, and for external anchors. */
      capacity: Type.Optional(Amount),
      terms: Type.Optional(ExternalTerms),
    }),
  ),
  rails: Type.Array(Type.String()),
  limits: AmountRange,
  fees: StatedFee,
  /** Rails and fee of withdrawals; absent: as above. */
  withdrawal: Type.Optional(
    Type.Object({
      rails: Type.Array(Type.String()),
      fees: StatedFee,
    }),
  ),
  /** Where the fee over a rail differs. */
  railFees: Type.Optional(Type.Array(Type.Object({ ...RailFee, fixed: Amount, percentage: Type.String() }))),
  /** The anchor's share of an exchange rate, which its quotes include; absent: none. */
  spread: Type.Optional(Spread),
  /**
   * Where wallets find something different from what the anchor says. The aggregator saw it several times in a row. `price`: they
   * pay more by `share`, a fraction of the price. `start`: they cannot start a deposit, for the reason `failure`. Both
   * lower its scores.
   */
  differences: Type.Optional(
    Type.Array(
      Type.Object({
        kind: Type.Enum(['price', 'start']),
        since: Time,
        share: Type.Optional(Type.String()),
        failure: Type.Optional(Type.String()),
      }),
      { maxItems: 2 },
    ),
  ),
  settlement: Type.String(),
  /** What the anchor can pay out of its first asset, as its server last reported. */
  treasury_capacity: Amount,
  /** The last probe succeeded. */
  current_availability: Type.Boolean(),
  /** The discovery file at the domain carries this anchor's issuers and signing key. */
  domainVerified: Type.Boolean(),
  /** Present for an anchor of another platform: the SEPs it serves, and what none of its answers says. */
  external: Type.Optional(
    Type.Object({
      seps: Type.Array(Type.Integer()),
      unknown: Type.Array(Type.String()),
      /** Over which it pays out; absent: none is known. */
      withdrawalRails: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  lastCheckedAt: Type.Union([Time, Type.Null()]),
  createdAt: Time,
  updatedAt: Time,
})
export type RegistryEntry = Static<typeof RegistryEntry>

/** What the platform API sends about a provisioned anchor. */
export const Registration = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
  slug: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$' }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  /** Host, with the port where it is not 80 or 443. */
  domain: Type.String({ pattern: '^[a-z0-9.-]{1,253}(:\\d{1,5})?$' }),
  /** The business server's private address (http or https); never published. */
  apiUrl: Type.String({ format: 'uri', maxLength: 500 }),
  status: RegistryStatus,
  /** ISO 3166 alpha-2, in any case. */
  regions: Type.Array(Type.String({ pattern: '^[A-Za-z]{2}$' }), { minItems: 1, maxItems: 250 }),
  assets: Type.Array(
    Type.Object({
      code: Type.String({ pattern: '^[A-Za-z0-9]{1,12}$' }),
      /** `native`: XLM. */
      issuer: Type.String({ pattern: '^(native|G[A-Z2-7]{55})$' }),
      anchoredTo: Type.String({ pattern: '^[A-Za-z0-9]{1,12}$' }),
      /** As `treasury_capacity`, of an asset after the first. Where one has it, it is 0 for those that do not. */
      capacity: Type.Optional(Amount),
    }),
    { minItems: 1, maxItems: 32 },
  ),
  /** Over which deposits come. Empty only beside `withdrawal`: deposits are paused or every rail is off. */
  rails: Type.Array(RailCode, { maxItems: 16 }),
  /** Asset units; `0 < min <= max`. */
  limits: Type.Object({ min: AmountInput, max: AmountInput }),
  /** `fixed` in asset units; `percentage` a fraction from 0 to 1 with at most 18 digits. */
  fees: Type.Object({ fixed: AmountInput, percentage: AmountInput }),
  /** The one for withdrawals; absent: as above. */
  withdrawal: Type.Optional(
    Type.Object({
      rails: Type.Array(RailCode, { maxItems: 16 }),
      fees: Type.Object({ fixed: AmountInput, percentage: AmountInput }),
    }),
  ),
  /** Where the fee over a rail differs. */
  railFees: Type.Optional(
    Type.Array(Type.Object({ ...RailFee, fixed: AmountInput, percentage: AmountInput }), { maxItems: 32 }),
  ),
  /** The anchor's share of an exchange rate. */
  spread: Type.Optional(Spread),
  settlement: Settlement,
  /** Absent: 0 for a new anchor, else the last known. */
  treasury_capacity: Type.Optional(AmountInput),
  /** What the health worker sends to `{apiUrl}/admin/summary` in `x-service-secret`; never published. */
  summarySecret: Type.Optional(Type.String({ minLength: 16, maxLength: 200 })),
  /** The anchor's SEP-10 key: the discovery file must carry it. */
  signingKey: Type.Optional(Type.String({ pattern: '^G[A-Z2-7]{55}$' })),
})
export type Registration = Static<typeof Registration>

/** True if the database is unavailable and this is the aggregator's last known state. */
const Stale = Type.Optional(Type.Boolean())

export const registerAnchor = endpoint('POST /anchors', {
  realm: 'service',
  summary: 'Registers an anchor or updates it, and probes it at once',
  body: Registration,
  response: { 200: Type.Object({ anchor: RegistryEntry }), 201: Type.Object({ anchor: RegistryEntry }) },
  idempotent: 'replay',
})

export const listAnchors = endpoint('GET /anchors', {
  realm: 'public',
  limit: READ_FROM_MEMORY,
  conditional: true,
  summary: 'The registered anchors, newest first',
  query: Type.Object({
    /** `CODE` or `CODE:ISSUER`, in any case; `native`: XLM. */
    asset: Type.Optional(Type.String({ maxLength: 80 })),
    rail: Type.Optional(Type.String({ maxLength: 32 })),
    region: Type.Optional(Type.String({ maxLength: 8 })),
    status: Type.Optional(Type.String({ maxLength: 20 })),
    available: Type.Optional(Type.Boolean()),
    ...Page,
  }),
  response: { 200: Type.Object({ anchors: Type.Array(RegistryEntry), stale: Stale }) },
})

const RegistryParams = Type.Object({ id: Id })

/** One step of what a wallet does at an external anchor. */
export const WalkStep = Type.Object({
  /** Its discovery file, a SEP-10 challenge signed with its SIGNING_KEY, its `/info`, a SEP-38 price. */
  step: Type.Enum(['file', 'challenge', 'info', 'start', 'price']),
  ok: Type.Boolean(),
  latencyMs: Type.Integer(),
  /** In a word, such as `timeout`, `status-503` or `challenge-not-signed`. */
  failure: Type.Optional(Type.String()),
})
export type WalkStep = Static<typeof WalkStep>

/** One probe of an anchor by the health worker. */
export const HealthCheck = Type.Object({
  checkedAt: Time,
  current_availability: Type.Boolean(),
  treasury_capacity: Type.Optional(Amount),
  /** Milliseconds from the request to the complete answer. */
  latencyMs: Type.Integer(),
  /** The address that answered; absent if none did. */
  source: Type.Optional(Type.String()),
  /** `timeout`, `unreachable`, `refused-address`, `redirect`, `status-503`, `too-long`, `nonsense`, `not-ok`. */
  failure: Type.Optional(Type.String()),
  /** An external anchor's. */
  steps: Type.Optional(Type.Array(WalkStep)),
})
export type HealthCheck = Static<typeof HealthCheck>

/** Checks of the last hour: `percentage` is in percent, and 100 where there are none yet. */
export const Uptime = Type.Object({
  good: Type.Integer(),
  checks: Type.Integer(),
  percentage: Type.Number(),
})

export const getRegistryEntry = endpoint('GET /anchors/:id', {
  realm: 'public',
  limit: READ_FROM_MEMORY,
  conditional: true,
  summary: 'One anchor with its uptime and its latest checks, newest first',
  params: RegistryParams,
  response: {
    200: Type.Object({
      anchor: RegistryEntry,
      uptime: Uptime,
      /** Empty while the database is unavailable. */
      health: Type.Array(HealthCheck),
      stale: Stale,
    }),
  },
  problems: ['anchor-not-found'],
})

/** One minute of an anchor's checks, for availability bars. */
const HealthMinute = Type.Object({
  minute: Time,
  good: Type.Integer(),
  checks: Type.Integer(),
  /** Mean, over the minute's checks. */
  latencyMs: Type.Integer(),
})

export const getAnchorHealth = endpoint('GET /anchors/:id/health', {
  realm: 'public',
  limit: READ_FROM_MEMORY,
  conditional: true,
  summary: "An anchor's last hour minute by minute, oldest first; minutes without a check are left out",
  params: RegistryParams,
  response: {
    200: Type.Object({
      uptime: Uptime,
      /** Empty while the database is unavailable. */
      minutes: Type.Array(HealthMinute),
      stale: Stale,
    }),
  },
  problems: ['anchor-not-found'],
})

/** One day (UTC) of an anchor's checks. */
const HealthDay = Type.Object({
  /** `2026-11-22` */
  day: Type.String(),
  good: Type.Integer(),
  checks: Type.Integer(),
  /** Mean, over the day's checks. */
  latencyMs: Type.Integer(),
})

export const getAnchorHistory = endpoint('GET /anchors/:id/history', {
  realm: 'public',
  limit: 'shared',
  conditional: true,
  summary: "An anchor's last 90 days, oldest first; days without a check are left out",
  params: RegistryParams,
  response: {
    200: Type.Object({
      /** Empty while the database is unavailable. */
      days: Type.Array(HealthDay, { maxItems: 91 }),
      stale: Stale,
    }),
  },
  problems: ['anchor-not-found'],
})

export const removeRegistryEntry = endpoint('DELETE /anchors/:id', {
  realm: 'service',
  summary: 'Removes an anchor from the registry',
  params: RegistryParams,
  response: { 200: Type.Object({ ok: Type.Boolean() }) },
  problems: ['anchor-not-found'],
})

export const registerExternalAnchor = endpoint('POST /external-anchors', {
  realm: 'public',
  limit: 'client',
  summary: 'Registers an anchor of another platform by its home domain, if wallets can use it',
  body: Type.Object({
    /** Where its discovery file is: a host, with the port where it is not 443. */
    homeDomain: Type.String({ pattern: '^[A-Za-z0-9.-]{1,253}(:\\d{1,5})?$' }),
  }),
  response: {
    200: Type.Object({ anchor: RegistryEntry, steps: Type.Array(WalkStep) }),
    201: Type.Object({ anchor: RegistryEntry, steps: Type.Array(WalkStep) }),
  },
  problems: ['external-anchor-refused', 'too-many-requests', 'dependency-unavailable'],
  idempotent: 'replay',
})
