import Type, { type Static } from 'typebox'
import { Amount, Day, Nullable, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'

export const RESERVES_TYPE = 'windlass-reserves-1'

/** What an anchor owes and holds. */
const Asset = Type.Object({ code: Type.String(), issuer: Type.String() })

/** Units of an asset. */
export const ReservedUnits = Type.Object({
  /** Made by the anchor's issuing account; 0 of an existing asset. */
  issued: Amount,
  /** In the distribution account, as the ledger says. */
  held: Amount,
  /** In the cold account, as the journal says. */
  cold: Amount,
  /** In the hands of others, who can redeem them here: what was issued, less what is held and what is in the cold account. */
  circulating: Amount,
  /** The part of `held` that is owed to customers whose transactions are under way, or to be returned. */
  owed: Amount,
})

/**
 * What is owed to customers in a currency, and what is there for it. Units of an asset are owed in the currency that they are
 * anchored to.
 */
export const Cover = Type.Object({
  currency: Type.String(),
  owed: Amount,
  there: Amount,
})

/** Parts of what is owed or there: an account of the journal, in its own unit. */
const CoverPart = Type.Object({
  currency: Type.String(),
  side: Type.Enum(['owed', 'there']),
  /**
   * `circulating`: units in the hands of others. `unproven`: what neither a bank nor a provider says is there, negative.
   * Otherwise an account of the journal.
   */
  account: Type.String(),
  unit: Type.String(),
  amount: Amount,
})

export const Safeguarding = Type.Object({
  at: Time,
  /** The end of this day; null: now. */
  day: Nullable(Day),
  currencies: Type.Array(Cover, { maxItems: 50 }),
  parts: Type.Array(CoverPart, { maxItems: 500 }),
  /** Over all currencies, at present rates, in what the first asset is anchored to; negative: that much is missing. */
  total: Type.Object({ currency: Type.String(), difference: Amount }),
  /** Currencies without a rate, which are covered by themselves or not at all. */
  withoutRate: Type.Array(Type.String(), { maxItems: 50 }),
  isShort: Type.Boolean(),
})
export type Safeguarding = Static<typeof Safeguarding>

export const ReservesStatement = Type.Object({
  type: Type.Literal(RESERVES_TYPE),
  homeDomain: Type.String(),
  networkPassphrase: Type.String(),
  at: Time,
  /** The last closed ledger when the accounts were read. */
  ledger: Type.Integer(),
  asset: Asset,
  units: ReservedUnits,
  /** Existing assets beside that one. */
  further: Type.Optional(
    Type.Array(Type.Object({ asset: Asset, units: ReservedUnits, coldAccount: Nullable(Type.String()) }), {
      maxItems: 4,
    }),
  ),
  distributionAccount: Type.String(),
  coldAccount: Nullable(Type.String()),
  /** Money at the rails, as the journal says. */
  money: Type.Array(
    Type.Object({
      rail: Type.String(),
      currency: Type.String(),
      held: Amount,
      /** No money moves on this rail. */
      simulated: Type.Boolean(),
    }),
    { maxItems: 50 },
  ),
  /** Money to be returned, or not explained yet. */
  owedMoney: Type.Array(Type.Object({ currency: Type.String(), amount: Amount }), { maxItems: 50 }),
  /** What is owed to customers against what is there for them, by the journal. */
  safeguarding: Type.Optional(
    Type.Object({
      currencies: Type.Array(Cover, { maxItems: 50 }),
      total: Type.Object({ currency: Type.String(), difference: Amount }),
      isShort: Type.Boolean(),
    }),
  ),
})
export type ReservesStatement = Static<typeof ReservesStatement>

export const Reserves = Type.Object({
  reserves: ReservesStatement,
  /** The same as text: the message that is signed. */
  message: Type.String(),
  /** The anchor's SIGNING_KEY, as its stellar.toml names it. */
  signingKey: Type.String(),
  /** The message's signature by SEP-53, in base64. Null on a developer's machine whose anchors have no signer. */
  signature: Nullable(Type.String()),
})
export type Reserves = Static<typeof Reserves>

export const getReserves = endpoint('GET /api/v1/reserves', {
  realm: 'public',
  limit: { unlimited: 'It is made at most once a minute, however often it is read.' },
  summary: 'What the anchor owes and holds, signed with its signing key; made again each minute',
  response: { 200: Reserves },
  problems: ['dependency-unavailable'],
})

export const getSafeguarding = endpoint('GET /api/v1/safeguarding', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'What is owed to customers against what is there for them, by currency',
  query: Type.Object({
    /** At the end of this day, at present rates. */
    at: Type.Optional(Day),
  }),
  response: { 200: Safeguarding },
})

/** What the last look of each day found, newest first, at most 400. */
export const listSafeguardingDays = endpoint('GET /api/v1/safeguarding/days', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'What was owed and there on each day, as it was known then',
  response: { 200: Type.Array(Safeguarding, { maxItems: 400 }) },
})
