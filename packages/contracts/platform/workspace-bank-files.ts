import * as bank from '../anchor/bank-files.ts'
import * as payoutFiles from '../anchor/payout-files.ts'
import { relayed } from '../relayed.ts'

/* Statements of an anchor's bank accounts and files of its payouts, for its organization in the console. */

const toMoveMoney = { area: 'finance', who: 'admin', confirm: true, secondPerson: true } as const
const toDecide = { area: 'finance', who: 'admin', confirm: true, secondPerson: 'to-approve' } as const
const toSeeOrStop = { area: 'finance', who: 'admin', confirm: true } as const

export const listWorkspaceStatements = relayed(
  'GET /api/v1/anchors/:anchorId/statements',
  bank.listStatements,
  {},
)

export const uploadWorkspaceStatement = relayed(
  'POST /api/v1/anchors/:anchorId/rails/:rail/statements',
  bank.uploadStatementAs,
  { ...toMoveMoney, summary: "Reads a statement of a rail's bank account" },
)

export const listWorkspaceStatementLines = relayed(
  'GET /api/v1/anchors/:anchorId/statement-lines',
  bank.listStatementLines,
  { summary: 'Lines of bank statements, newest first' },
)

export const listWorkspaceLineCandidates = relayed(
  'GET /api/v1/anchors/:anchorId/statement-lines/:id/candidates',
  bank.listLineCandidates,
  {},
)

export const listWorkspaceLineTwins = relayed(
  'GET /api/v1/anchors/:anchorId/statement-lines/:id/twins',
  bank.listLineTwins,
  {},
)

export const decideWorkspaceStatementLine = relayed(
  'POST /api/v1/anchors/:anchorId/statement-lines/:id/decide',
  bank.decideStatementLineAs,
  { ...toMoveMoney, summary: 'Decides what becomes of a line under review' },
)

/** Those who decided can reject it, not approve it. */
export const approveWorkspaceStatementLine = relayed(
  'POST /api/v1/anchors/:anchorId/statement-lines/:id/approval',
  bank.approveStatementLineAs,
  { ...toDecide, summary: 'Approves or rejects what another person decided about a line' },
)

export const reverseWorkspaceStatementLine = relayed(
  'POST /api/v1/anchors/:anchorId/statement-lines/:id/reversal',
  bank.reverseStatementLineAs,
  toMoveMoney,
)

export const getWorkspaceCsvColumns = relayed(
  'GET /api/v1/anchors/:anchorId/rails/:rail/csv-columns',
  bank.getCsvColumns,
  {},
)

export const previewWorkspaceCsvStatement = relayed(
  'POST /api/v1/anchors/:anchorId/rails/:rail/csv-columns/preview',
  bank.previewCsvStatement,
  { summary: 'Shows how a CSV statement would be read, and proposes its columns. Nothing is recorded' },
)

export const setWorkspaceCsvColumns = relayed(
  'PUT /api/v1/anchors/:anchorId/rails/:rail/csv-columns',
  bank.setCsvColumnsAs,
  { ...toMoveMoney, body: bank.CsvColumns },
)

export const listWorkspacePayouts = relayed(
  'GET /api/v1/anchors/:anchorId/payouts',
  payoutFiles.listWaitingPayouts,
  {},
)

export const setWorkspacePayoutAccount = relayed(
  'PUT /api/v1/anchors/:anchorId/payouts/:id/account',
  payoutFiles.setPayoutAccountAs,
  {
    ...toMoveMoney,
    summary:
      'Sets the account to which a return goes, which a second person approves, or the holder of the account of a payout',
  },
)

/** The person who asked for it can dismiss it, not approve it. */
export const decideWorkspaceReturnAccount = relayed(
  'POST /api/v1/anchors/:anchorId/return-accounts/:id/decision',
  payoutFiles.decideReturnAccountAs,
  {
    ...toDecide,
    summary: 'Approves or dismisses an account that another person wants a return to go to',
  },
)

export const listWorkspacePayoutFiles = relayed(
  'GET /api/v1/anchors/:anchorId/payout-files',
  payoutFiles.listPayoutFiles,
  { summary: 'Files of payouts for the bank, newest first' },
)

export const createWorkspacePayoutFile = relayed(
  'POST /api/v1/anchors/:anchorId/rails/:rail/payout-files',
  payoutFiles.createPayoutFileAs,
  toMoveMoney,
)

/** It is a POST because each look at customers' accounts is recorded in the audit log. */
export const getWorkspacePayoutSheet = relayed(
  'POST /api/v1/anchors/:anchorId/payout-files/:id/sheet',
  payoutFiles.getPayoutSheetAs,
  {
    ...toSeeOrStop,
    summary: 'The payments of a file: whom it pays, where, how much and why, and what is new in it',
  },
)

/** What is approved is the file whose payments were seen: `sheet` is the hash of {@link getWorkspacePayoutSheet}. */
export const approveWorkspacePayoutFile = relayed(
  'POST /api/v1/anchors/:anchorId/payout-files/:id/approve',
  payoutFiles.approvePayoutFileAs,
  { ...toMoveMoney, summary: 'Approves a file that another person made' },
)

export const cancelWorkspacePayoutFile = relayed(
  'POST /api/v1/anchors/:anchorId/payout-files/:id/cancel',
  payoutFiles.cancelPayoutFileAs,
  toSeeOrStop,
)

export const rejectWorkspacePayoutFile = relayed(
  'POST /api/v1/anchors/:anchorId/payout-files/:id/rejection',
  payoutFiles.rejectPayoutFileAs,
  {
    ...toMoveMoney,
    summary: 'Says that the bank rejected a whole file, which another person approves',
  },
)

/** What no statement confirmed waits for another file then. Those who said it can dismiss it, not approve it. */
export const decideWorkspaceFileRejection = relayed(
  'POST /api/v1/anchors/:anchorId/payout-files/:id/rejection/decision',
  payoutFiles.decideFileRejectionAs,
  toDecide,
)

/** By POST, since each download is recorded in the audit log. Two people approved the file before. */
export const downloadWorkspacePayoutFile = relayed(
  'POST /api/v1/anchors/:anchorId/payout-files/:id/download',
  payoutFiles.downloadPayoutFileAs,
  { ...toSeeOrStop, summary: 'An approved file, to give to the bank' },
)
