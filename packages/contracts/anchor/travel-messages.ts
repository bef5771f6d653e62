import Type, { type Static } from 'typebox'
import { Amount, Id, Nullable, OneLine, Page, Text, Time } from '../common.ts'
import { endpoint, NoContent } from '../endpoint.ts'
import { signed } from '../relayed.ts'
import { Ivms101 } from './ivms101.ts'

/*
 * Data of the travel rule between providers: whom the anchor knows, what it asks them and what they ask, over the Travel Rule
 * Protocol (OpenVASP, version 3).
 */

const Country = Type.String({ pattern: '^[A-Z]{2}$' })
const provider = {
  name: OneLine(200),
  /** ISO 17442 */
  lei: Nullable(Type.String({ pattern: '^[A-Z0-9]{18}[0-9]{2}$' })),
  /** ISO 3166-1, two letters. */
  country: Country,
  /** Who licensed them and under which number. */
  licence: Nullable(OneLine(200)),
  agreedOn: Nullable(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })),
  /** `ta…`; null: nothing is sent to them, and no money waits for them. */
  travelAddress: Nullable(OneLine(1_000)),
  /** Client domains (SEP-10) of wallets that hold for their customers. */
  domains: Type.Array(Type.String({ pattern: '^[a-z0-9.:-]{1,253}$' }), { maxItems: 50 }),
  /** `G…`, on the ledger. */
  accounts: Type.Array(Type.String({ pattern: '^G[A-Z2-7]{55}$' }), { maxItems: 50 }),
}
const Pem = Text(20_000)
const tls = {
  /** SHA-256, in hexadecimal, of the certificates of clients that count as theirs; empty: their host proves them. Absent: as it was. */
  clientCertificates: Type.Optional(Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' }), { maxItems: 5 })),
  /** PEM of who signs their server's certificate; null: public authorities. Absent: as it was. */
  authority: Type.Optional(Nullable(Pem)),
}
export const TravelProviderEntry = Type.Object({
  ...provider,
  ...tls,
  /** The anchor's certificate towards them, and its key, as PEM; absent: as it was; null: none. */
  ownCertificate: Type.Optional(Nullable(Type.Object({ certificate: Pem, key: Pem }))),
})
export type TravelProviderEntry = Static<typeof TravelProviderEntry>
export const TravelProvider = Type.Object({
  ...{ id: Type.String(), ...provider, ...tls },
  /** The anchor's certificate towards them; null: none. */
  presents: Type.Optional(Nullable(Type.Object({ sha256: Type.String(), endsOn: Type.String() }))),
  ...{ by: Type.String(), at: Time },
})
export type TravelProvider = Static<typeof TravelProvider>

/** The directory, and the anchor's own address for others. */
export const TravelProviders = Type.Object({
  travelAddress: Type.String(),
  providers: Type.Array(TravelProvider, { maxItems: 1_000 }),
})
export type TravelProviders = Static<typeof TravelProviders>

/**
 * `expected`: none came, and a payout waits for it. `waiting`: one came that a person decides. `released`: a person lets money
 * move without an answer.
 */
export const inquiryStates = [
  ...(['queued', 'sent', 'expected', 'waiting', 'approved', 'rejected', 'released'] as const),
  ...(['confirmed', 'canceled'] as const),
] as const

export const TravelInquiry = Type.Object({
  id: Type.String(),
  direction: Type.Enum(['sent', 'received']),
  protocol: Type.Enum(['trp']),
  state: Type.Enum([...inquiryStates]),
  transactionId: Nullable(Type.String()),
  provider: Type.Object({ id: Type.String(), name: Type.String() }),
  amount: Nullable(Amount),
  /** `CODE:ISSUER`; null: the provider named none. */
  asset: Nullable(Type.String()),
  /** Null: none came yet. */
  document: Nullable(Ivms101),
  /** Why it was rejected, canceled or released. */
  reason: Nullable(Type.String()),
  /** Who decided it: `operator:<id>`; null: rules, or the provider. */
  by: Nullable(Type.String()),
  /** The payment on the ledger. */
  txid: Nullable(Type.String()),
  /** Why the provider was not reached; it is tried again. */
  failure: Nullable(Type.Enum(['unreachable', 'refused', 'no-answer'])),
  createdAt: Time,
  answeredAt: Nullable(Time),
})
export type TravelInquiry = Static<typeof TravelInquiry>

export const listTravelProviders = endpoint('GET /api/v1/travel-providers', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'Providers that the anchor knows, and the travel address at which they reach it',
  response: { 200: TravelProviders },
})

export const listTravelInquiries = endpoint('GET /api/v1/travel-inquiries', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'What the anchor asked providers by the travel rule, and what they asked, newest first',
  query: Type.Object({ state: Type.Optional(Type.Enum([...inquiryStates])), ...Page }),
  response: { 200: Type.Array(TravelInquiry) },
})

/* For the platform, which knows the operator and their role. */

const ProviderParams = Type.Object({ id: Id })
export const putTravelProviderAs = endpoint('PUT /admin/travel-providers/:id', {
  realm: 'anchor-admin',
  summary: 'Enters a provider in the directory, or changes one',
  params: ProviderParams,
  body: signed(TravelProviderEntry),
  response: { 200: TravelProvider },
  idempotent: 'replay',
})

export const deleteTravelProviderAs = endpoint('DELETE /admin/travel-providers/:id', {
  realm: 'anchor-admin',
  summary: 'Takes a provider out of the directory',
  params: ProviderParams,
  response: { 204: NoContent },
  problems: ['not-found'],
  idempotent: 'replay',
})

export const InquiryDecision = { decision: Type.Enum(['approve', 'reject', 'release']), reason: Text(500) }
export const decideTravelInquiryAs = endpoint('POST /admin/travel-inquiries/:id/decision', {
  realm: 'anchor-admin',
  summary: "Answers a provider's inquiry, or lets money move without a provider's answer",
  params: ProviderParams,
  body: signed(Type.Object(InquiryDecision)),
  response: { 200: TravelInquiry },
  problems: ['not-found', 'travel-inquiry-answered'],
  idempotent: 'secret',
})

/* For other providers. */

/** A message of the protocol; its reader checks it, since the versions differ. */
const Message = Type.Object({}, { additionalProperties: true })
const limit = 'client' as const
const bodyLimit = 64 * 1024

/** An approval, a rejection, or the version where a person decides later. */
export const TrpResolution = Type.Object({
  version: Type.Optional(Type.String()),
  approved: Type.Optional(Type.Object({ address: Type.String(), callback: Type.String() })),
  rejected: Type.Optional(Type.String()),
})
export type TrpResolution = Static<typeof TrpResolution>

export const receiveTravelInquiry = endpoint('POST /api/v1/trp/inquiries', {
  ...{ realm: 'public', limit, bodyLimit },
  summary: 'Receives an inquiry of another provider (Travel Rule Protocol 3)',
  query: Type.Object({ t: Type.Optional(Type.Literal('i')) }),
  body: Message,
  response: { 200: TrpResolution },
  problems: ['validation-failed', 'too-many-requests'],
})

export const receiveTravelAnswer = endpoint('POST /api/v1/trp/answers/:id', {
  ...{ realm: 'public', limit, bodyLimit },
  summary: "Receives a provider's answer to an inquiry (Travel Rule Protocol 3)",
  params: ProviderParams,
  body: Message,
  response: { 204: NoContent },
  problems: ['validation-failed', 'not-found'],
})

export const receiveTravelConfirmation = endpoint('POST /api/v1/trp/confirmations/:id', {
  ...{ realm: 'public', limit, bodyLimit },
  summary: 'Receives which payment on the ledger an inquiry was about (Travel Rule Protocol 3)',
  params: ProviderParams,
  body: Message,
  response: { 204: NoContent },
  problems: ['validation-failed', 'not-found'],
})
