import * as settings from '@windlass/contracts/anchor/anchor-settings.ts'
import { downloadWorkspaceRecords } from '@windlass/contracts/platform/exports.ts'
import * as manual from '@windlass/contracts/anchor/manual-entries.ts'
import * as journal from '@windlass/contracts/platform/workspace-journal.ts'
import * as reconciliation from '@windlass/contracts/platform/workspace-reconciliation.ts'
import { listWorkspaceRefusedMessages } from '@windlass/contracts/anchor/refused-anchor-messages.ts'
import { listWorkspaceApiRequests } from '@windlass/contracts/platform/workspace-api-requests.ts'
import * as records from '@windlass/contracts/platform/workspace-records.ts'
import { getWorkspaceSigning } from '@windlass/contracts/platform/workspaces.ts'
import { requireAssignable } from './assignees.ts'
import { journalSettings, letsMoreSweep, toleratesMore, treasurySettings } from './money-out.ts'
import { always, DOWNLOAD_MS, READING_MS, read, relay, type Relay } from './relay.ts'
import { notifyOfTreasury } from './treasury.ts'

const FIVE_MINUTES = 300
const HOUR = 3_600

export const recordActs: Relay[] = [
  read(records.getWorkspaceTreasury),
  read(records.getWorkspaceTreasurySettings),
  read(records.getWorkspaceFigures),
  read(records.listWorkspaceTransactions),
  read(records.getWorkspaceTransaction),
  read(records.listWorkspaceCustomers),
  read(records.getWorkspaceCustomer),
  read(records.listWorkspaceDeliveries),
  read(records.listWorkspaceWebhooks),
  read(records.listWorkspaceIncidents),
  read(records.listWorkspaceBalances),
  read(listWorkspaceApiRequests),
  read(listWorkspaceRefusedMessages),
  read(records.listWorkspaceEntries),
  read(journal.listWorkspaceJournalAccounts),
  relay({
    endpoint: journal.setWorkspaceJournalAccount,
    audit: {
      action: 'journal-account.changed',
      asked: ({ params: { account }, body }) => ({ account, ...body }),
    },
  }),
  read(journal.getWorkspaceSafeguarding),
  read(journal.listWorkspaceSafeguardingDays),
  read(journal.getWorkspacePeriod),
  read(journal.listWorkspaceCloses),
  read(journal.getWorkspaceClose),
  relay({
    endpoint: journal.closeWorkspacePeriod,
    within: READING_MS,
    // The log's head is signed and put on the ledger, and with it what the close says.
    audit: {
      action: 'journal.closed',
      asked: ({ body }) => body,
      found: ({ id, from, to, sha256, open }) => ({ id, from, to, sha256, open }),
    },
  }),
  read(manual.listWorkspaceManualEntries),
  relay({
    endpoint: manual.requestWorkspaceManualEntry,
    within: READING_MS,
    audit: {
      action: 'manual-entry.requested',
      asked: ({ body: { text, bookedOn, lines, document } }) => ({
        ...{ text, bookedOn, fileName: document.fileName },
        lines: lines.map(({ account, unit, amount }) => `${account} ${amount} ${unit}`),
      }),
      found: ({ id, document }) => ({ id, sha256: document.sha256 }),
    },
  }),
  relay({
    endpoint: manual.reverseWorkspaceManualEntry,
    audit: {
      action: 'manual-entry.reversal-requested',
      asked: ({ params: { id }, body: { reason } }) => ({ id, reason }),
    },
  }),
  relay({
    endpoint: manual.decideWorkspaceManualEntry,
    audit: {
      action: ({ body }) => (body.approve ? 'manual-entry.approved' : 'manual-entry.rejected'),
      asked: ({ params: { id } }) => ({ id }),
      found: ({ text, status }) => ({ text, status }),
    },
  }),
  relay({
    endpoint: manual.downloadWorkspaceManualDocument,
    within: READING_MS,
    fileName: ({ params: { id } }) => `manual-entry-${id}`,
    audit: { action: 'manual-entry.document-downloaded' },
  }),
  read(journal.getWorkspaceJournalSettings),
  relay({
    endpoint: journal.setWorkspaceJournalSettings,
    prepare: journalSettings,
    needsSecond: toleratesMore,
    audit: { action: 'journal-settings.changed', asked: ({ body }) => body },
  }),
  read(reconciliation.getWorkspaceReconciliation),
  read(reconciliation.listWorkspaceDifferences),
  read(settings.getWorkspaceSettings),
  read(getWorkspaceSigning),
  // The text is deleted with the customer, and the log is permanent.
  relay({ endpoint: records.addWorkspaceTransactionNote, audit: { action: 'transaction.noted' } }),
  relay({ endpoint: records.addWorkspaceCustomerNote, audit: { action: 'customer.noted' } }),
  relay({
    endpoint: records.setWorkspaceTreasurySettings,
    prepare: treasurySettings,
    needsSecond: letsMoreSweep,
    also: notifyOfTreasury,
    audit: {
      action: 'treasury.settings-changed',
      asked: ({ query, body }) => ({ ...query, ...body }),
      found: ({ settings }) => settings,
    },
  }),
  relay({
    endpoint: records.resolveWorkspaceIncident,
    audit: {
      action: 'ledger-incident.resolved',
      asked: ({ params: { id }, body }) => ({ incidentId: id, ...body }),
      found: ({ kind }) => ({ kind }),
    },
  }),
  relay({
    endpoint: records.readWorkspaceLedgerAgain,
    needsSecond: always,
    audit: {
      action: 'ledger.read-again',
      asked: ({ body }) => body,
      found: ({ readUpTo }) => ({ readUpTo }),
    },
  }),
  // Only an address' host: the rest may be a secret.
  relay({
    endpoint: records.createWorkspaceWebhook,
    audit: {
      action: 'webhook-endpoint.added',
      asked: ({ body: { url, events } }) => ({ host: URL.parse(url)?.host ?? '', ...(events && { events }) }),
      found: ({ events }) => ({ events }),
    },
  }),
  relay({
    endpoint: records.deleteWorkspaceWebhook,
    answer: () => ({ ok: true }),
    audit: { action: 'webhook-endpoint.removed' },
  }),
  relay({
    endpoint: records.testWorkspaceWebhook,
    rate: { name: 'webhook-tests', limit: 10, seconds: FIVE_MINUTES },
    audit: { action: 'webhook-endpoint.tested' },
  }),
  relay({
    endpoint: records.replayWorkspaceDelivery,
    rate: { name: 'webhook-replays', limit: 1_000, seconds: HOUR },
    audit: { action: 'webhook-delivery.replayed' },
  }),
  relay({
    endpoint: reconciliation.reconcileWorkspace,
    rate: { name: 'reconciliations', limit: 10, seconds: 600 },
    audit: { action: 'reconciliation.started', found: ({ open }) => ({ open }) },
  }),
  relay({
    endpoint: reconciliation.assignWorkspaceDifference,
    prepare: requireAssignable,
    audit: {
      action: 'difference.assigned',
      asked: ({ params: { id }, body }) => ({ id, ...body }),
    },
  }),
  relay({
    endpoint: reconciliation.resolveWorkspaceDifference,
    audit: {
      action: (_, difference) =>
        difference?.pending ? 'difference.resolution-proposed' : 'difference.resolved',
      asked: ({ params: { id }, body }) => ({ id, ...body }),
      found: ({ kind, subject, amount, unit }) => ({ kind, subject, amount, unit }),
    },
  }),
  relay({
    endpoint: reconciliation.approveWorkspaceDifference,
    audit: {
      action: ({ body }) => (body.approve ? 'difference.resolved' : 'difference.resolution-rejected'),
      found: ({ kind, subject, amount, unit }) => ({ kind, subject, amount, unit }),
    },
  }),
  relay({
    endpoint: downloadWorkspaceRecords,
    within: DOWNLOAD_MS,
    fileName: ({ params: { name } }) => name,
    audit: { action: 'records.downloaded', asked: ({ params: { name }, query }) => ({ name, ...query }) },
  }),
]
