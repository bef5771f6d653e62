import Type, { type Static } from 'typebox'
import { Amount, Id, Nullable, Ok, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { KycStatus } from '../platform/kyc.ts'

/*
 * An anchor's secret reads and changes only customers who came to that anchor: who signed in there with a code, or whose
 * wallet logged in there. For everyone else the answer is `customer-not-found`.
 */

/** With which account someone signs in at the anchor. */
const AccountAtAnchor = {
  /** `G…`, `M…` or `C…` */
  account: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  /** What tells the people of a shared account apart. */
  memo: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
}

/**
 * The provider's raw body and headers. Only the platform can verify them: without it an anchor's secret cannot set
 * anyone to ACCEPTED.
 */
export const KycEvidence = Type.Object({
  /** Base64 of the raw bytes. */
  body: Type.String({ maxLength: 90_000 }),
  headers: Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 2000 })),
})

/**
 * `APPROVED` means `ACCEPTED`. One of customerId and walletAddress is required. From an anchor only the provider's report
 * counts (`evidence`): what an anchor thinks of a customer stays there.
 */
export const propagateKyc = endpoint('POST /api/v1/internal/customers/kyc', {
  realm: 'internal',
  summary: 'Reports an identity verification status to the platform',
  body: Type.Object({
    customerId: Type.Optional(Id),
    walletAddress: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    status: Type.String({ minLength: 1, maxLength: 40 }),
    provider: Type.Optional(Type.String({ maxLength: 40 })),
    sessionId: Type.Optional(Type.String({ maxLength: 200 })),
    completedAt: Type.Optional(Type.String({ format: 'date-time' })),
    evidence: Type.Optional(KycEvidence),
  }),
  needs: [['customerId', 'walletAddress']],
  response: { 200: Type.Object({ ok: Type.Boolean(), customerId: Type.String(), status: KycStatus }) },
  problems: ['customer-not-found', 'kyc-evidence-needed'],
  bodyLimit: 200 * 1024,
})

/** The name on the document of an ACCEPTED customer who came to the anchor; null: the provider said none. */
const VerifiedName = Type.Optional(Nullable(Type.String()))

/**
 * Digests by which an anchor knows that two of its customers are one person. Each anchor gets digests of its own: they tell
 * nothing to another anchor.
 */
export const IdentityDigests = Type.Object({
  /** Type, country and number of identity documents: equal ones are one person's. */
  documents: Type.Array(Type.String(), { maxItems: 50 }),
  /** Name and date of birth: equal ones may be two people's. */
  names: Type.Array(Type.String(), { maxItems: 50 }),
})
export type IdentityDigests = Static<typeof IdentityDigests>
const Identity = Type.Optional(IdentityDigests)

const CentralKyc = Type.Object({
  customerId: Type.String(),
  status: KycStatus,
  verified: Type.Boolean(),
  /** When the current decision was made, by the provider's clock; null if it had no time. */
  completedAt: Type.Optional(Type.Union([Time, Type.Null()])),
  verifiedName: VerifiedName,
  identity: Identity,
})

/**
 * The customer who has proven the wallet, else, on test networks, one who has linked it. An anchor gets a customer who
 * has linked it without proof only if that customer is ACCEPTED.
 */
export const queryKyc = endpoint('GET /api/v1/internal/customers/kyc', {
  realm: 'internal',
  summary: "The central status of a wallet's owner",
  query: Type.Object({
    walletAddress: Type.String({ minLength: 1, maxLength: 200 }),
    /** Names one person of a shared account: the answer is the customer who signed in with it at the anchor and confirmed it. */
    memo: AccountAtAnchor.memo,
  }),
  response: { 200: Type.Object({ ...CentralKyc.properties, walletVerified: Type.Boolean() }) },
  problems: ['customer-not-found', 'wallet-login-needed'],
})

export const queryCustomerKyc = endpoint('GET /api/v1/internal/customers/:id/kyc', {
  realm: 'internal',
  summary: "A customer's central status",
  params: Type.Object({ id: Id }),
  /** The account for which the anchor asks: one that the customer removed is nobody's. */
  query: Type.Object(AccountAtAnchor),
  response: { 200: CentralKyc },
  problems: ['customer-not-found'],
})

const Transaction = Type.String({ minLength: 1, maxLength: 20_000 })

export const reportWalletLogin = endpoint('POST /api/v1/internal/wallet-logins', {
  realm: 'internal',
  summary: 'Reports that a wallet logged in at the anchor, with the challenge it signed',
  body: Type.Object({ transaction: Transaction }),
  response: { 200: Type.Object({ address: Type.String() }) },
  problems: ['proof-not-accepted', 'dependency-unavailable'],
})

/** The address of the anchor's client: limits count by anchor and client. */
const ClientAddress = Type.Optional(Type.String({ minLength: 1, maxLength: 64 }))

/** The code is good at this anchor alone. The email names the anchor and the account. */
export const requestCodeAtAnchor = endpoint('POST /api/v1/internal/customers/codes', {
  realm: 'internal',
  summary: 'Emails a sign-in code to a customer of the anchor',
  body: Type.Object({
    email: Type.String({ maxLength: 320 }),
    clientAddress: ClientAddress,
    ...AccountAtAnchor,
  }),
  response: { 200: Ok },
  problems: ['forbidden'],
})

/**
 * A customer's first account counts at once. A further one, and any of a customer who is ACCEPTED, waits until the
 * customer confirms it in the portal: `wallet-confirmation-needed`. Until then the anchor reads nothing of them by it.
 */
export const signInAtAnchor = endpoint('POST /api/v1/internal/customers/sign-in', {
  realm: 'internal',
  summary: 'Signs a customer in at the anchor with an emailed code and links the wallet they use there',
  body: Type.Object({
    email: Type.String({ maxLength: 320 }),
    code: Type.String({ maxLength: 40 }),
    clientAddress: ClientAddress,
    ...AccountAtAnchor,
    /** A wallet of one's own, `G…`, as earlier releases named the account. */
    address: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    /** The challenge that the wallet signed at the anchor: proves the wallet, which is only linked without it. */
    login: Type.Optional(Transaction),
  }),
  response: { 200: Type.Object({ customerId: Type.String() }) },
  problems: ['code-not-accepted', 'wallet-confirmation-needed', 'too-many-requests', 'forbidden'],
})

/** What a customer was emailed about their account at an anchor. */
export const CustomerEmail = Type.Object({
  id: Type.String(),
  /** As administrators see it among their emails, such as `sign-in-code-at-anchor`. */
  template: Type.String(),
  language: Type.String(),
  /** Null: the customer deleted their account at the platform. */
  to: Nullable(Type.String()),
  at: Time,
  /** When a mail server took it; null: it was not delivered yet. */
  deliveredAt: Nullable(Time),
})
export type CustomerEmail = Static<typeof CustomerEmail>

/** The newest 100, and only emails to mailboxes that the customer confirmed with a code at this anchor. */
export const listCustomerEmails = endpoint('GET /api/v1/internal/customers/emails', {
  realm: 'internal',
  summary: 'What the customer with an account at the anchor was emailed about it',
  query: Type.Object({
    account: Type.String({ minLength: 1, maxLength: 200 }),
    memo: AccountAtAnchor.memo,
  }),
  response: { 200: Type.Array(CustomerEmail, { maxItems: 100 }) },
  problems: ['forbidden'],
})

export const startKycSession = endpoint('POST /api/v1/internal/kyc/sessions', {
  realm: 'internal',
  summary: 'Opens a session at the identity provider for a customer of the anchor',
  body: Type.Object({
    customerId: Id,
    returnUrl: Type.Optional(Type.String({ format: 'uri', maxLength: 2000 })),
  }),
  response: { 200: Type.Object({ url: Type.String(), sessionId: Type.String() }) },
  problems: ['customer-not-found', 'kyc-already-accepted', 'dependency-unavailable', 'too-many-requests'],
})

/** `status` and `completedAt` are those that apply now: the report of a second session that only expires changes nothing. */
export const passKycReport = endpoint('POST /api/v1/internal/kyc/reports', {
  realm: 'internal',
  summary: "Passes on the provider's webhook that arrived at the anchor and returns what then applies",
  body: KycEvidence,
  response: {
    200: Type.Object({
      customerId: Type.String(),
      sessionId: Type.String(),
      status: KycStatus,
      provider: Type.String(),
      completedAt: Time,
      verifiedName: VerifiedName,
      identity: Identity,
    }),
  },
  problems: ['webhook-signature-invalid', 'customer-not-found', 'validation-failed', 'kyc-evidence-needed'],
  bodyLimit: 200 * 1024,
})

/** Whether it is one that an anchor of the platform pays or issues with, as everyone can read in discovery files. */
export const queryAnchorAccount = endpoint('GET /api/v1/internal/anchor-accounts/:account', {
  realm: 'internal',
  summary: 'Whether a ledger account belongs to an anchor: money paid to it would come back',
  params: Type.Object({ account: Type.String({ pattern: '^G[A-Z2-7]{55}$' }) }),
  response: { 200: Type.Object({ isAnchors: Type.Boolean() }) },
})

/** What a customer moved at an anchor. */
const Moved = Type.Object({
  direction: Type.Enum(['deposit', 'withdrawal']),
  /** The currency or asset that the anchor's units are pegged to. */
  currency: Type.String({ minLength: 1, maxLength: 12 }),
  amount: Amount,
  at: Time,
})

/** Once its money is about to leave. Kept for 31 days. */
export const reportMovement = endpoint('POST /api/v1/internal/movements', {
  realm: 'internal',
  summary: 'Reports what a customer of the anchor moved, for rules of other anchors about round trips',
  body: Type.Object({
    customerId: Id,
    /** The anchor's own number of it: a repeat counts once. */
    reference: Id,
    ...Moved.properties,
  }),
  response: { 200: Ok },
  problems: ['customer-not-found'],
})

/** Without the anchors, and with the hour alone: an anchor learns nothing else about another. */
export const findMovementsElsewhere = endpoint('POST /api/v1/internal/movements/elsewhere', {
  realm: 'internal',
  summary: 'What customers of the anchor moved at others, as far as they did not withdraw its access',
  body: Type.Object({ customerIds: Type.Array(Id, { maxItems: 100 }), since: Time }),
  response: {
    200: Type.Object({
      /** At most 10,000: of each customer at each anchor the newest 200, newest first. */
      movements: Type.Array(
        Type.Object({ id: Type.String(), customerId: Type.String(), ...Moved.properties }),
      ),
    }),
  },
})

export const getExchangeRates = endpoint('GET /api/v1/internal/exchange-rates', {
  realm: 'internal',
  summary: 'Exchange rates that anchors quote by',
  response: {
    200: Type.Object({
      at: Time,
      /** Currency units for one US dollar, by ISO 4217 code. */
      rates: Type.Record(Type.String(), Type.String()),
    }),
  },
  problems: ['dependency-unavailable'],
})

export const resolveWallets = endpoint('GET /api/v1/internal/customers/:id/wallets', {
  realm: 'internal',
  summary: "A customer's linked ledger addresses",
  params: Type.Object({ id: Id }),
  response: {
    200: Type.Object({
      addresses: Type.Array(Type.String()),
      wallets: Type.Array(
        Type.Object({
          address: Type.String(),
          network: Type.String(),
          label: Type.String(),
          verified: Type.Boolean(),
        }),
      ),
    }),
  },
  problems: ['customer-not-found'],
})
