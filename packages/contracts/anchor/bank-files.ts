import Type, { type Static } from 'typebox'
import { Amount, Count, Id, Nullable, Page, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { signed } from '../relayed.ts'
import { ownAccounts } from './journal.ts'

const Column = Text(100)

export const statementFormats = ['camt.053', 'camt.054', 'mt940', 'csv', 'ofx', 'nacha'] as const
export type StatementFormat = (typeof statementFormats)[number]

const StateWords = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 50 })

/** Which bookings are money. A row with a word that is in none of the lists is refused. */
export const CsvStates = Type.Object({
  column: Column,
  /** Its words, whatever their capitals and accents; `""`: an empty cell. */
  booked: StateWords,
  /** Not yet: a later file has it as booked. These rows are left out, as those that failed are. */
  pending: StateWords,
  failed: StateWords,
})

/** How a bank's CSV is read. Columns are named as in the head of the file. */
export const CsvColumns = Type.Object({
  delimiter: Type.Enum([',', ';', '\t', '|']),
  /** Lines before the head. */
  skipLines: Type.Integer({ minimum: 0, maximum: 50 }),
  encoding: Type.Enum(['utf-8', 'iso-8859-1']),
  /** An amount that has it elsewhere than before its decimals, or groups that are not of three digits, is refused. */
  decimal: Type.Enum(['.', ',']),
  date: Column,
  /** Any of `-`, `/` and `.` separates; months may be names (`21-Nov-2026`), years may have two digits. */
  dateFormat: Type.Enum(['year-month-day', 'day-month-year', 'month-day-year']),
  /** One column: signed, or with `direction`. Otherwise `amountIn` and `amountOut`. */
  amount: Type.Optional(Column),
  /** Such as `CR` and `DR`, `Credit` and `Debit`, `H` and `S`. An amount whose sign says something else is refused. */
  direction: Type.Optional(Column),
  amountIn: Type.Optional(Column),
  amountOut: Type.Optional(Column),
  /** Whether the bank writes money out with a minus in `amountOut`. By default a file may do either, but not both. */
  amountOutSign: Type.Optional(Type.Enum(['+', '-'])),
  /** Columns with texts, in which references are looked for. */
  text: Type.Array(Column, { minItems: 1, maxItems: 10 }),
  /** The bank's own id of the booking. */
  bankReference: Type.Optional(Column),
  partyName: Type.Optional(Column),
  partyAccount: Type.Optional(Column),
  partyBank: Type.Optional(Column),
  currency: Type.Optional(Column),
  account: Type.Optional(Column),
  /** The account's balance after the booking: rows that do not lead from one to the next are refused. */
  balance: Type.Optional(Column),
  state: Type.Optional(CsvStates),
})
export type CsvColumns = Static<typeof CsvColumns>

/** The columns that count, and those that were saved, newest first, at most 20. */
export const CsvColumnsHistory = Type.Object({
  columns: Nullable(CsvColumns),
  history: Type.Array(
    Type.Object({
      columns: CsvColumns,
      /** `operator:<id>` */
      by: Type.String(),
      at: Time,
    }),
    { maxItems: 20 },
  ),
})

/** What a CSV file seems to be, for a person to confirm. What it does not show is left out. */
export const CsvProposal = Type.Object({
  /** The names of its columns. */
  heads: Type.Array(Type.String()),
  columns: Type.Partial(CsvColumns),
  /** The column that seems to say whether a booking counts, and what its words usually mean; null: not known. */
  states: Nullable(
    Type.Object({
      column: Type.String(),
      words: Type.Array(
        Type.Object({ word: Type.String(), usual: Nullable(Type.Enum(['booked', 'pending', 'failed'])) }),
      ),
    }),
  ),
})
export type CsvProposal = Static<typeof CsvProposal>

/** Shows how an upload would read a CSV file. Nothing is recorded. */
export const CsvPreview = Type.Object({
  proposal: CsvProposal,
  /** Null: there are no columns to read it by. */
  reading: Nullable(
    Type.Object({
      lines: Count,
      /** Rows that are left out, since they are pending or failed. */
      notBooked: Count,
      currency: Type.String(),
      /** At most 10. */
      first: Type.Array(
        Type.Object({
          bookedOn: Type.String(),
          direction: Type.Enum(['in', 'out']),
          amount: Amount,
          text: Type.String(),
          party: Nullable(Type.String()),
        }),
      ),
      sums: Type.Object({ in: Amount, out: Amount }),
      /** Why an upload would be refused; null: it would not be. */
      refused: Nullable(Type.String()),
    }),
  ),
})
export type CsvPreview = Static<typeof CsvPreview>

export const BankStatement = Type.Object({
  id: Type.String(),
  rail: Type.String(),
  account: Type.String(),
  currency: Type.String(),
  format: Type.Enum(statementFormats),
  fileName: Type.String(),
  /** Lines of the file, and those that no earlier file had. */
  lines: Count,
  newLines: Count,
  /** Those of the new lines that may be a line of an earlier file, and wait for a decision. */
  possibleDuplicates: Type.Optional(Count),
  /** Rows that were left out, since they are pending or failed. */
  notBooked: Type.Optional(Count),
  /**
   * What of the file does not count, at most 50. `other-account`: a statement of another account. `unreadable`: a booking
   * that, as the balances show, moved nothing. `no-day`: a row behind the bookings, such as their sum. `notice-of-change`: what a bank says that was
   * wrong in a payout which it made all the same; what is right is in the file.
   */
  leftOut: Type.Optional(
    Type.Array(
      Type.Object({
        reason: Type.Enum(['other-account', 'unreadable', 'no-day', 'notice-of-change']),
        detail: Type.String(),
      }),
      { maxItems: 50 },
    ),
  ),
  /** SHA-256 of the file, in hex. */
  sha256: Type.Optional(Type.String()),
  /** Whether the file as it came was kept: earlier releases did not keep it. */
  hasFile: Type.Optional(Type.Boolean()),
  /** When retention removed the file; null: it did not. */
  fileRemovedAt: Type.Optional(Nullable(Time)),
  /** The days of its first and last line; null: it has none. */
  bookedFrom: Nullable(Type.String()),
  bookedTo: Nullable(Type.String()),
  /** `operator:<id>`, `key:<id>` or `folder` */
  by: Type.String(),
  createdAt: Time,
})
export type BankStatement = Static<typeof BankStatement>

export const statementLineStates = ['new', 'matched', 'review', 'returned', 'ignored'] as const

export const lineActionKinds = ['match', 'return', 'own', 'duplicate', 'reverse'] as const

/** A decision about a line that a second person approves or rejects. */
export const PendingLineDecision = Type.Object({
  /** `reverse`: the decision that counts is taken back. */
  kind: Type.Enum(lineActionKinds),
  transactionId: Nullable(Type.String()),
  duplicateOf: Nullable(Type.String()),
  /** Belongs to `own`. */
  account: Type.Optional(Nullable(Type.Enum(ownAccounts))),
  reason: Type.String(),
  /** `operator:<id>` */
  requestedBy: Type.String(),
  requestedAt: Time,
})

/** A line of a statement. `new`: not looked at yet. `review`: an operator has to decide. */
export const StatementLine = Type.Object({
  id: Type.String(),
  statementId: Type.String(),
  rail: Type.String(),
  bookedOn: Type.String(),
  direction: Type.Enum(['in', 'out']),
  amount: Amount,
  currency: Type.String(),
  bankReference: Nullable(Type.String()),
  text: Type.String(),
  /** Who paid, or was paid. */
  party: Type.Object({
    name: Nullable(Type.String()),
    account: Nullable(Type.String()),
    bank: Nullable(Type.String()),
  }),
  status: Type.Enum(statementLineStates),
  reason: Nullable(Type.String()),
  /** `refused`: what follows from it is not possible. `failed`: the server failed to match it. Null: neither. */
  reasonCode: Type.Optional(Nullable(Type.Enum(['refused', 'failed']))),
  /** A line of an earlier file that may be the same booking; null: there is none. */
  possibleDuplicateOf: Type.Optional(
    Nullable(
      Type.Object({
        id: Type.String(),
        statementId: Type.String(),
        fileName: Type.String(),
        bookedOn: Type.String(),
        bankReference: Nullable(Type.String()),
        status: Type.Enum(statementLineStates),
      }),
    ),
  ),
  transactionId: Nullable(Type.String()),
  payoutId: Nullable(Type.String()),
  decidedBy: Nullable(Type.String()),
  decidedAt: Nullable(Time),
  /** The line that an ignored one repeats. */
  duplicateOf: Type.Optional(Nullable(Type.String())),
  /** The account of the journal that has the business's own money; null: none was named. */
  account: Type.Optional(Nullable(Type.Enum(ownAccounts))),
  /** What waits for a second person. */
  pending: Type.Optional(Nullable(PendingLineDecision)),
  /** Whether a person decided, which people can reverse in the console. */
  canReverse: Type.Optional(Type.Boolean()),
  /** When retention removed what it said of people; null: it did not. */
  removedAt: Type.Optional(Nullable(Time)),
  createdAt: Time,
})
export type StatementLine = Static<typeof StatementLine>

/** A deposit that a line under review may be for. */
export const LineCandidate = Type.Object({
  transactionId: Type.String(),
  reference: Type.String(),
  rail: Type.String(),
  /** In the rail's currency; null: any amount. */
  amount: Nullable(Amount),
  status: Type.String(),
  createdAt: Time,
  /** Whether the customer has the payer's name; null: one of the two is not known. */
  samePayer: Nullable(Type.Boolean()),
})

/**
 * What becomes of a line under review. `match`: it is the payment of this deposit or withdrawal. `return`: the money is
 * sent back. `ignore`: no transaction has to do with it: it is the business's `own` money, or a `duplicate` of another line.
 *
 * A match needs a second person where nothing ties line and transaction (a reference, a file, an account, the payer's
 * name). Everything else needs one above an amount of the settings, which is 0 for API keys by default; a match that is
 * tied, and that nothing speaks against, needs none.
 */
export const LineDecision = Type.Object({
  decision: Type.Enum(['match', 'return', 'ignore']),
  /** Required by `match`, except for a debit that names a payout or return of its amount. */
  transactionId: Type.Optional(Id),
  /** Required by `ignore`. */
  as: Type.Optional(Type.Enum(['own', 'duplicate'])),
  /** Required by `duplicate`: the line that this one repeats, and that counts. */
  duplicateOf: Type.Optional(Id),
  /**
   * What `own` is, as an account of the journal. Without one it is in `kept`, which stays open until a decision
   * names an account.
   */
  account: Type.Optional(Type.Enum(ownAccounts)),
  reason: Text(500),
})
export type LineDecision = Static<typeof LineDecision>

export const MAX_STATEMENT_BYTES = 24_000_000
const Rail = Type.Object({ rail: Type.String({ maxLength: 40 }) })
const FileName = Text(200)
/** The file itself, as the bank made it. */
const file = {
  raw: true,
  accepts: ['application/octet-stream'],
  body: Type.Object({}, { additionalProperties: true }),
  bodyLimit: MAX_STATEMENT_BYTES,
} as const
export const UploadQuery = {
  fileName: FileName,
  /** By default found from the content; without a known one the file is read as CSV. */
  format: Type.Optional(Type.Enum(statementFormats)),
  /** That a statement which names no account is of the rail's. A CSV is not asked. */
  accountConfirmed: Type.Optional(Type.Boolean()),
}
export const uploadProblems = [
  'not-found',
  'statement-refused',
  'statement-without-account',
  'statement-already-read',
] as const
export const decisionProblems = [
  'statement-line-not-found',
  'statement-line-decided',
  'transaction-not-found',
  'second-person-needed',
  'action-not-possible',
] as const
export const reversalProblems = [
  'statement-line-not-found',
  'statement-line-decided',
  'action-not-possible',
] as const
export const approvalProblems = [...decisionProblems, 'action-not-found'] as const
const LinesQuery = Type.Object({
  status: Type.Optional(Type.Enum(statementLineStates)),
  statementId: Type.Optional(Id),
  /** `person`: only those about which a person or an API key decided. */
  decided: Type.Optional(Type.Enum(['person'])),
  ...Page,
})

/**
 * Each booking counts once, whichever files have it. A line that may be one of an earlier file waits for a decision, as a
 * possible duplicate. A file that is refused changes nothing.
 */
export const uploadStatement = endpoint('POST /api/v1/rails/:rail/statements', {
  realm: 'developer',
  scopes: ['statements'],
  summary:
    "Reads a statement of a rail's bank account: camt.053, camt.054, MT940, OFX or CSV, also in a ZIP archive",
  params: Rail,
  query: Type.Object(UploadQuery),
  ...file,
  response: { 201: BankStatement },
  problems: [...uploadProblems, 'forbidden'],
})

export const listStatements = endpoint('GET /api/v1/statements', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Statements that were read, newest first',
  query: Type.Object(Page),
  response: { 200: Type.Array(BankStatement) },
})

export const listStatementLines = endpoint('GET /api/v1/statement-lines', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Lines of statements, newest first; `status=review` lists those that wait for a decision',
  query: LinesQuery,
  response: { 200: Type.Array(StatementLine) },
})

export const listLineCandidates = endpoint('GET /api/v1/statement-lines/:id/candidates', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Open deposits that a line may be for, the likeliest first',
  params: Type.Object({ id: Id }),
  response: { 200: Type.Array(LineCandidate) },
  problems: ['statement-line-not-found'],
})

export const listLineTwins = endpoint('GET /api/v1/statement-lines/:id/twins', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Lines that a line may repeat: of the same amount or bank reference, the nearest day first',
  params: Type.Object({ id: Id }),
  response: { 200: Type.Array(StatementLine, { maxItems: 20 }) },
  problems: ['statement-line-not-found'],
})

/** What needs two people is refused: an API key is none. People decide in the console. */
export const decideStatementLine = endpoint('POST /api/v1/statement-lines/:id/decide', {
  realm: 'developer',
  scopes: ['statement-lines'],
  summary: 'Decides what becomes of a line under review',
  params: Type.Object({ id: Id }),
  body: LineDecision,
  response: { 200: StatementLine },
  problems: [...decisionProblems, 'forbidden'],
})

export const getCsvColumns = endpoint('GET /api/v1/rails/:rail/csv-columns', {
  realm: 'developer',
  scopes: ['read'],
  summary: "How the bank's CSV statements are read",
  params: Rail,
  response: { 200: CsvColumnsHistory },
  problems: ['not-found'],
})

const BASE64 = Math.ceil(MAX_STATEMENT_BYTES / 3) * 4
export const PreviewBody = Type.Object({
  /** The file, in base64. */
  data: Type.String({ minLength: 1, maxLength: BASE64, pattern: '^[A-Za-z0-9+/]+={0,2}$' }),
  /** By default those that were saved. */
  columns: Type.Optional(CsvColumns),
})
export const PREVIEW_BODY_BYTES = BASE64 + 64 * 1024
export const previewProblems = ['not-found', 'statement-refused'] as const

/** Changes nothing, so a key that may only read or upload statements can ask it. */
export const previewCsvStatement = endpoint('POST /api/v1/rails/:rail/csv-columns/preview', {
  realm: 'developer',
  scopes: ['read', 'statements'],
  summary: 'Shows how a CSV statement would be read, and proposes its columns',
  params: Rail,
  body: PreviewBody,
  bodyLimit: PREVIEW_BODY_BYTES,
  response: { 200: CsvPreview },
  problems: previewProblems,
})

export const setCsvColumns = endpoint('PUT /api/v1/rails/:rail/csv-columns', {
  realm: 'developer',
  scopes: ['csv-columns'],
  summary: "Saves how the bank's CSV statements are read",
  params: Rail,
  body: CsvColumns,
  response: { 200: CsvColumnsHistory },
  problems: ['not-found', 'forbidden'],
})

/*
 * The same for the platform, which knows the operator and their role, and proves itself in `x-windlass-platform`.
 */

export const uploadStatementAs = endpoint('POST /admin/rails/:rail/statements', {
  realm: 'anchor-admin',
  summary: 'Reads a statement that an operator uploads',
  params: Rail,
  query: signed(Type.Object(UploadQuery)),
  ...file,
  response: { 201: BankStatement },
  problems: uploadProblems,
  idempotent: 'replay',
})

/** The answer's `pending` has a decision that waits for a second person. */
export const decideStatementLineAs = endpoint('POST /admin/statement-lines/:id/decide', {
  realm: 'anchor-admin',
  summary: "Takes an operator's decision about a line under review",
  params: Type.Object({ id: Id }),
  body: signed(LineDecision),
  response: { 200: StatementLine },
  problems: decisionProblems,
  idempotent: 'secret',
})

export const LineApproval = Type.Object({ approve: Type.Boolean() })
export const LineReversal = Type.Object({ reason: Text(500) })

export const approveStatementLineAs = endpoint('POST /admin/statement-lines/:id/approval', {
  realm: 'anchor-admin',
  summary: 'Approves or rejects what someone else decided about a line',
  params: Type.Object({ id: Id }),
  body: signed(LineApproval),
  response: { 200: StatementLine },
  problems: approvalProblems,
  idempotent: 'secret',
})

/** By entries of the journal with the opposite amounts. What was paid on the ledger for it, or left the bank, stays. */
export const reverseStatementLineAs = endpoint('POST /admin/statement-lines/:id/reversal', {
  realm: 'anchor-admin',
  summary: 'Reverses a decision about a line, which waits for another one then',
  params: Type.Object({ id: Id }),
  body: signed(LineReversal),
  response: { 200: StatementLine },
  problems: reversalProblems,
  idempotent: 'secret',
})

export const setCsvColumnsAs = endpoint('PUT /admin/rails/:rail/csv-columns', {
  realm: 'anchor-admin',
  summary: "Saves how the bank's CSV statements are read",
  params: Rail,
  body: signed(Type.Object({ columns: CsvColumns })),
  response: { 200: CsvColumnsHistory },
  problems: ['not-found'],
  idempotent: 'replay',
})
