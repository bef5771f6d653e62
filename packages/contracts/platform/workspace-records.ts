import Type from 'typebox'
import {
  AnchorSummary,
  OfAsset,
  TreasurySettings,
  TreasurySettingsHistory,
} from '../anchor/business-server.ts'
import { Id, Ok, Text } from '../common.ts'
import {
  createWebhookEndpoint,
  getCustomerOverview,
  getDeveloperTransaction,
  getFigures,
  listDeveloperCustomers,
  listDeveloperTransactions,
  listJournalBalances,
  listJournalEntries,
  listLedgerIncidents,
  listWebhookDeliveries,
  listWebhookEndpoints,
  NewWebhookEndpoint,
  replayWebhookDelivery,
  resolveLedgerIncident,
  TransactionNote,
} from '../anchor/developer-api.ts'
import { endpoint } from '../endpoint.ts'

/*
 * An anchor's records as its organization reads them in the console, fetched from the anchor's own API on its business
 * server. A suspended anchor's servers are stopped: `dependency-unavailable`.
 */

const Params = Type.Object({ anchorId: Id })
const problems = ['anchor-not-found', 'dependency-unavailable'] as const

export const getWorkspaceTreasury = endpoint('GET /api/v1/anchors/:anchorId/treasury', {
  realm: 'operator',
  summary: "The current state of the anchor's treasury, rails and ledger account",
  params: Params,
  response: { 200: AnchorSummary },
  problems,
})

export const getWorkspaceTreasurySettings = endpoint('GET /api/v1/anchors/:anchorId/treasury/settings', {
  realm: 'operator',
  summary: 'Thresholds, ceiling and cold account of the treasury of an asset, and who set them',
  params: Params,
  query: OfAsset,
  response: { 200: TreasurySettingsHistory },
  problems,
})

/** Money leaves the anchor's servers to the cold account, so only owners decide. Everyone who chose it is notified. */
export const setWorkspaceTreasurySettings = endpoint('PUT /api/v1/anchors/:anchorId/treasury/settings', {
  realm: 'operator',
  summary: 'Sets thresholds, ceiling and cold account of the treasury of an asset, as an owner',
  params: Params,
  query: OfAsset,
  body: TreasurySettings,
  response: { 200: TreasurySettingsHistory },
  problems: [...problems, 'forbidden', 'confirmation-needed', 'second-person-needed'],
})

export const getWorkspaceFigures = endpoint('GET /api/v1/anchors/:anchorId/figures', {
  realm: 'operator',
  summary: 'Volume, fees and pending transactions of the anchor, and how many transactions complete',
  params: Params,
  query: getFigures.query,
  response: getFigures.response,
  problems,
})

export const listWorkspaceTransactions = endpoint('GET /api/v1/anchors/:anchorId/transactions', {
  realm: 'operator',
  summary: 'Deposits and withdrawals at the anchor, newest first',
  params: Params,
  query: listDeveloperTransactions.query,
  response: listDeveloperTransactions.response,
  problems,
})

export const getWorkspaceTransaction = endpoint('GET /api/v1/anchors/:anchorId/transactions/:id', {
  realm: 'operator',
  summary: 'One deposit or withdrawal with its history',
  params: Type.Object({ anchorId: Id, id: Id }),
  response: getDeveloperTransaction.response,
  problems: [...problems, 'transaction-not-found'],
})

/** Customers never see notes. At most 200 for a transaction. */
export const addWorkspaceTransactionNote = endpoint('POST /api/v1/anchors/:anchorId/transactions/:id/notes', {
  realm: 'operator',
  summary: 'Adds a note to a transaction, for your team',
  params: Type.Object({ anchorId: Id, id: Id }),
  body: Type.Object({ text: Text(1000) }),
  response: { 201: TransactionNote },
  problems: [...problems, 'transaction-not-found'],
})

export const listWorkspaceCustomers = endpoint('GET /api/v1/anchors/:anchorId/customers', {
  realm: 'operator',
  summary: "The anchor's customers with their KYC status, newest first",
  params: Params,
  query: listDeveloperCustomers.query,
  response: listDeveloperCustomers.response,
  problems,
})

const CustomerParams = Type.Object({ anchorId: Id, id: Id })

export const getWorkspaceCustomer = endpoint('GET /api/v1/anchors/:anchorId/customers/:id', {
  realm: 'operator',
  summary: 'One customer without personal details: identity check, tier and notes',
  params: CustomerParams,
  response: getCustomerOverview.response,
  problems: [...problems, 'customer-not-found'],
})

export const addWorkspaceCustomerNote = endpoint('POST /api/v1/anchors/:anchorId/customers/:id/notes', {
  realm: 'operator',
  summary: 'Adds a note for the team to a customer; customers never see it',
  params: CustomerParams,
  body: addWorkspaceTransactionNote.body,
  response: { 201: TransactionNote },
  problems: [...problems, 'customer-not-found'],
})

export const listWorkspaceDeliveries = endpoint('GET /api/v1/anchors/:anchorId/webhook-deliveries', {
  realm: 'operator',
  summary: "Deliveries to the anchor's webhook endpoints, newest first",
  params: Params,
  query: listWebhookDeliveries.query,
  response: listWebhookDeliveries.response,
  problems,
})

export const listWorkspaceWebhooks = endpoint('GET /api/v1/anchors/:anchorId/webhook-endpoints', {
  realm: 'operator',
  summary: "Webhook endpoints for the anchor's events, newest first",
  params: Params,
  query: listWebhookEndpoints.query,
  response: listWebhookEndpoints.response,
  problems,
})

/** Events leave to the address, so a recent confirmation is needed. Without events: all. */
export const createWorkspaceWebhook = endpoint('POST /api/v1/anchors/:anchorId/webhook-endpoints', {
  realm: 'operator',
  summary: "Registers a webhook endpoint for the anchor's events, as an owner or admin",
  params: Params,
  body: createWebhookEndpoint.body,
  response: { 201: NewWebhookEndpoint },
  problems: [...problems, 'forbidden', 'confirmation-needed'],
})

const WebhookParams = Type.Object({ anchorId: Id, id: Id })

export const deleteWorkspaceWebhook = endpoint('DELETE /api/v1/anchors/:anchorId/webhook-endpoints/:id', {
  realm: 'operator',
  summary: 'Removes a webhook endpoint and its pending deliveries, as an owner or admin',
  params: WebhookParams,
  response: { 200: Ok },
  problems: [...problems, 'webhook-endpoint-not-found', 'forbidden', 'confirmation-needed'],
})

/** At most ten in five minutes for each anchor. */
export const testWorkspaceWebhook = endpoint('POST /api/v1/anchors/:anchorId/webhook-endpoints/:id/test', {
  realm: 'operator',
  summary: 'Sends the event `webhook.test` to an endpoint, as an owner or admin',
  params: WebhookParams,
  response: replayWebhookDelivery.response,
  problems: [...problems, 'webhook-endpoint-not-found', 'forbidden', 'too-many-requests'],
})

export const replayWorkspaceDelivery = endpoint(
  'POST /api/v1/anchors/:anchorId/webhook-deliveries/:id/replay',
  {
    realm: 'operator',
    summary: 'Delivers a message again, with the same message id, as an owner or admin',
    params: WebhookParams,
    response: replayWebhookDelivery.response,
    problems: [...problems, 'webhook-delivery-not-found', 'forbidden', 'too-many-requests'],
  },
)

export const listWorkspaceIncidents = endpoint('GET /api/v1/anchors/:anchorId/ledger-incidents', {
  realm: 'operator',
  summary: "The anchor's ledger incidents, open ones first",
  params: Params,
  query: listLedgerIncidents.query,
  response: listLedgerIncidents.response,
  problems,
})

export const resolveWorkspaceIncident = endpoint(
  'POST /api/v1/anchors/:anchorId/ledger-incidents/:id/resolve',
  {
    realm: 'operator',
    summary: 'Closes an incident with the reason, as an owner or admin',
    params: Type.Object({ anchorId: Id, id: Id }),
    body: resolveLedgerIncident.body,
    response: resolveLedgerIncident.response,
    problems: [
      ...problems,
      'ledger-incident-not-found',
      'reset-not-proven',
      'forbidden',
      'confirmation-needed',
      'second-person-needed',
    ],
  },
)

export const listWorkspaceBalances = endpoint('GET /api/v1/anchors/:anchorId/journal/balances', {
  realm: 'operator',
  summary: "The balance of every account of the anchor's journal",
  params: Params,
  response: listJournalBalances.response,
  problems,
})

export const listWorkspaceEntries = endpoint('GET /api/v1/anchors/:anchorId/journal', {
  realm: 'operator',
  summary: "Entries of the anchor's journal, newest first",
  params: Params,
  query: listJournalEntries.query,
  response: listJournalEntries.response,
  problems,
})
