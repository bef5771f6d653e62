import Type, { type Static } from 'typebox'
import { Amount, AmountInput, Id, Nullable, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { signed } from '../relayed.ts'

/* Balances of an anchor's bank accounts, and the files that its banks made. */

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })

/** What an account had before its first statement that was read. */
export const OpeningBalance = Type.Object({
  id: Type.String(),
  amount: Amount,
  /** At the end of which day. */
  day: Type.String(),
  reason: Type.String(),
  status: Type.Enum(['waiting', 'done', 'rejected']),
  /** `operator:<id>` */
  requestedBy: Type.String(),
  requestedAt: Time,
  decidedBy: Nullable(Type.String()),
  decidedAt: Nullable(Time),
})
export type OpeningBalance = Static<typeof OpeningBalance>

export const BankAccount = Type.Object({
  account: Type.String(),
  currency: Type.String(),
  /** The rails that use it. */
  rails: Type.Array(Type.String()),
  /** The newest statement with a closing balance, or the newest of all; null: none was read. */
  lastStatement: Nullable(
    Type.Object({
      id: Type.String(),
      fileName: Type.String(),
      bookedTo: Nullable(Type.String()),
      readAt: Time,
    }),
  ),
  /** What the bank says that the account has, and at the end of which day; null: its statements have no balances. */
  bank: Nullable(Type.Object({ balance: Amount, day: Type.String() })),
  /** What the journal has of the account: at the end of that day, by the bank's days of its bookings. */
  journal: Amount,
  /** What the bank has beyond the journal; null: the bank's balance is not known. */
  gap: Nullable(Amount),
  /** Since when reconciliation finds the gap; null: there is none, or it was not compared yet. */
  gapSince: Nullable(Time),
  /** The balance before the first statement, as the bank has it, to be said as the opening balance; null: not known. */
  first: Nullable(Type.Object({ balance: Amount, day: Nullable(Type.String()) })),
  /** That counts; null: the account began with nothing. */
  opening: Nullable(OpeningBalance),
  /** Another one that waits for a second person. */
  pending: Nullable(OpeningBalance),
})
export type BankAccount = Static<typeof BankAccount>

export const listBankAccounts = endpoint('GET /api/v1/bank-accounts', {
  realm: 'developer',
  scopes: ['read'],
  summary: "Each bank account: the last statement, the bank's balance, the journal's and the gap",
  response: { 200: Type.Array(BankAccount) },
})

/** The same bytes, whose SHA-256 the statement has. Each download by a key is in the audit log. */
export const downloadStatementFile = endpoint('GET /api/v1/statements/:id/file', {
  realm: 'developer',
  scopes: ['payers'],
  summary: "A bank's file as it came",
  params: Type.Object({ id: Id }),
  response: { 200: Type.Unknown() },
  problems: ['not-found'],
  file: 'application/octet-stream',
})

/*
 * For the platform, which knows the operator and their role, and proves itself in `x-windlass-platform`.
 */

/** By POST, since it has the names and accounts of payers: each download is recorded in the audit log. */
export const downloadStatementFileAs = endpoint('POST /admin/statements/:id/file', {
  realm: 'anchor-admin',
  summary: "A bank's file as it came",
  params: Type.Object({ id: Id }),
  response: { 200: Type.Unknown() },
  problems: ['not-found'],
  file: 'application/octet-stream',
})

/** It replaces the one that counts. Negative: the account was overdrawn. */
export const NewOpeningBalance = Type.Object({ amount: AmountInput, day: Day, reason: Text(500) })

export const setOpeningBalanceAs = endpoint('POST /admin/rails/:rail/opening-balance', {
  realm: 'anchor-admin',
  summary: 'Says what a bank account had before its first statement, which a second person approves',
  params: Type.Object({ rail: Type.String({ maxLength: 40 }) }),
  body: signed(NewOpeningBalance),
  response: { 200: BankAccount },
  problems: ['not-found', 'action-not-possible'],
  idempotent: 'replay',
})

export const decideOpeningBalanceAs = endpoint('POST /admin/opening-balances/:id/decision', {
  realm: 'anchor-admin',
  summary: 'Approves or rejects an opening balance that another person said',
  params: Type.Object({ id: Id }),
  body: signed(Type.Object({ approve: Type.Boolean() })),
  response: { 200: BankAccount },
  problems: ['action-not-found', 'second-person-needed'],
  idempotent: 'replay',
})
