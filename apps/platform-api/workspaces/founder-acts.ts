import * as settings from '@windlass/contracts/anchor/anchor-settings.ts'
import type { PayoutFile, StatementLine } from '@windlass/contracts/anchor/bank-files.ts'
import { downloadWorkspaceRecords } from '@windlass/contracts/platform/exports.ts'
import * as actions from '@windlass/contracts/anchor/operator-actions.ts'
import type { OperatorAction, PayeeAccount } from '@windlass/contracts/anchor/operator-actions.ts'
import * as manual from '@windlass/contracts/anchor/manual-entries.ts'
import * as returned from '@windlass/contracts/anchor/returned-payments.ts'
import type { ReturnedPayment } from '@windlass/contracts/anchor/returned-payments.ts'
import * as accounts from '@windlass/contracts/platform/workspace-bank-accounts.ts'
import * as files from '@windlass/contracts/platform/workspace-bank-files.ts'
import * as cases from '@windlass/contracts/platform/workspace-cases.ts'
import * as compliance from '@windlass/contracts/platform/workspace-compliance.ts'
import * as journal from '@windlass/contracts/platform/workspace-journal.ts'
import * as reconciliation from '@windlass/contracts/platform/workspace-reconciliation.ts'
import * as records from '@windlass/contracts/platform/workspace-records.ts'
import * as agreements from '@windlass/contracts/platform/workspace-sending-anchors.ts'
import * as registers from '@windlass/contracts/platform/workspace-registers.ts'
import { getWorkspaceSigning, setWorkspaceSigningLimits } from '@windlass/contracts/platform/workspaces.ts'
import { requireAssignable, requireOfficer } from './assignees.ts'
import {
  journalSettings,
  keepLowered,
  letsMoreSign,
  letsMoreSweep,
  signingLimits,
  toleratesMore,
  treasurySettings,
} from './money-out.ts'
import { relay, type Relay } from './relay.ts'
import { changesOf, keepSettings, prepareSettings } from './settings.ts'
import { notifyOfTreasury } from './treasury.ts'
import * as weakening from './weakening.ts'

/** A statement has up to 200,000 lines, a sanctions list tens of thousands of names. */
const READING_MS = 120_000
/** A long journal takes its time, and a slow reader too. */
const DOWNLOAD_MS = 600_000
const FIVE_MINUTES = 300
const HOUR = 3_600

const read = (endpoint: Parameters<typeof relay>[0]['endpoint']): Relay => relay({ endpoint })

/** An account is a customer's and stays at the anchor. */
const endOf = (account: Partial<PayeeAccount> | null | undefined) => account?.dest?.slice(-4) ?? null

const factsOf = ({ id, rail, code, payouts, total, currency, sha256 }: PayoutFile) => ({
  ...{ id, rail, code, payouts, total, currency, sha256 },
})

const aboutLine = (done: string) => (_: unknown, line?: StatementLine) =>
  `statement-line.${line?.pending ? 'waiting' : done}`
const lineFacts = ({ amount, currency, status }: StatementLine) => ({ amount, currency, status })

const aboutReturn = (done: string, payment?: ReturnedPayment) =>
  `returned-payment.${payment?.pending ? 'waiting' : done}`
const returnFacts = ({ amount, currency }: ReturnedPayment) => ({ amount, currency })

const actionNames: Record<OperatorAction['status'], string> = {
  waiting: 'transaction.action-requested',
  done: 'transaction.action-done',
  rejected: 'transaction.action-rejected',
}
const actionFacts = ({ id, transactionId, kind: what, reason, paymentId, account }: OperatorAction) => ({
  ...{ id, transactionId, what, reason },
  ...(paymentId === null ? {} : { paymentId }),
  ...(account ? { end: endOf(account) } : {}),
})

const bankFileActs: Relay[] = [
  read(files.listWorkspaceStatements),
  read(files.listWorkspaceStatementLines),
  read(files.listWorkspaceLineCandidates),
  read(files.listWorkspaceLineTwins),
  read(files.getWorkspaceCsvColumns),
  read(files.listWorkspacePayouts),
  read(files.listWorkspacePayoutFiles),
  read(accounts.listWorkspaceBankAccounts),
  relay({
    endpoint: accounts.downloadWorkspaceStatementFile,
    within: READING_MS,
    fileName: ({ params: { id } }) => `bank-statement-${id}`,
    audit: { action: 'bank-statement.downloaded' },
  }),
  relay({
    endpoint: accounts.setWorkspaceOpeningBalance,
    audit: {
      action: 'opening-balance.requested',
      asked: ({ params: { rail }, body }) => ({ rail, ...body }),
      found: ({ account, pending }) => ({ account, id: pending?.id }),
    },
  }),
  relay({
    endpoint: accounts.decideWorkspaceOpeningBalance,
    audit: {
      action: ({ body }) => (body.approve ? 'opening-balance.approved' : 'opening-balance.rejected'),
      asked: ({ params: { id } }) => ({ id }),
      found: ({ account }) => ({ account }),
    },
  }),
  relay({ endpoint: files.previewWorkspaceCsvStatement, within: READING_MS }),
  relay({
    endpoint: files.uploadWorkspaceStatement,
    within: READING_MS,
    audit: {
      action: 'bank-statement.uploaded',
      asked: ({ params: { rail }, query: { fileName } }) => ({ rail, fileName }),
      found: ({ id, fileName, lines, newLines }) => ({ id, fileName, lines, newLines }),
    },
  }),
  relay({
    endpoint: files.decideWorkspaceStatementLine,
    audit: {
      action: aboutLine('decided'),
      asked: ({ params: { id }, body: { decision, as, transactionId, duplicateOf, account, reason } }) => ({
        ...{ id, what: as ?? decision },
        ...(transactionId && { transactionId }),
        ...(duplicateOf && { duplicateOf }),
        ...(account && { account }),
        reason,
      }),
      found: lineFacts,
    },
  }),
  relay({
    endpoint: files.approveWorkspaceStatementLine,
    audit: {
      action: ({ body }, line) =>
        aboutLine(body.approve ? 'decision-approved' : 'decision-rejected')(body, line),
      found: lineFacts,
    },
  }),
  relay({
    endpoint: files.reverseWorkspaceStatementLine,
    audit: {
      action: aboutLine('reversed'),
      asked: ({ params: { id }, body }) => ({ id, ...body }),
      found: lineFacts,
    },
  }),
  relay({
    endpoint: files.setWorkspaceCsvColumns,
    send: columns => ({ columns }),
    audit: {
      action: 'csv-columns.changed',
      asked: ({ params: { rail }, body }) => ({ rail, ...body }),
    },
  }),
  relay({
    endpoint: files.setWorkspacePayoutAccount,
    audit: {
      action: 'payout.account-added',
      asked: ({ params: { id }, body }) => ({ id, end: endOf(body) }),
    },
  }),
  relay({
    endpoint: files.decideWorkspaceReturnAccount,
    audit: {
      action: ({ body }) => (body.approve ? 'payout.account-approved' : 'payout.account-dismissed'),
      asked: ({ params: { id: wish } }) => ({ wish }),
      found: ({ id }) => ({ id }),
    },
  }),
  relay({
    endpoint: files.createWorkspacePayoutFile,
    audit: { action: 'payout-file.created', found: factsOf },
  }),
  relay({
    endpoint: files.getWorkspacePayoutSheet,
    audit: { action: 'payout-file.seen', found: ({ sheet }) => ({ sheet }) },
  }),
  relay({
    endpoint: files.approveWorkspacePayoutFile,
    audit: {
      action: 'payout-file.approved',
      asked: ({ params: { id }, body }) => ({ id, ...body }),
      found: factsOf,
    },
  }),
  relay({
    endpoint: files.cancelWorkspacePayoutFile,
    audit: { action: 'payout-file.canceled', found: factsOf },
  }),
  relay({
    endpoint: files.rejectWorkspacePayoutFile,
    audit: {
      action: 'payout-file.rejection-requested',
      asked: ({ params: { id }, body }) => ({ id, ...body }),
      found: factsOf,
    },
  }),
  relay({
    endpoint: files.decideWorkspaceFileRejection,
    audit: {
      action: ({ body }) => (body.approve ? 'payout-file.rejected' : 'payout-file.rejection-dismissed'),
      found: factsOf,
    },
  }),
  relay({
    endpoint: files.downloadWorkspacePayoutFile,
    within: READING_MS,
    fileName: ({ params: { id } }) => `payout-file-${id}`,
    audit: { action: 'payout-file.downloaded' },
  }),
]

const transactionActs: Relay[] = [
  relay({
    endpoint: actions.requestWorkspaceAction,
    audit: {
      action: (_, action) => actionNames[action?.status ?? 'waiting'],
      asked: ({ params: { id }, body: { kind: what, reason, paymentId, account } }) => ({
        ...{ transactionId: id, what, reason },
        ...(paymentId && { paymentId }),
        ...(account && { end: endOf(account) }),
      }),
      found: actionFacts,
    },
  }),
  relay({
    endpoint: actions.decideWorkspaceAction,
    audit: {
      action: ({ body }, action) => actionNames[action?.status ?? (body.approve ? 'done' : 'rejected')],
      found: actionFacts,
    },
  }),
  read(returned.listWorkspaceReturnedPayments),
  relay({
    endpoint: returned.payWorkspaceReturnAgain,
    audit: {
      action: (_, payment) => aboutReturn('paid-again', payment),
      asked: ({ params: { id }, body }) => ({ id, ...body }),
      found: returnFacts,
    },
  }),
  relay({
    endpoint: returned.approveWorkspaceRepayment,
    audit: {
      action: ({ body }, payment) => aboutReturn(body.approve ? 'approved' : 'rejected', payment),
      found: returnFacts,
    },
  }),
]

/** What changes sanctions screening, without names. */
const complianceActs: Relay[] = [
  read(compliance.getWorkspaceScreening),
  read(compliance.getWorkspaceVelocityRules),
  read(compliance.replayWorkspaceVelocityRule),
  read(compliance.getWorkspaceRiskRules),
  read(compliance.listWorkspaceCustomerRatings),
  read(compliance.getWorkspaceCustomerRating),
  read(compliance.getWorkspaceTravelRule),
  read(compliance.listWorkspaceScreeningHits),
  read(compliance.getWorkspaceBlockedProperty),
  relay({
    endpoint: compliance.getWorkspaceScreeningCase,
    audit: { action: 'screening-case.exported' },
  }),
  relay({
    endpoint: compliance.getWorkspaceTravelRuleRecord,
    audit: { action: 'travel-rule.exported' },
  }),
  relay({ endpoint: compliance.getWorkspaceEvidence, audit: { action: 'evidence.exported' } }),
  relay({
    endpoint: compliance.setWorkspaceScreeningThreshold,
    prepare: weakening.thresholdNow,
    needsSecond: weakening.raisesThreshold,
    audit: { action: 'screening-threshold.changed', asked: ({ body }) => body },
  }),
  relay({
    endpoint: compliance.setWorkspaceVelocityRules,
    prepare: weakening.velocityNow,
    needsSecond: weakening.loosensVelocity,
    audit: {
      action: 'velocity-rules.changed',
      asked: ({ body: { rules, reason } }) => ({ rules, ...(reason && { reason }) }),
    },
  }),
  relay({
    endpoint: compliance.setWorkspaceTravelRule,
    prepare: weakening.travelRuleNow,
    needsSecond: weakening.raisesTravelRule,
    audit: {
      action: 'travel-rule.changed',
      asked: ({ body: { settings: set, reason } }) => ({ ...set, ...(reason && { reason }) }),
    },
  }),
  read(compliance.getWorkspaceRetention),
  relay({
    endpoint: compliance.setWorkspaceRetention,
    prepare: weakening.retentionNow,
    needsSecond: weakening.keepsShorter,
    audit: {
      action: 'retention.changed',
      asked: ({ body: { rules, reason } }) => ({ ...rules, ...(reason && { reason }) }),
    },
  }),
  relay({
    endpoint: compliance.getWorkspaceCustomerCopy,
    within: DOWNLOAD_MS,
    fileName: ({ params: { id } }) => `customer-${id}.json`,
    audit: { action: 'customer.copied' },
  }),
  read(compliance.getWorkspaceOutsideChecks),
  relay({
    endpoint: compliance.setWorkspaceOutsideCheck,
    prepare: weakening.outsideChecksNow,
    needsSecond: weakening.asksAnother,
    audit: {
      action: 'outside-check.changed',
      asked: ({ params: { kind }, body: { url, reason } }) => ({ kind, url, ...(reason && { reason }) }),
    },
  }),
  relay({
    endpoint: compliance.setWorkspaceRiskRules,
    prepare: weakening.riskRulesNow,
    needsSecond: weakening.ratesLower,
    audit: {
      action: 'risk-rules.changed',
      asked: ({ body: { rules, reason } }) => ({ ...rules, ...(reason && { reason }) }),
    },
  }),
  relay({
    endpoint: compliance.reviewWorkspaceCustomerRating,
    prepare: weakening.ratingNow,
    needsSecond: weakening.lowersRating,
    audit: {
      action: 'customer-rating.reviewed',
      asked: ({ params: { id }, body: { atLeast, reason } }) => ({ id, atLeast, ...(reason && { reason }) }),
    },
  }),
  read(compliance.getWorkspaceCountryRules),
  relay({
    endpoint: compliance.setWorkspaceCountryRules,
    prepare: weakening.countriesNow,
    needsSecond: weakening.servesMore,
    audit: {
      action: 'country-rules.changed',
      asked: ({ body: { rules, reason } }) => ({ ...rules, ...(reason && { reason }) }),
    },
  }),
  relay({
    endpoint: compliance.loadWorkspaceSanctionsList,
    within: READING_MS,
    audit: {
      action: 'sanctions-list.loaded',
      asked: ({ query: { fileName } }) => ({ fileName }),
      found: ({ version, source, fileName, sha256, publishedOn, entries }) => ({
        ...{ version, source, fileName, sha256, publishedOn, entries },
      }),
    },
  }),
  relay({
    endpoint: compliance.decideWorkspaceScreeningHit,
    audit: {
      action: 'screening-hit.decided',
      asked: ({ params: { id }, body: { decision, reason } }) => ({ id, decision, reason }),
      found: ({ match, velocity }) =>
        match ? { source: match.source, entryId: match.entryId } : { rule: velocity?.rule.kind },
    },
  }),
  read(cases.listWorkspaceCases),
  read(cases.getWorkspaceCase),
  relay({
    endpoint: cases.getWorkspaceCaseReport,
    audit: { action: 'case.exported', asked: ({ params: { id }, query: { format } }) => ({ id, format }) },
  }),
  // Reasons and notes stay at the anchor: the log is permanent, and people of the team read it.
  relay({
    endpoint: cases.openWorkspaceCase,
    audit: {
      action: 'case.opened',
      asked: ({ body: { subject } }) => ({ about: subject.kind, of: subject.id }),
      found: ({ case: { id } }) => ({ id }),
    },
  }),
  relay({ endpoint: cases.noteWorkspaceCase, audit: { action: 'case.noted' } }),
  relay({
    endpoint: cases.planWorkspaceCase,
    prepare: requireOfficer,
    audit: { action: 'case.planned', asked: ({ params: { id }, body }) => ({ id, ...body }) },
  }),
  relay({
    endpoint: cases.closeWorkspaceCase,
    audit: { action: 'case.closed', asked: ({ params: { id }, body: { outcome } }) => ({ id, outcome }) },
  }),
  read(registers.listWorkspaceRegister),
  relay({
    endpoint: registers.addToWorkspaceRegister,
    audit: {
      action: 'register-entry.added',
      asked: ({ params: { register }, body: { category } }) => ({ register, category }),
      found: ({ id, number }) => ({ id, number }),
    },
  }),
  relay({
    endpoint: registers.addWorkspaceRegisterStep,
    audit: {
      action: 'register-entry.continued',
      asked: ({ params: { register, id }, body: { closes } }) => ({ register, id, closes }),
    },
  }),
  read(agreements.listWorkspaceSendingAnchors),
  relay({
    endpoint: agreements.putWorkspaceSendingAnchor,
    audit: {
      action: 'sending-anchor.agreed',
      asked: ({ params: { account }, body }) => ({ account, ...body }),
      found: ({ name, tier }) => ({ name, tier }),
    },
  }),
  relay({
    endpoint: agreements.deleteWorkspaceSendingAnchor,
    audit: { action: 'sending-anchor.ended' },
  }),
]

const recordActs: Relay[] = [
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

const settingsActs: Relay[] = [
  relay({
    endpoint: settings.setWorkspaceSettings,
    prepare: prepareSettings,
    also: keepSettings,
    audit: {
      action: 'settings.changed',
      asked: ({ body }, before) => changesOf(before?.settings, body.settings),
      found: ({ history }) => ({ version: history[0]?.version }),
    },
  }),
  relay({
    endpoint: settings.uploadWorkspaceLogo,
    audit: { action: 'logo.uploaded', found: logo => ({ ...logo }) },
  }),
  relay({
    endpoint: settings.setWorkspaceCustomerTier,
    audit: {
      action: 'customer.tier-changed',
      asked: ({ params: { id }, body: { tier, reason } }) => ({ customerId: id, after: tier, reason }),
      found: ({ before, tier }) => ({ before, after: tier }),
    },
  }),
  relay({
    endpoint: setWorkspaceSigningLimits,
    prepare: signingLimits,
    needsSecond: letsMoreSign,
    also: keepLowered,
    audit: { action: 'anchor.signing-limits-set', asked: ({ body }) => body },
  }),
]

/**
 * Everything that founders read and do at their anchors, a row each. What changes something there, and what shows customers'
 * data, is in the audit log.
 */
export const founderActs: readonly Relay[] = [
  ...bankFileActs,
  ...transactionActs,
  ...complianceActs,
  ...recordActs,
  ...settingsActs,
]
