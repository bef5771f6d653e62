import Type, { type Static } from 'typebox'
import { Id, Nullable, Ok, Page, Time } from '../common.ts'
import { DeveloperTransaction, transactionKinds } from '../anchor/developer-api.ts'
import { endpoint, NoContent } from '../endpoint.ts'
import { EMAILED_CODES, ENDS_SESSION } from '../limits.ts'
import { KycStatus } from './kyc.ts'
import { AnyAddress, LoginCode, OpenSession } from './operators.ts'
import { TimeZone } from './time-zones.ts'

export const requestCustomerCode = endpoint('POST /api/v1/customer/auth/request-otp', {
  realm: 'public',
  limit: EMAILED_CODES,
  summary: 'Emails a 6-digit code; the answer is 200 whether the address is known or not',
  body: Type.Object({
    email: AnyAddress,
    /** What the code is for, by default signing in; it is good for nothing else. */
    purpose: Type.Optional(Type.Enum(['sign-in', 'deletion'])),
  }),
  response: { 200: Ok },
})

/** Sets `ns_customer` (HttpOnly; Secure; SameSite=Lax). */
export const verifyCustomerCode = endpoint('POST /api/v1/customer/auth/verify-otp', {
  realm: 'public',
  limit: 'client',
  summary: 'Signs a customer in',
  body: Type.Object({ email: AnyAddress, code: LoginCode }),
  response: {
    200: Type.Object({
      status: Type.Enum(['success']),
      user: Type.Object({ id: Type.String(), email: Type.String() }),
      isNew: Type.Boolean(),
    }),
  },
  cookies: ['ns_customer'],
  problems: ['code-not-accepted', 'too-many-requests'],
})

export const logoutCustomer = endpoint('POST /api/v1/customer/auth/logout', {
  realm: 'public',
  limit: ENDS_SESSION,
  summary: 'Ends the session at once',
  cookies: ['ns_customer'],
  response: { 200: Ok },
})

export const listCustomerSessions = endpoint('GET /api/v1/customer/sessions', {
  realm: 'customer',
  summary: 'Your open sessions, newest first',
  query: Type.Object(Page),
  response: { 200: Type.Array(OpenSession) },
})

export const endCustomerSession = endpoint('DELETE /api/v1/customer/sessions/:id', {
  realm: 'customer',
  summary: 'Ends one of your sessions',
  params: Type.Object({ id: Id }),
  response: { 200: Ok },
  problems: ['not-found'],
})

export const getCustomer = endpoint('GET /api/v1/customer/me', {
  realm: 'customer',
  summary: "The customer's profile",
  response: {
    200: Type.Object({
      id: Type.String(),
      email: Type.String(),
      kycStatus: KycStatus,
      /** Absent: each device uses its own. */
      timeZone: Type.Optional(TimeZone),
      createdAt: Time,
    }),
  },
})

export const CustomerAnchor = Type.Object({
  id: Type.String(),
  homeDomain: Type.String(),
  organizationName: Type.String(),
  /** When the customer first came to it. */
  since: Time,
})
export type CustomerAnchor = Static<typeof CustomerAnchor>

/** Where the customer signed in, or logged in with a proven wallet: these anchors may ask for the result of the check. */
export const listCustomerAnchors = endpoint('GET /api/v1/customer/anchors', {
  realm: 'customer',
  summary: 'Anchors that may see the result of your identity check, newest first',
  query: Type.Object(Page),
  response: { 200: Type.Array(CustomerAnchor) },
})

const transaction = DeveloperTransaction.properties

export const CustomerTransaction = Type.Object({
  id: Type.String(),
  anchor: Type.Object({ id: Type.String(), homeDomain: Type.String(), organizationName: Type.String() }),
  kind: transaction.kind,
  status: transaction.status,
  assetCode: Type.String(),
  amount: transaction.amount,
  fee: transaction.fee,
  rail: transaction.rail,
  currency: transaction.currency,
  railAmount: transaction.railAmount,
  account: transaction.account,
  ledgerTransaction: transaction.ledgerTransaction,
  /** What the customer should know or do; null: nothing. */
  message: transaction.message,
  createdAt: Time,
  updatedAt: Time,
})
export type CustomerTransaction = Static<typeof CustomerTransaction>

/** Lists transactions of accounts that are proven to be the customer's. An anchor that does not answer in time is named and left out. */
export const listCustomerTransactions = endpoint('GET /api/v1/customer/transactions', {
  realm: 'customer',
  summary: 'Your deposits and withdrawals at the anchors you use, newest first',
  query: Type.Object({
    anchorId: Type.Optional(Id),
    kind: Type.Optional(Type.Enum([...transactionKinds])),
    status: Type.Optional(Type.String({ maxLength: 40 })),
    ...Page,
  }),
  response: {
    200: Type.Object({
      transactions: Type.Array(CustomerTransaction),
      /** Their transactions are missing here: they did not answer. */
      unavailable: Type.Array(CustomerTransaction.properties.anchor),
      /** The cursor of the next page; null on the last one. */
      next: Nullable(Type.String()),
    }),
  },
  problems: ['too-many-requests'],
})

/** The anchor reads nothing of the customer until they sign in there again with a code. */
export const withdrawAnchorAccess = endpoint('DELETE /api/v1/customer/anchors/:id', {
  realm: 'customer',
  summary: "Withdraws an anchor's access to the result of your identity check",
  params: Type.Object({ id: Id }),
  response: { 200: Ok },
  problems: ['anchor-not-found'],
})

/** `code`: an emailed one that was requested for the purpose `deletion`. Anchors keep their own records, as the law asks of them. */
export const deleteCustomerAccount = endpoint('POST /api/v1/customer/deletion', {
  realm: 'customer',
  summary: 'Deletes your account: email address, identity status, wallets, accesses of anchors and sessions',
  body: Type.Object({ code: LoginCode }),
  response: { 200: Ok },
  cookies: ['ns_customer'],
  problems: ['confirmation-refused', 'too-many-requests'],
})

export const Wallet = Type.Object({
  id: Type.String(),
  address: Type.String(),
  label: Type.String(),
  network: Type.String(),
  /** Whether the customer has proven that they hold its key. */
  verified: Type.Boolean(),
  createdAt: Time,
})
export type Wallet = Static<typeof Wallet>

export const listWallets = endpoint('GET /api/v1/customer/wallets', {
  realm: 'customer',
  summary: 'Linked ledger addresses, newest first',
  query: Type.Object(Page),
  response: { 200: Type.Array(Wallet) },
})

/** The address must be a valid StrKey; label and network are free text. */
export const linkWallet = endpoint('POST /api/v1/customer/wallets', {
  realm: 'customer',
  summary: 'Links a ledger address',
  body: Type.Object({
    address: Type.String({ minLength: 1, maxLength: 200 }),
    label: Type.Optional(Type.String({ maxLength: 64 })),
    network: Type.Optional(Type.String({ maxLength: 64 })),
  }),
  response: { 201: Wallet },
  problems: ['wallet-taken', 'wallet-already-linked', 'too-many-requests'],
  idempotent: 'replay',
})

const WalletParams = Type.Object({ id: Id })

export const unlinkWallet = endpoint('DELETE /api/v1/customer/wallets/:id', {
  realm: 'customer',
  summary: 'Unlinks an address',
  params: WalletParams,
  response: { 204: NoContent },
  problems: ['wallet-not-found'],
})

/** A transaction in SEP-10's form (sequence 0, never submitted) for the wallet to sign. */
export const challengeWallet = endpoint('POST /api/v1/customer/wallets/:id/challenge', {
  realm: 'customer',
  summary: 'Asks for proof that the customer holds the key',
  params: WalletParams,
  response: {
    200: Type.Object({
      transaction: Type.String(),
      networkPassphrase: Type.String(),
      expiresAt: Time,
      /** Opens a wallet that signs (SEP-7) and sends the proof itself. */
      link: Type.String(),
      /** The link as a code for a wallet on another device: dark squares of a grid, as a path. */
      qr: Type.Object({ size: Type.Integer(), path: Type.String() }),
    }),
  },
  problems: ['wallet-not-found'],
})

/** The callback of a wallet that signed by SEP-7. The challenge says whose wallet it proves. */
export const proveWalletByCallback = endpoint('POST /api/v1/wallet-proofs', {
  realm: 'public',
  limit: 'client',
  summary: 'Submits a challenge that a wallet signed by SEP-7',
  form: true,
  body: Type.Object({ xdr: Type.String({ minLength: 1, maxLength: 20_000 }) }),
  response: { 200: Ok },
  problems: ['wallet-taken', 'proof-not-accepted', 'too-many-requests', 'dependency-unavailable'],
})

export const proveWallet = endpoint('POST /api/v1/customer/wallets/:id/proof', {
  realm: 'customer',
  summary: 'Submits the signed challenge',
  params: WalletParams,
  body: Type.Object({ transaction: Type.String({ minLength: 1, maxLength: 20_000 }) }),
  response: { 200: Wallet },
  problems: ['wallet-not-found', 'wallet-taken', 'proof-not-accepted', 'too-many-requests'],
})

/**
 * Links and proves a wallet by the challenge that it signed when it logged in at an active anchor (SEP-10), at most an
 * hour after that challenge ended. Each login proves one wallet once; shared accounts (memo, muxed) prove nothing.
 */
export const proveWalletByLogin = endpoint('POST /api/v1/customer/wallets/login-proof', {
  realm: 'customer',
  summary: 'Proves a wallet by its login at an anchor',
  body: Type.Object({ transaction: Type.String({ minLength: 1, maxLength: 20_000 }) }),
  response: { 200: Wallet },
  problems: ['wallet-taken', 'proof-not-accepted', 'too-many-requests'],
})

/** An account with which someone signed in at an anchor by the customer's email code. */
export const AnchorAccount = Type.Object({
  id: Type.String(),
  /** `G…`, `M…` or `C…` */
  account: Type.String(),
  /** Tells the people of a shared account apart. */
  memo: Nullable(Type.String()),
  anchor: Type.Object({ id: Type.String(), homeDomain: Type.String(), organizationName: Type.String() }),
  /** `waiting`: counts for nothing until the customer confirms it; `confirmed`: a shared account, which counts at this anchor. */
  status: Type.Enum(['waiting', 'confirmed']),
  createdAt: Time,
})
export type AnchorAccount = Static<typeof AnchorAccount>

/** Those that wait for you, and those that you share with others. A wallet of your own is in the list of wallets once you confirm it. */
export const listAnchorAccounts = endpoint('GET /api/v1/customer/anchor-accounts', {
  realm: 'customer',
  summary: 'Accounts that signed in at anchors with your email address, newest first',
  response: { 200: Type.Array(AnchorAccount) },
})

const AnchorAccountParams = Type.Object({ id: Id })

/** Anchors then treat anyone who uses the account as you. */
export const confirmAnchorAccount = endpoint('POST /api/v1/customer/anchor-accounts/:id/confirm', {
  realm: 'customer',
  summary: 'Confirms that an account that signed in at an anchor is yours',
  params: AnchorAccountParams,
  response: { 200: Ok },
  problems: ['wallet-not-found', 'wallet-taken', 'too-many-requests'],
})

export const removeAnchorAccount = endpoint('DELETE /api/v1/customer/anchor-accounts/:id', {
  realm: 'customer',
  summary: 'Refuses an account that waits, or removes one that was confirmed',
  params: AnchorAccountParams,
  response: { 204: NoContent },
  problems: ['wallet-not-found', 'too-many-requests'],
})

const Removal = {
  realm: 'public',
  limit: 'client',
  /** The token of the link in the email, which has it behind the `#`. */
  body: Type.Object({ token: Type.String({ minLength: 20, maxLength: 100 }) }),
  response: { 200: Type.Object({ account: Type.String(), memo: Nullable(Type.String()) }) },
  problems: ['removal-link-gone', 'too-many-requests'],
} as const

/** Changes nothing: programs that open every link of an email remove nothing. */
export const lookUpWalletRemoval = endpoint('POST /api/v1/customer/wallet-removals/lookup', {
  ...Removal,
  summary: 'Which wallet the link in an email removes',
})

/** Works once, without a session. */
export const removeWalletByLink = endpoint('POST /api/v1/customer/wallet-removals', {
  ...Removal,
  summary: 'Removes the wallet that the link in an email names',
})
