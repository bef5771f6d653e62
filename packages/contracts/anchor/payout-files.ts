import Type, { type Static } from 'typebox'
import { Amount, Count, Id, Nullable, OneLine, Page, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { signed } from '../relayed.ts'

const Rail = Type.Object({ rail: Type.String({ maxLength: 40 }) })

/** Who is paid, and where. */
export const Payee = Type.Object({
  name: Type.String(),
  /** IBAN or account number. */
  account: Type.String(),
  /** BIC, IFSC or routing number. */
  bank: Nullable(Type.String()),
})

/** An account that someone wants a return to be paid to, other than the account on its line: a second person approves it. */
export const AccountWish = Type.Object({
  id: Type.String(),
  payee: Payee,
  /** `operator:<id>` */
  requestedBy: Type.String(),
  requestedAt: Time,
})

/** A payment of ours that waits for a file. */
export const BankPayout = Type.Object({
  id: Type.String(),
  /** What the bank shows with it. */
  code: Type.String(),
  kind: Type.Enum(['payout', 'return']),
  rail: Type.String(),
  amount: Amount,
  currency: Type.String(),
  transactionId: Nullable(Type.String()),
  /** The statement line whose money goes back in a return. */
  lineId: Nullable(Type.String()),
  /** False: it is left out of files until the account is known. */
  hasAccount: Type.Boolean(),
  /**
   * Why it is left out. `account`: the account is not known or not complete. `latin-name`: its holder's name cannot be
   * written in Latin letters, and banks take no others.
   */
  missing: Type.Optional(Nullable(Type.Enum(['account', 'latin-name']))),
  /** False: the server did not order it so, and it goes into no file. */
  isOrdered: Type.Optional(Type.Boolean()),
  /** Null: no other account waits for approval. */
  accountWish: Type.Optional(Nullable(AccountWish)),
  createdAt: Time,
})
export type BankPayout = Static<typeof BankPayout>

/** That the bank rejected a whole file. A second person approves it; then its payouts wait for another file. */
export const PayoutFileRejection = Type.Object({
  status: Type.Enum(['waiting', 'done', 'dismissed']),
  reason: Type.String(),
  /** `operator:<id>` */
  requestedBy: Type.String(),
  requestedAt: Time,
  decidedBy: Nullable(Type.String()),
  decidedAt: Nullable(Time),
})

export const PayoutFile = Type.Object({
  id: Type.String(),
  rail: Type.String(),
  /** What the bank shows where it books the file as one amount. */
  code: Type.String(),
  format: Type.Enum(['pain.001', 'nacha', 'csv']),
  fileName: Type.String(),
  /** The SHA-256 of the file's bytes, in hexadecimal. */
  sha256: Type.String(),
  payouts: Count,
  /** How many of them a statement has confirmed or refused. */
  ended: Count,
  total: Amount,
  currency: Type.String(),
  status: Type.Enum(['created', 'approved', 'canceled', 'rejected']),
  /** `operator:<id>` */
  createdBy: Type.String(),
  approvedBy: Nullable(Type.String()),
  approvedAt: Nullable(Time),
  downloadedAt: Nullable(Time),
  /** The newest one. */
  rejection: Nullable(PayoutFileRejection),
  createdAt: Time,
  /** When retention removed what it said of people; null: it did not. */
  removedAt: Type.Optional(Nullable(Time)),
})
export type PayoutFile = Static<typeof PayoutFile>

/**
 * What is to be looked at in a payment. `new-payee`: none of the hundred last approved files of the rail paid them.
 * `changed-account`: such a file paid them to another account. `other-account`: a return that goes to another account than
 * its money came from. `added-holder`: an operator added who holds the account. `other-holder`: money came from this account
 * before, and the bank named another holder.
 */
const payoutMarks = ['new-payee', 'changed-account', 'other-account', 'added-holder', 'other-holder'] as const
export type PayoutMark = (typeof payoutMarks)[number]

/** A payment of a file, and why it is made: a withdrawal, or a line whose money goes back. */
export const SheetPayment = Type.Object({
  payoutId: Type.String(),
  code: Type.String(),
  kind: Type.Enum(['payout', 'return']),
  amount: Amount,
  payee: Payee,
  transactionId: Nullable(Type.String()),
  /** Who paid what is returned, from which account, and when. */
  line: Nullable(
    Type.Object({
      id: Type.String(),
      bookedOn: Type.String(),
      name: Nullable(Type.String()),
      account: Nullable(Type.String()),
    }),
  ),
  marks: Type.Array(Type.Enum(payoutMarks)),
  /** Who holds the account by the bank's statements, where that is another name; null: nobody else is known. */
  seenHolder: Type.Optional(Nullable(Type.String())),
})
export type SheetPayment = Static<typeof SheetPayment>

/** What people see of a file before they approve it. The approval names the hash of exactly this. */
export const PayoutSheet = Type.Object({
  fileId: Type.String(),
  rail: Type.String(),
  code: Type.String(),
  sha256: Type.String(),
  total: Amount,
  currency: Type.String(),
  /** SHA-256, in hexadecimal. */
  sheet: Type.String(),
  payments: Type.Array(SheetPayment),
})
export type PayoutSheet = Static<typeof PayoutSheet>

/** The sheet that was seen. */
export const FileApproval = Type.Object({ sheet: Type.String({ pattern: '^[0-9a-f]{64}$' }) })

export const PayoutAccount = Type.Object({
  /** IBAN or account number. Required for a return. The account of a payout was agreed with the customer and does not change. */
  dest: Type.Optional(Text(100)),
  /** BIC, IFSC or routing number. */
  dest_extra: Type.Optional(Text(40)),
  dest_name: OneLine(100),
})
/** What the bank said. */
export const NewRejection = Type.Object({ reason: Text(500) })
export const RejectionDecision = Type.Object({ approve: Type.Boolean() })

export const createFileProblems = [
  'not-found',
  'rail-account-wrong',
  'no-payouts-waiting',
  'statements-missing',
  'payout-file-invalid',
] as const
export const fileProblems = ['payout-file-not-found', 'payout-file-decided'] as const

export const listWaitingPayouts = endpoint('GET /api/v1/payouts', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Payouts and returns that wait for a file for the bank, newest first',
  query: Type.Object(Page),
  response: { 200: Type.Array(BankPayout) },
})

export const listPayoutFiles = endpoint('GET /api/v1/payout-files', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Files for the bank, newest first. People make and approve them in the console',
  query: Type.Object(Page),
  response: { 200: Type.Array(PayoutFile) },
})

export const createPayoutFileAs = endpoint('POST /admin/rails/:rail/payout-files', {
  realm: 'anchor-admin',
  summary: 'Puts the payouts that wait into a file',
  params: Rail,
  body: signed(Type.Object({})),
  response: { 201: PayoutFile },
  problems: createFileProblems,
  idempotent: 'replay',
})

/** By POST, since it has the accounts of customers. */
export const getPayoutSheetAs = endpoint('POST /admin/payout-files/:id/sheet', {
  realm: 'anchor-admin',
  summary: 'The payments of a file: whom it pays, where, how much and why',
  params: Type.Object({ id: Id }),
  response: { 200: PayoutSheet },
  problems: ['payout-file-not-found', 'payout-file-changed'],
})

export const approvePayoutFileAs = endpoint('POST /admin/payout-files/:id/approve', {
  realm: 'anchor-admin',
  summary: 'Approves a file that another operator made',
  params: Type.Object({ id: Id }),
  body: signed(FileApproval),
  response: { 200: PayoutFile },
  problems: [...fileProblems, 'payout-file-changed', 'second-person-needed', 'statements-missing'],
  idempotent: 'replay',
})

export const cancelPayoutFileAs = endpoint('POST /admin/payout-files/:id/cancel', {
  realm: 'anchor-admin',
  summary: 'Cancels a file that is not approved; its payouts wait for another one',
  params: Type.Object({ id: Id }),
  response: { 200: PayoutFile },
  problems: fileProblems,
  idempotent: 'replay',
})

export const rejectPayoutFileAs = endpoint('POST /admin/payout-files/:id/rejection', {
  realm: 'anchor-admin',
  summary: 'Says that the bank rejected a whole file, which a second person approves',
  params: Type.Object({ id: Id }),
  body: signed(NewRejection),
  response: { 200: PayoutFile },
  problems: fileProblems,
  idempotent: 'replay',
})

/** What no statement confirmed waits for another file then. */
export const decideFileRejectionAs = endpoint('POST /admin/payout-files/:id/rejection/decision', {
  realm: 'anchor-admin',
  summary: 'Approves or dismisses that the bank rejected a file',
  params: Type.Object({ id: Id }),
  body: signed(RejectionDecision),
  response: { 200: PayoutFile },
  problems: [...fileProblems, 'second-person-needed'],
  idempotent: 'replay',
})

/** By POST, since it has the accounts of customers: reading takes the proof of the platform too. */
export const downloadPayoutFileAs = endpoint('POST /admin/payout-files/:id/download', {
  realm: 'anchor-admin',
  summary: 'An approved file, for the bank',
  params: Type.Object({ id: Id }),
  response: { 200: Type.Unknown() },
  problems: [...fileProblems, 'payout-file-changed', 'statements-missing'],
  file: 'application/octet-stream',
})

export const setPayoutAccountAs = endpoint('PUT /admin/payouts/:id/account', {
  realm: 'anchor-admin',
  summary: 'Sets the account to which a return goes, or the holder of the account of a payout',
  params: Type.Object({ id: Id }),
  body: signed(PayoutAccount),
  response: { 200: BankPayout },
  problems: ['payout-not-found'],
  idempotent: 'secret',
})

export const AccountDecision = Type.Object({ approve: Type.Boolean() })

export const decideReturnAccountAs = endpoint('POST /admin/return-accounts/:id/decision', {
  realm: 'anchor-admin',
  summary: 'Approves or dismisses an account that a return is to go to',
  params: Type.Object({ id: Id }),
  body: signed(AccountDecision),
  response: { 200: BankPayout },
  problems: ['payout-not-found', 'second-person-needed'],
  idempotent: 'secret',
})
