import Type, { type Static } from 'typebox'
import { Amount, Count, Id, Ok, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'

const AnchorParams = Type.Object({ anchorId: Id })
const Account = Type.String({ pattern: '^G[A-Z2-7]{55}$' })
const Envelope = Type.String({ minLength: 1, maxLength: 20_000 })
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })

/** `native`: the asset is XLM, which nobody issues. */
const Issuer = Type.String({ pattern: '^(native|G[A-Z2-7]{55})$' })

/** The ledger accounts of an anchor. The signer has their keys, except the issuer's of an existing asset. */
export const AnchorAccounts = Type.Object({ issuer: Issuer, distribution: Account, signing: Account })
export type AnchorAccounts = Static<typeof AnchorAccounts>

/** What the signer compares an anchor's requests with; the control plane writes it. */
export const SigningTerms = Type.Object({
  networkPassphrase: Text(200),
  homeDomain: Text(253),
  /** Host and port of the SEP-10 endpoint. */
  webAuthDomain: Text(259),
  assetCode: Type.String({ pattern: '^[A-Za-z0-9]{1,12}$' }),
  /** Present for an existing asset; absent: the anchor issues its own. */
  issuer: Type.Optional(Issuer),
  /** Existing assets beside that one. */
  furtherAssets: Type.Optional(
    Type.Array(Type.Object({ code: Type.String({ pattern: '^[A-Za-z0-9]{1,12}$' }), issuer: Account }), {
      maxItems: 4,
    }),
  ),
  /** Asset units that one transaction may issue. */
  issued: Amount,
  /** Asset units: the anchor's largest transfer, from which default limits follow. */
  largestTransfer: Amount,
  /** Stroops for one operation. */
  maxFee: Type.String({ pattern: '^\\d{1,12}$' }),
  /** SHA-256 (hex) of each server's credential. */
  credentials: Type.Object({ sep: Sha256, business: Sha256 }),
})
export type SigningTerms = Static<typeof SigningTerms>

/** `CODE:ISSUER` */
const FurtherAsset = Type.String({ pattern: '^[A-Za-z0-9]{1,12}:G[A-Z2-7]{55}$' })

/** Limits for what the business server may have signed. */
export const SigningLimits = Type.Object({
  /** Units of the first asset in any hour; 0: none is paid. */
  perHour: Amount,
  /** Units of each further asset in any hour; one that is not named keeps its limit. */
  further: Type.Optional(Type.Array(Type.Object({ asset: FurtherAsset, perHour: Amount }), { maxItems: 4 })),
  /** Asset units in one payment; null: only `perHour` counts. */
  perPayment: Type.Union([Amount, Type.Null()]),
  /** XLM in any hour, for XLM that customers sent by mistake; 0: none is sent back. Where XLM is the first asset, `perHour` counts. */
  xlmPerHour: Amount,
  /** The only accounts (`G…`) and contract accounts (`C…`) that may be paid; null: any. */
  destinations: Type.Union([
    Type.Array(Type.String({ pattern: '^[GC][A-Z2-7]{55}$' }), { maxItems: 100 }),
    Type.Null(),
  ]),
})
export type SigningLimits = Static<typeof SigningLimits>

/** Requests that were refused for the same reason within an hour. */
export const StoppedRequests = Type.Object({
  server: Type.Union([Type.Literal('sep'), Type.Literal('business')]),
  reason: Type.String(),
  /** The last one's. */
  detail: Type.String(),
  count: Count,
  firstAt: Time,
  lastAt: Time,
})
export type StoppedRequests = Static<typeof StoppedRequests>

export const Signing = Type.Object({
  limits: SigningLimits,
  /** Units of the first asset that were signed for in the last hour. */
  lastHour: Amount,
  /** The same of each further asset. */
  further: Type.Optional(Type.Array(Type.Object({ asset: FurtherAsset, lastHour: Amount }))),
  /** The latest first. */
  stopped: Type.Array(StoppedRequests),
})
export type Signing = Static<typeof Signing>

const Signature = Type.Object({
  /** Base64 of its 64 bytes. */
  signature: Type.String({ maxLength: 88 }),
})

export const ensureAnchorKeys = endpoint('PUT /signer/anchors/:anchorId/keys', {
  realm: 'service',
  summary: "Creates an anchor's keys, or imports those of an earlier version; existing keys stay",
  params: AnchorParams,
  body: Type.Object({
    import: Type.Optional(
      Type.Object({ issuer: Type.String(), distribution: Type.String(), signing: Type.String() }),
    ),
    /** Present for an existing asset: the anchor gets no issuing account. */
    issuer: Type.Optional(Issuer),
  }),
  response: { 200: AnchorAccounts },
})

export const putSigningTerms = endpoint('PUT /signer/anchors/:anchorId/terms', {
  realm: 'service',
  summary: "Sets the credentials of an anchor's servers and what may be signed for them",
  params: AnchorParams,
  body: SigningTerms,
  response: { 200: Ok },
  problems: ['anchor-not-found'],
})

export const endSigning = endpoint('DELETE /signer/anchors/:anchorId/credentials', {
  realm: 'service',
  summary: "Revokes the credentials of an anchor's servers; its keys stay",
  params: AnchorParams,
  response: { 200: Ok },
})

export const getSigning = endpoint('GET /signer/anchors/:anchorId/signing', {
  realm: 'service',
  summary: 'Limits of an anchor, what was signed in the last hour and what was refused',
  params: AnchorParams,
  response: { 200: Signing },
  problems: ['anchor-not-found'],
})

export const putSigningLimits = endpoint('PUT /signer/anchors/:anchorId/signing/limits', {
  realm: 'service',
  summary: "Sets an anchor's limits",
  params: AnchorParams,
  body: SigningLimits,
  response: { 200: Signing },
  problems: ['anchor-not-found'],
})

/** For the control plane, which issues the asset or opens the trustline for an existing one. */
export const signIssue = endpoint('POST /signer/anchors/:anchorId/signatures', {
  realm: 'service',
  summary: 'Signs the transaction that issues the asset, or a fee bump of it',
  params: AnchorParams,
  body: Type.Object({ account: Account, transaction: Envelope }),
  response: { 200: Signature },
  problems: [
    'anchor-not-found',
    'signature-refused',
    'clocks-differ',
    'signing-limit-reached',
    'dependency-unavailable',
  ],
})

export const getFundingAccount = endpoint('GET /signer/funding', {
  realm: 'service',
  summary: 'The account that pays for anchors’ accounts',
  response: {
    200: Type.Object({
      /** Null: there is none, and a faucet pays. */
      account: Type.Union([Account, Type.Null()]),
    }),
  },
})

/** For the control plane, which opens anchors' accounts and tops them up. */
export const signFunding = endpoint('POST /signer/funding/signatures', {
  realm: 'service',
  summary: 'Signs a payment of XLM from the funding account to accounts of an anchor, or a fee bump of one',
  body: Type.Object({ anchorId: Id, transaction: Envelope }),
  response: { 200: Signature },
  problems: [
    'anchor-not-found',
    'signature-refused',
    'clocks-differ',
    'signing-limit-reached',
    'dependency-unavailable',
  ],
})

export const signChallenge = endpoint('POST /signer/signatures/challenge', {
  realm: 'anchor-server',
  summary: 'Signs a SEP-10 challenge of this anchor with its signing key',
  body: Type.Object({ transaction: Envelope }),
  response: { 200: Signature },
  problems: ['signature-refused', 'clocks-differ'],
})

export const signContractChallenge = endpoint('POST /signer/signatures/contract-challenge', {
  realm: 'anchor-server',
  summary: "Signs this anchor's entry of a SEP-45 challenge with its signing key",
  body: Type.Object({
    /** What is hashed and signed (HashIDPreimage, base64 XDR). */
    preimage: Envelope,
  }),
  response: { 200: Signature },
  problems: ['signature-refused', 'clocks-differ'],
})

export const signCallback = endpoint('POST /signer/signatures/callback', {
  realm: 'anchor-server',
  summary: 'Signs the callback to a wallet (`time.host.body`) with the signing key',
  body: Type.Object({
    /** Unix seconds. */
    time: Count,
    host: Type.String({ pattern: '^[A-Za-z0-9.:\\[\\]-]{1,259}$' }),
    body: Type.String({ minLength: 2, maxLength: 64_000 }),
  }),
  response: { 200: Signature },
  problems: ['signature-refused', 'clocks-differ'],
})

export const signStatement = endpoint('POST /signer/signatures/reserves', {
  realm: 'anchor-server',
  summary:
    'Signs a statement of reserves, of a closed period or of evidence of this anchor with the signing key, by SEP-53',
  body: Type.Object({ message: Type.String({ minLength: 2, maxLength: 16_000 }) }),
  response: { 200: Signature },
  problems: ['signature-refused', 'clocks-differ'],
})

export const signPayment = endpoint('POST /signer/signatures/payment', {
  realm: 'anchor-server',
  summary: 'Signs a payment of the distribution account within the limits, or a fee bump of one',
  body: Type.Object({ transaction: Envelope }),
  response: { 200: Signature },
  problems: ['signature-refused', 'clocks-differ', 'signing-limit-reached', 'dependency-unavailable'],
})
