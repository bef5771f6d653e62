import * as admin from '../anchor/business-server.ts'
import { Ok } from '../common.ts'
import * as developer from '../anchor/developer-api.ts'
import { relayed } from '../relayed.ts'

/*
 * An anchor's records as its organization reads them in the console, fetched from the anchor's own API on its business
 * server. A suspended anchor's servers are stopped: `dependency-unavailable`.
 */

export const getWorkspaceTreasury = relayed(
  'GET /api/v1/anchors/:anchorId/treasury',
  admin.getAnchorSummary,
  { summary: "The current state of the anchor's treasury, rails and ledger account" },
)

export const getWorkspaceTreasurySettings = relayed(
  'GET /api/v1/anchors/:anchorId/treasury/settings',
  admin.getTreasurySettings,
  { summary: 'Thresholds, ceiling and cold account of the treasury of an asset, and who set them' },
)

/** Money leaves the anchor's servers to the cold account, so only owners decide. Everyone who chose it is notified. */
export const setWorkspaceTreasurySettings = relayed(
  'PUT /api/v1/anchors/:anchorId/treasury/settings',
  admin.setTreasurySettings,
  {
    ...{ who: 'owner', confirm: true, secondPerson: true, problems: ['second-person-waits'] },
    summary: 'Sets thresholds, ceiling and cold account of the treasury of an asset, as an owner',
  },
)

export const getWorkspaceFigures = relayed('GET /api/v1/anchors/:anchorId/figures', developer.getFigures, {})

export const listWorkspaceTransactions = relayed(
  'GET /api/v1/anchors/:anchorId/transactions',
  developer.listDeveloperTransactions,
  { summary: 'Deposits and withdrawals at the anchor, newest first' },
)

export const getWorkspaceTransaction = relayed(
  'GET /api/v1/anchors/:anchorId/transactions/:id',
  developer.getDeveloperTransaction,
  { summary: 'One deposit or withdrawal with its history' },
)

/** Customers never see notes. At most 200 for a transaction. */
export const addWorkspaceTransactionNote = relayed(
  'POST /api/v1/anchors/:anchorId/transactions/:id/notes',
  admin.addTransactionNote,
  { summary: 'Adds a note to a transaction, for your team' },
)

export const listWorkspaceCustomers = relayed(
  'GET /api/v1/anchors/:anchorId/customers',
  developer.listDeveloperCustomers,
  { summary: "The anchor's customers with their KYC status, newest first" },
)

export const getWorkspaceCustomer = relayed(
  'GET /api/v1/anchors/:anchorId/customers/:id',
  developer.getCustomerOverview,
  {},
)

export const addWorkspaceCustomerNote = relayed(
  'POST /api/v1/anchors/:anchorId/customers/:id/notes',
  admin.addCustomerNote,
  { summary: 'Adds a note for the team to a customer; customers never see it' },
)

export const listWorkspaceDeliveries = relayed(
  'GET /api/v1/anchors/:anchorId/webhook-deliveries',
  developer.listWebhookDeliveries,
  { summary: "Deliveries to the anchor's webhook endpoints, newest first" },
)

export const listWorkspaceWebhooks = relayed(
  'GET /api/v1/anchors/:anchorId/webhook-endpoints',
  admin.listAnchorWebhooks,
  { summary: "Webhook endpoints for the anchor's events, newest first" },
)

/** Events leave to the address. Without events: all. */
export const createWorkspaceWebhook = relayed(
  'POST /api/v1/anchors/:anchorId/webhook-endpoints',
  admin.createAnchorWebhook,
  { who: 'admin', confirm: true, summary: "Registers a webhook endpoint for the anchor's events" },
)

export const deleteWorkspaceWebhook = relayed(
  'DELETE /api/v1/anchors/:anchorId/webhook-endpoints/:id',
  admin.deleteAnchorWebhook,
  {
    ...{ who: 'admin', confirm: true },
    summary: 'Removes a webhook endpoint and its pending deliveries',
    response: { 200: Ok },
  },
)

/** At most ten in five minutes for each anchor. */
export const testWorkspaceWebhook = relayed(
  'POST /api/v1/anchors/:anchorId/webhook-endpoints/:id/test',
  admin.testAnchorWebhook,
  { area: 'support', who: 'admin', problems: ['too-many-requests'] },
)

export const replayWorkspaceDelivery = relayed(
  'POST /api/v1/anchors/:anchorId/webhook-deliveries/:id/replay',
  admin.replayAnchorDelivery,
  {
    ...{ area: 'support', who: 'admin' },
    summary: 'Delivers a message again, with the same message id',
    problems: ['too-many-requests'],
  },
)

export const listWorkspaceIncidents = relayed(
  'GET /api/v1/anchors/:anchorId/ledger-incidents',
  developer.listLedgerIncidents,
  { summary: "The anchor's ledger incidents, open ones first" },
)

export const resolveWorkspaceIncident = relayed(
  'POST /api/v1/anchors/:anchorId/ledger-incidents/:id/resolve',
  admin.resolveAnchorIncident,
  {
    ...{ area: 'finance', who: 'admin', confirm: true, secondPerson: true },
    summary: 'Closes an incident with the reason',
  },
)

export const readWorkspaceLedgerAgain = relayed(
  'POST /api/v1/anchors/:anchorId/ledger/read-again',
  admin.readLedgerAgain,
  { area: 'finance', who: 'admin', confirm: true, secondPerson: true, problems: ['second-person-waits'] },
)

export const listWorkspaceBalances = relayed(
  'GET /api/v1/anchors/:anchorId/journal/balances',
  developer.listJournalBalances,
  { summary: "The balance of every account of the anchor's journal" },
)

export const listWorkspaceEntries = relayed(
  'GET /api/v1/anchors/:anchorId/journal',
  developer.listJournalEntries,
  { summary: "Entries of the anchor's journal, newest first" },
)
