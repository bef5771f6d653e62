import { listWorkspaceReturnedPayments } from '@windlass/contracts/anchor/returned-payments.ts'
import { listWorkspaceBankAccounts } from '@windlass/contracts/platform/workspace-bank-accounts.ts'
import {
  getWorkspaceCsvColumns,
  listWorkspacePayoutFiles,
  listWorkspacePayouts,
  listWorkspaceStatementLines,
  listWorkspaceStatements,
} from '@windlass/contracts/platform/workspace-bank-files.ts'
import { refresh } from '../../queries.ts'

/** An act on one of the bank's lists may move rows of any other. */
export const refreshBank = () =>
  void refresh(
    listWorkspacePayouts,
    listWorkspacePayoutFiles,
    listWorkspaceStatements,
    listWorkspaceStatementLines,
    listWorkspaceReturnedPayments,
    getWorkspaceCsvColumns,
    listWorkspaceBankAccounts,
  )
