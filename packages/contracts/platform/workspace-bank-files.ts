import Type from 'typebox'
import * as bank from '../anchor/bank-files.ts'
import { Id } from '../common.ts'
import { endpoint } from '../endpoint.ts'

/*
 * Statements of an anchor's bank accounts and files of its payouts, for its organization in the console. Anyone who may
 * move money here is an owner or admin who has just confirmed that it is them.
 */

const Params = Type.Object({ anchorId: Id })
const One = Type.Object({ anchorId: Id, id: Id })
const OfRail = Type.Object({ anchorId: Id, rail: Type.String({ maxLength: 40 }) })
const problems = ['anchor-not-found', 'dependency-unavailable'] as const
const managers = [...problems, 'forbidden', 'confirmation-needed'] as const
/** Owners and admins of a day or more, since it moves money or says where it goes. */
const settled = [...managers, 'second-person-needed'] as const

export const listWorkspaceStatements = endpoint('GET /api/v1/anchors/:anchorId/statements', {
  realm: 'operator',
  summary: 'Bank statements that were read, newest first',
  params: Params,
  query: bank.listStatements.query,
  response: bank.listStatements.response,
  problems,
})

export const uploadWorkspaceStatement = endpoint('POST /api/v1/anchors/:anchorId/rails/:rail/statements', {
  realm: 'operator',
  summary: "Reads a statement of a rail's bank account",
  params: OfRail,
  query: Type.Object(bank.UploadQuery),
  raw: true,
  accepts: ['application/octet-stream'],
  body: Type.Object({}, { additionalProperties: true }),
  bodyLimit: bank.MAX_STATEMENT_BYTES,
  response: { 201: bank.BankStatement },
  problems: [...settled, ...bank.uploadProblems],
})

export const listWorkspaceStatementLines = endpoint('GET /api/v1/anchors/:anchorId/statement-lines', {
  realm: 'operator',
  summary: 'Lines of bank statements, newest first',
  params: Params,
  query: bank.listStatementLines.query,
  response: bank.listStatementLines.response,
  problems,
})

export const listWorkspaceLineCandidates = endpoint(
  'GET /api/v1/anchors/:anchorId/statement-lines/:id/candidates',
  {
    realm: 'operator',
    summary: 'Open deposits that a line may be for, the likeliest first',
    params: One,
    response: bank.listLineCandidates.response,
    problems: [...problems, 'statement-line-not-found'],
  },
)

export const listWorkspaceLineTwins = endpoint('GET /api/v1/anchors/:anchorId/statement-lines/:id/twins', {
  realm: 'operator',
  summary: 'Lines that a line may repeat, the nearest day first',
  params: One,
  response: bank.listLineTwins.response,
  problems: [...problems, 'statement-line-not-found'],
})

export const decideWorkspaceStatementLine = endpoint(
  'POST /api/v1/anchors/:anchorId/statement-lines/:id/decide',
  {
    realm: 'operator',
    summary: 'Decides what becomes of a line under review',
    params: One,
    body: bank.LineDecision,
    response: { 200: bank.StatementLine },
    problems: [...managers, ...bank.decisionProblems],
  },
)

/** For owners and admins of a day or more. Those who decided can reject it, not approve it. */
export const approveWorkspaceStatementLine = endpoint(
  'POST /api/v1/anchors/:anchorId/statement-lines/:id/approval',
  {
    realm: 'operator',
    summary: 'Approves or rejects what another owner or admin decided about a line',
    params: One,
    body: bank.LineApproval,
    response: { 200: bank.StatementLine },
    problems: [...managers, ...bank.approvalProblems],
  },
)

/** For owners and admins of a day or more. */
export const reverseWorkspaceStatementLine = endpoint(
  'POST /api/v1/anchors/:anchorId/statement-lines/:id/reversal',
  {
    realm: 'operator',
    summary: 'Reverses a decision about a line, which waits for another one then',
    params: One,
    body: bank.LineReversal,
    response: { 200: bank.StatementLine },
    problems: [...settled, ...bank.reversalProblems],
  },
)

export const getWorkspaceCsvColumns = endpoint('GET /api/v1/anchors/:anchorId/rails/:rail/csv-columns', {
  realm: 'operator',
  summary: "How the bank's CSV statements are read",
  params: OfRail,
  response: { 200: bank.CsvColumnsHistory },
  problems: [...problems, 'not-found'],
})

export const previewWorkspaceCsvStatement = endpoint(
  'POST /api/v1/anchors/:anchorId/rails/:rail/csv-columns/preview',
  {
    realm: 'operator',
    summary: 'Shows how a CSV statement would be read, and proposes its columns. Nothing is recorded',
    params: OfRail,
    body: bank.PreviewBody,
    bodyLimit: bank.PREVIEW_BODY_BYTES,
    response: { 200: bank.CsvPreview },
    problems: [...problems, ...bank.previewProblems],
  },
)

export const setWorkspaceCsvColumns = endpoint('PUT /api/v1/anchors/:anchorId/rails/:rail/csv-columns', {
  realm: 'operator',
  summary: "Saves how the bank's CSV statements are read",
  params: OfRail,
  body: bank.CsvColumns,
  response: { 200: bank.CsvColumnsHistory },
  problems: [...settled, 'not-found'],
})

export const listWorkspacePayouts = endpoint('GET /api/v1/anchors/:anchorId/payouts', {
  realm: 'operator',
  summary: 'Payouts and returns that wait for a file for the bank, newest first',
  params: Params,
  query: bank.listWaitingPayouts.query,
  response: bank.listWaitingPayouts.response,
  problems,
})

export const setWorkspacePayoutAccount = endpoint('PUT /api/v1/anchors/:anchorId/payouts/:id/account', {
  realm: 'operator',
  summary: 'Says where a return goes, which a second person approves, or who holds the account of a payout',
  params: One,
  body: bank.PayoutAccount,
  response: { 200: bank.BankPayout },
  problems: [...settled, 'payout-not-found'],
})

/** The person who asked for it can dismiss it, not approve it. */
export const decideWorkspaceReturnAccount = endpoint(
  'POST /api/v1/anchors/:anchorId/return-accounts/:id/decision',
  {
    realm: 'operator',
    summary: 'Approves or dismisses an account that another owner or admin wants a return to go to',
    params: One,
    body: bank.AccountDecision,
    response: { 200: bank.BankPayout },
    problems: [...settled, 'payout-not-found'],
  },
)

export const listWorkspacePayoutFiles = endpoint('GET /api/v1/anchors/:anchorId/payout-files', {
  realm: 'operator',
  summary: 'Files of payouts for the bank, newest first',
  params: Params,
  query: bank.listPayoutFiles.query,
  response: bank.listPayoutFiles.response,
  problems,
})

export const createWorkspacePayoutFile = endpoint('POST /api/v1/anchors/:anchorId/rails/:rail/payout-files', {
  realm: 'operator',
  summary: 'Puts the payouts that wait into a file',
  params: OfRail,
  response: { 201: bank.PayoutFile },
  problems: [...settled, ...bank.createFileProblems],
})

/** By POST, since each look at the accounts of customers is recorded in the audit log. */
export const getWorkspacePayoutSheet = endpoint('POST /api/v1/anchors/:anchorId/payout-files/:id/sheet', {
  realm: 'operator',
  summary: 'The payments of a file: whom it pays, where, how much and why, and what is new in it',
  params: One,
  response: { 200: bank.PayoutSheet },
  problems: [...managers, 'payout-file-not-found', 'payout-file-changed'],
})

/** What is approved is the file whose payments were seen: `sheet` is the hash of {@link getWorkspacePayoutSheet}. */
export const approveWorkspacePayoutFile = endpoint(
  'POST /api/v1/anchors/:anchorId/payout-files/:id/approve',
  {
    realm: 'operator',
    summary: 'Approves a file that another owner or admin made',
    params: One,
    body: bank.FileApproval,
    response: { 200: bank.PayoutFile },
    problems: [...settled, ...bank.fileProblems, 'payout-file-changed', 'statements-missing'],
  },
)

export const cancelWorkspacePayoutFile = endpoint('POST /api/v1/anchors/:anchorId/payout-files/:id/cancel', {
  realm: 'operator',
  summary: 'Cancels a file that is not approved; its payouts wait for another one',
  params: One,
  response: { 200: bank.PayoutFile },
  problems: [...managers, ...bank.fileProblems],
})

/** For owners and admins of a day or more, as all that makes or approves files. */
export const rejectWorkspacePayoutFile = endpoint(
  'POST /api/v1/anchors/:anchorId/payout-files/:id/rejection',
  {
    realm: 'operator',
    summary: 'Says that the bank rejected a whole file, which another owner or admin approves',
    params: One,
    body: bank.NewRejection,
    response: { 200: bank.PayoutFile },
    problems: [...settled, ...bank.fileProblems],
  },
)

/** What no statement confirmed waits for another file then. Those who said it can dismiss it, not approve it. */
export const decideWorkspaceFileRejection = endpoint(
  'POST /api/v1/anchors/:anchorId/payout-files/:id/rejection/decision',
  {
    realm: 'operator',
    summary: 'Approves or dismisses that the bank rejected a file',
    params: One,
    body: bank.RejectionDecision,
    response: { 200: bank.PayoutFile },
    problems: [...settled, ...bank.fileProblems],
  },
)

/** By POST, since each download is recorded in the audit log. */
export const downloadWorkspacePayoutFile = endpoint(
  'POST /api/v1/anchors/:anchorId/payout-files/:id/download',
  {
    realm: 'operator',
    summary: 'An approved file, to give to the bank',
    params: One,
    response: { 200: Type.Unknown() },
    problems: [...managers, ...bank.fileProblems, 'payout-file-changed', 'statements-missing'],
    file: 'application/octet-stream',
  },
)
