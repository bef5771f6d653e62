import Type, { type Static } from 'typebox'
import type { AnchorPlan } from '../internal/anchor-plan.ts'
import { Amount, Email, Id, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { relayed, signed } from '../relayed.ts'

export const directions = ['deposit', 'withdrawal'] as const
export type Direction = (typeof directions)[number]

/** `fixed` in asset units; `percentage` a fraction: 0.005 is half a percent. */
export const Fee = Type.Object({
  fixed: Amount,
  percentage: Type.String({ pattern: '^\\d(\\.\\d{1,18})?$' }),
})
export type Fee = Static<typeof Fee>

/** Part of the exchange rate, as a fraction: 0.005 is half a percent. Customers pay more by it in a deposit and get less in a withdrawal. */
export const Spread = Type.Object({
  deposit: Type.String({ pattern: '^\\d(\\.\\d{1,6})?$' }),
  withdrawal: Type.String({ pattern: '^\\d(\\.\\d{1,6})?$' }),
})
export type Spread = Static<typeof Spread>

const RailName = Type.String({ minLength: 1, maxLength: 32 })
const Optional = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** How far a customer's identity is verified: everyone who passed the check is `standard`, operators raise to `enhanced`. */
export const tiers = ['standard', 'enhanced'] as const
export type Tier = (typeof tiers)[number]

/** Asset units of deposits and withdrawals together, of one person; null: no limit of its own. */
export const TierLimits = Type.Object({
  transaction: Optional(Amount),
  /** In any 24 hours. */
  day: Optional(Amount),
  /** In any 30 days. */
  month: Optional(Amount),
})
export type TierLimits = Static<typeof TierLimits>

/**
 * Messages of a pause that need no fresh confirmation: with a stolen session nobody can write a text of their own to
 * customers. Customer pages show them in the page's language.
 */
export const pauseMessages = {
  unavailable: 'Not available at the moment. Try again later.',
  maintenance: 'Paused for maintenance. Try again later.',
  outage: 'Paused because of a problem at a payment provider. Try again later.',
} as const
export type PauseMessage = keyof typeof pauseMessages

/** The standard message that a text is; undefined: it is the operator's own. */
export const pauseMessageOf = (text: string): PauseMessage | undefined =>
  // oxlint-disable-next-line compared-sentences/by-codes -- the setting is a text, and standard where it is one of these.
  (Object.keys(pauseMessages) as PauseMessage[]).find(key => pauseMessages[key] === text)

/** What an operator sets for the customers of an anchor. */
export const AnchorSettings = Type.Object({
  fees: Type.Object({
    deposit: Fee,
    withdrawal: Fee,
    /** Fees that differ over a rail, each at most once for a rail and direction. */
    rails: Type.Array(
      Type.Object({ rail: RailName, direction: Type.Enum([...directions]), ...Fee.properties }),
      {
        maxItems: 32,
      },
    ),
    /** Absent: none. */
    spread: Type.Optional(Spread),
    /** Asset units that are kept when a payment goes back that no transaction asked for; absent: none. */
    refund: Type.Optional(Amount),
  }),
  limits: Type.Object({
    /** Asset units, for one transaction of anyone. */
    min: Amount,
    max: Amount,
    tiers: Type.Object({ standard: TierLimits, enhanced: TierLimits }),
    /** Whether a withdrawal paid with up to a tenth more or less than asked is paid out at what it is worth; absent: yes. */
    nearAmounts: Type.Optional(Type.Boolean()),
  }),
  /** What wallets may do that SEPs advise against; absent: all of it. */
  wallets: Type.Optional(
    Type.Object({
      /** An account that signed in with a memo signs in without one, although it is many customers'; absent: yes. */
      mixedMemos: Type.Optional(Type.Boolean()),
      /** Deposits begin for accounts that are not on the ledger yet, and wait for them; absent: yes. */
      newAccounts: Type.Optional(Type.Boolean()),
      /** Prices of a currency with several delivery methods are asked without one (SEP-38); absent: yes. */
      unnamedMethods: Type.Optional(Type.Boolean()),
    }),
  ),
  approvals: Type.Object({
    /** Asset units: what an operator does with more waits for a second person; null: nothing does. */
    above: Optional(Amount),
    /** Asset units that an API key decides about without a person, never more than `above`; absent: none. */
    keysAbove: Type.Optional(Amount),
  }),
  rails: Type.Array(Type.Object({ name: RailName, deposits: Type.Boolean(), withdrawals: Type.Boolean() }), {
    maxItems: 16,
  }),
  /** The message that customers see while deposits or withdrawals are paused; null: they are not. */
  paused: Type.Object({ deposits: Optional(Text(300)), withdrawals: Optional(Text(300)) }),
  branding: Type.Object({
    /** `#0b57c9`: of buttons and links, at least 4.5:1 to the page. */
    color: Optional(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
    /** The id of an uploaded logo. */
    logo: Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
    /** Shown to customers; null: the company's business email. */
    supportEmail: Optional(Email),
  }),
})
export type AnchorSettings = Static<typeof AnchorSettings>

const NO_LIMITS: TierLimits = { transaction: null, day: null, month: null }

/** What counts as long as nothing is set: the terms of the application. */
export const plannedSettings = ({
  fees,
  limits,
  rails,
}: Pick<AnchorPlan, 'fees' | 'limits' | 'rails'>): AnchorSettings => ({
  fees: { deposit: fees, withdrawal: fees, rails: [] },
  limits: { ...limits, tiers: { standard: NO_LIMITS, enhanced: NO_LIMITS } },
  approvals: { above: null },
  rails: rails.map(name => ({ name, deposits: true, withdrawals: true })),
  paused: { deposits: null, withdrawals: null },
  branding: { color: null, logo: null, supportEmail: null },
})

/** Settings as they were set once; version 0 is what the application asked for. */
export const SettingsVersion = Type.Object({
  version: Type.Integer({ minimum: 0 }),
  settings: AnchorSettings,
  /** `operator:<id>`; null: version 0. */
  by: Type.Union([Type.String(), Type.Null()]),
  at: Type.Union([Time, Type.Null()]),
})
export type SettingsVersion = Static<typeof SettingsVersion>

/** The settings that count first, then earlier ones, newest first, at most 50 and version 0. */
export const SettingsHistory = Type.Object({
  history: Type.Array(SettingsVersion, { minItems: 1, maxItems: 51 }),
})
export type SettingsHistory = Static<typeof SettingsHistory>

export const SettingsChange = Type.Object({
  settings: AnchorSettings,
  /** The version that the change starts from: settings that changed since are not overwritten. */
  version: Type.Integer({ minimum: 0 }),
})

/** A PNG or JPEG image of at most 64 KB and 1024 × 1024 pixels, in base64. */
export const LogoUpload = Type.Object({ data: Type.String({ minLength: 1, maxLength: 90_000 }) })
export const UploadedLogo = Type.Object({ id: Type.String(), width: Type.Integer(), height: Type.Integer() })

export const getSettings = endpoint('GET /admin/settings', {
  realm: 'anchor-admin',
  summary: 'Fees, limits, rails, pauses and branding, and who changed them',
  response: { 200: SettingsHistory },
})

/** For the platform, which knows the operator and their role. */
export const setSettings = endpoint('PUT /admin/settings', {
  realm: 'anchor-admin',
  summary: 'Changes fees, limits, rails, pauses and branding for transactions that start from now on',
  body: signed(SettingsChange),
  response: { 200: SettingsHistory },
  problems: ['settings-changed'],
  idempotent: 'replay',
})

export const uploadLogo = endpoint('POST /admin/logos', {
  realm: 'anchor-admin',
  summary: 'Stores a logo, which the settings then name',
  body: signed(LogoUpload),
  response: { 201: UploadedLogo },
  idempotent: 'replay',
})

export const setCustomerTier = endpoint('PUT /admin/customers/:id/tier', {
  realm: 'anchor-admin',
  summary: 'Sets the verification tier of the person behind a customer',
  params: Type.Object({ id: Id }),
  body: signed(Type.Object({ tier: Type.Enum([...tiers]), reason: Text(500) })),
  response: { 200: Type.Object({ tier: Type.Enum([...tiers]), before: Type.Enum([...tiers]) }) },
  problems: ['customer-not-found'],
  idempotent: 'replay',
})

/* As operators see and change them in the console. */

export const getWorkspaceSettings = relayed('GET /api/v1/anchors/:anchorId/settings', getSettings, {
  summary: 'Fees, limits, rails, pauses and branding of the anchor, and who changed them',
})

/**
 * A change needs a recent confirmation, except one that only pauses with a standard message (see `pauseMessages`) or switches
 * rails off. It counts for transactions that start from then on; open ones keep their fees and limits.
 */
export const setWorkspaceSettings = relayed('PUT /api/v1/anchors/:anchorId/settings', setSettings, {
  ...{ who: 'admin', confirm: 'by-case' },
  summary: 'Changes fees, limits, rails, pauses and branding of the anchor',
})

export const uploadWorkspaceLogo = relayed('POST /api/v1/anchors/:anchorId/logos', uploadLogo, {
  who: 'admin',
  summary: 'Uploads a logo, which the settings then name',
})

export const setWorkspaceCustomerTier = relayed(
  'PUT /api/v1/anchors/:anchorId/customers/:id/tier',
  setCustomerTier,
  {
    ...{ area: 'compliance', who: 'admin', confirm: true },
    summary: 'Sets the verification tier of a customer',
    response: { 200: Type.Object({ tier: Type.Enum([...tiers]) }) },
  },
)

/** What is sent to the SEP server, over the link between the two servers. */
export interface PublicTerms {
  version: number
  settings: AnchorSettings
  /** Currencies of its rails for which an asset (`CODE:ISSUER`) has no rate. */
  unpriced?: { asset: string; currency: string }[]
}
