import * as bank from '../anchor/bank-accounts.ts'
import { relayed } from '../relayed.ts'

/* Balances of an anchor's bank accounts and its banks' files, for its organization in the console. */

export const listWorkspaceBankAccounts = relayed(
  'GET /api/v1/anchors/:anchorId/bank-accounts',
  bank.listBankAccounts,
  {},
)

/** By POST, since each download is recorded in the audit log. */
export const downloadWorkspaceStatementFile = relayed(
  'POST /api/v1/anchors/:anchorId/statements/:id/file',
  bank.downloadStatementFileAs,
  { area: 'finance', who: 'admin', confirm: true, reads: true },
)

export const setWorkspaceOpeningBalance = relayed(
  'POST /api/v1/anchors/:anchorId/rails/:rail/opening-balance',
  bank.setOpeningBalanceAs,
  {
    ...{ area: 'finance', who: 'admin', confirm: true, secondPerson: true },
    summary: 'Says what a bank account had before its first statement, which another person approves',
  },
)

/** Those who said it can reject it, not approve it. */
export const decideWorkspaceOpeningBalance = relayed(
  'POST /api/v1/anchors/:anchorId/opening-balances/:id/decision',
  bank.decideOpeningBalanceAs,
  { area: 'finance', who: 'admin', confirm: true, secondPerson: 'to-approve' },
)
