import * as bank from '../anchor/bank-files.ts'
import { resolveLedgerIncident } from '../anchor/developer-api.ts'
import type { Endpoint } from '../endpoint.ts'
import { decideWorkspaceAction, requestWorkspaceAction } from '../anchor/operator-actions.ts'
import { approveRailChange, requestRailChange } from './rail-changes.ts'
import * as returned from '../anchor/returned-payments.ts'
import { deleteSendingAnchor, putSendingAnchor } from '../anchor/sending-anchors.ts'
import * as files from './workspace-bank-files.ts'
import * as compliance from './workspace-compliance.ts'
import { resolveWorkspaceIncident, setWorkspaceTreasurySettings } from './workspace-records.ts'
import { deleteWorkspaceSendingAnchor, putWorkspaceSendingAnchor } from './workspace-sending-anchors.ts'
import { setWorkspaceSigningLimits } from './workspaces.ts'

export interface MoneyAct {
  /** By which a person does it: an owner or admin who has just confirmed that it is them. */
  person: Endpoint
  /** By which an API key does it, with a scope that only this kind of act has; absent: a key cannot. */
  key?: Endpoint
  owner?: true
  /**
   * Owners and admins of less than a day can do it, too: `always` for what only stops money, `refuse` where the body says
   * `approve: false`.
   */
  anyManager?: 'always' | 'refuse'
}

/**
 * Everything by which an operator moves an anchor's money, says where it goes, or lets go what holds it. The platform asks
 * of a person what this table says, and an endpoint that changes something at an anchor is either here or named as moving
 * nothing: `money-acts.test.ts` holds both.
 */
export const moneyActs: readonly MoneyAct[] = [
  { person: files.uploadWorkspaceStatement, key: bank.uploadStatement },
  { person: files.decideWorkspaceStatementLine, key: bank.decideStatementLine },
  { person: files.approveWorkspaceStatementLine, anyManager: 'refuse' },
  { person: files.reverseWorkspaceStatementLine },
  { person: files.setWorkspaceCsvColumns, key: bank.setCsvColumns },
  { person: files.setWorkspacePayoutAccount },
  { person: files.decideWorkspaceReturnAccount, anyManager: 'refuse' },
  { person: files.createWorkspacePayoutFile },
  // It shows the accounts of customers, and moves nothing.
  { person: files.getWorkspacePayoutSheet, anyManager: 'always' },
  { person: files.approveWorkspacePayoutFile },
  { person: files.cancelWorkspacePayoutFile, anyManager: 'always' },
  { person: files.rejectWorkspacePayoutFile },
  { person: files.decideWorkspaceFileRejection, anyManager: 'refuse' },
  // It was approved by two people before.
  { person: files.downloadWorkspacePayoutFile, anyManager: 'always' },
  { person: requestWorkspaceAction },
  { person: decideWorkspaceAction, anyManager: 'refuse' },
  { person: returned.payWorkspaceReturnAgain },
  { person: returned.approveWorkspaceRepayment, anyManager: 'refuse' },
  { person: resolveWorkspaceIncident, key: resolveLedgerIncident },
  { person: requestRailChange },
  { person: approveRailChange },
  { person: setWorkspaceTreasurySettings, owner: true },
  { person: setWorkspaceSigningLimits },
  { person: putWorkspaceSendingAnchor, key: putSendingAnchor },
  { person: deleteWorkspaceSendingAnchor, key: deleteSendingAnchor, anyManager: 'always' },
  { person: compliance.setWorkspaceScreeningThreshold },
  { person: compliance.loadWorkspaceSanctionsList },
  { person: compliance.setWorkspaceVelocityRules },
  { person: compliance.setWorkspaceTravelRule },
  { person: compliance.decideWorkspaceScreeningHit },
]
