import { createClient, type Client } from '@windlass/client/client.ts'
import { describeUnreachable, networkCode } from '@windlass/client/unreachable.ts'

export { ProblemError, type CallInput, type Client } from '@windlass/client/client.ts'
export { everyPage, nextCursor } from '@windlass/client/next-page.ts'
export {
  getWorkspace,
  listDeveloperTransactions,
  getDeveloperTransaction,
  listDeveloperCustomers,
  getCustomerOverview,
  getDeveloperCustomer,
  getDeveloperCustomerFile,
  listDeveloperQuotes,
  createWebhookEndpoint,
  listWebhookEndpoints,
  deleteWebhookEndpoint,
  listWebhookDeliveries,
  replayWebhookDelivery,
  listLedgerIncidents,
  resolveLedgerIncident,
  listJournalBalances,
  listJournalEntries,
  getFigures,
} from '@windlass/contracts/anchor/developer-api.ts'
export {
  listSendingAnchors,
  putSendingAnchor,
  deleteSendingAnchor,
} from '@windlass/contracts/anchor/sending-anchors.ts'
export { listRefusedAnchorMessages } from '@windlass/contracts/anchor/refused-anchor-messages.ts'
export { listReturnedPayments } from '@windlass/contracts/anchor/returned-payments.ts'
export { listBankAccounts, downloadStatementFile } from '@windlass/contracts/anchor/bank-accounts.ts'
export {
  uploadStatement,
  listStatements,
  listStatementLines,
  listLineCandidates,
  listLineTwins,
  decideStatementLine,
  getCsvColumns,
  previewCsvStatement,
  setCsvColumns,
} from '@windlass/contracts/anchor/bank-files.ts'
export { listWaitingPayouts, listPayoutFiles } from '@windlass/contracts/anchor/payout-files.ts'
export {
  getScreening,
  listScreeningHits,
  getScreeningCase,
  getVelocityRules,
  listSanctionsLists,
} from '@windlass/contracts/anchor/compliance.ts'
export { getBlockedProperty, listReleasedProperty } from '@windlass/contracts/anchor/blocked-property.ts'
export { replayVelocityRule } from '@windlass/contracts/anchor/velocity.ts'
export { getOutsideChecks } from '@windlass/contracts/anchor/outside-checks.ts'
export { getReportSettings } from '@windlass/contracts/anchor/report-settings.ts'
export { listBeneficialOwners } from '@windlass/contracts/anchor/beneficial-owners.ts'
export { listRegister } from '@windlass/contracts/anchor/registers.ts'
export { getEvidence } from '@windlass/contracts/anchor/evidence.ts'
export { getCase, getCaseReport, listCases } from '@windlass/contracts/anchor/cases.ts'
export { getCountryRules } from '@windlass/contracts/anchor/country-rules.ts'
export {
  getCustomerRating,
  getRiskRules,
  listCustomerRatings,
} from '@windlass/contracts/anchor/risk-rating.ts'
export {
  getCustomerCopy,
  getRetention,
  listRemovals,
  previewErasure,
} from '@windlass/contracts/anchor/retention.ts'
export { getTravelRule, getTravelRuleRecord } from '@windlass/contracts/anchor/travel-rule.ts'
export { listTravelInquiries, listTravelProviders } from '@windlass/contracts/anchor/travel-messages.ts'
export { listApiRequests } from '@windlass/contracts/anchor/api-requests.ts'
export { getReconciliation, listDifferences } from '@windlass/contracts/anchor/reconciliation.ts'
export {
  listJournalAccounts,
  getJournalSettings,
  getPeriod,
  listCloses,
  getClose,
} from '@windlass/contracts/anchor/journal.ts'
export { getSafeguarding, listSafeguardingDays } from '@windlass/contracts/anchor/reserves.ts'
export { downloadRecords } from '@windlass/contracts/platform/exports.ts'
export { listManualEntries } from '@windlass/contracts/anchor/manual-entries.ts'

export interface AnchorSettings {
  /** The anchor's address, such as `https://mumbai.example.com`. */
  url: string
  /** A key of the founder console (workspace, API keys). */
  apiKey: string
  /** The platform's own by default. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** The anchor gave no answer. `message` says what to do, `cause` is what `fetch` threw. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
}

/** A caller of one anchor's API. What it refuses is thrown as {@link ProblemError}, and no answer as {@link UnreachableError}. */
export function connectAnchor({ url, apiKey, fetch: ask = fetch }: AnchorSettings): Client {
  return createClient({
    baseUrl: url.replace(/\/$/, ''),
    headers: { authorization: `Bearer ${apiKey}` },
    fetch: (address, init) =>
      ask(address, init).catch((cause: unknown) => {
        // An abort, or a redirect, which is refused.
        if (init.signal?.aborted || networkCode(cause) === undefined) throw cause
        throw new UnreachableError(describeUnreachable(new URL(address).host, cause), { cause })
      }),
  })
}
