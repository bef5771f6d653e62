import Type, { type Static } from 'typebox'
import { Amount, Id, Nullable, Page, Text, Time } from '../common.ts'
import {
  createWebhookEndpoint,
  DeveloperTransaction,
  LedgerIncident,
  listWebhookEndpoints,
  NewWebhookEndpoint,
  resolveLedgerIncident,
  TransactionNote,
  transactionKinds,
  Waiting,
  WebhookDelivery,
} from './developer-api.ts'
import { endpoint, NoContent } from '../endpoint.ts'
import { signed } from '../relayed.ts'

/** What the operator wants of the treasury. */
export const TreasurySettings = Type.Object({
  /** Asset units: people are notified while the distribution account holds less. */
  low: Amount,
  /** What is free beyond it is sent to the cold account, part by part; null: nothing is. */
  ceiling: Type.Union([Amount, Type.Null()]),
  /** The operator's own account, with a trustline for the asset. What it sends is a top-up. */
  coldAccount: Type.Union([Type.String({ maxLength: 56 }), Type.Null()]),
  /** XLM: people are notified while less can be spent. Only what is set with the first asset counts. */
  xlmLow: Amount,
})
export type TreasurySettings = Static<typeof TreasurySettings>

export const TreasurySettingsVersion = Type.Object({
  settings: TreasurySettings,
  /** `operator:<id>` */
  by: Type.String(),
  at: Time,
})
export type TreasurySettingsVersion = Static<typeof TreasurySettingsVersion>

/** The settings that count, and those that were set, newest first, at most 20. */
export const TreasurySettingsHistory = Type.Object({
  settings: TreasurySettings,
  history: Type.Array(TreasurySettingsVersion, { maxItems: 20 }),
})

/** The treasury of one asset: its settings, and what follows from the journal. */
const TreasuryForecast = Type.Object({
  ...TreasurySettings.properties,
  /** Units in the cold account, by the journal. */
  cold: Amount,
  /** Units that leave in a day, by the mean of the last 14 days; null: the journal is too young. */
  outflowPerDay: Type.Union([Amount, Type.Null()]),
  /** When what is free runs out; null: it does not, or nobody knows. */
  daysLeft: Type.Union([Type.Number(), Type.Null()]),
  /** Where units from the cold account and XLM are sent to top up, and with which memo (text). */
  topUp: Type.Object({ account: Type.String(), memo: Type.String() }),
})

/** What the health worker and the operator's console read from one anchor. */
export const AnchorSummary = Type.Object({
  status: Type.Enum(['ok', 'failing']),
  /** What the distribution account holds of the first asset, less what open quotes and pending deposits reserve. */
  treasury_capacity: Amount,
  /** The first one first. */
  assets: Type.Array(
    Type.Object({
      code: Type.String(),
      issuer: Type.String(),
      anchoredTo: Type.String(),
      balance: Amount,
      reserved: Amount,
      /** As `treasury_capacity`, of this asset. */
      capacity: Type.Optional(Amount),
      /** A further asset's; the first one's is `treasury` below. */
      treasury: Type.Optional(TreasuryForecast),
      /** Why the anchor can neither pay nor receive it: its issuer has not authorized the distribution account, or froze it. */
      fault: Type.Optional(Type.Enum(['no-trustline', 'not-authorized'])),
    }),
  ),
  ledger: Type.Object({
    connected: Type.Boolean(),
    lastLedger: Type.Union([Type.Integer(), Type.Null()]),
    /** Seconds since the payments of the distribution account were last known to be read up to date. */
    observerLag: Type.Union([Type.Number(), Type.Null()]),
    /** XLM of the distribution account beyond its reserves, for fees and claimable balances. */
    spendableXlm: Type.Optional(Amount),
    /** In XLM, for one payment: what the ledger charged last (null: unknown), and the most that is offered. */
    fee: Type.Optional(Type.Object({ last: Type.Union([Amount, Type.Null()]), max: Amount })),
  }),
  /** The first asset's. */
  treasury: Type.Optional(TreasuryForecast),
  /** Waiting payments on the ledger, and what the oldest waits for, such as `needs 2.5 XLM`; null: none. */
  waiting: Type.Optional(
    Type.Union([
      Type.Object({
        payments: Type.Integer(),
        reason: Type.String(),
        code: Type.Optional(Waiting.code),
        details: Type.Optional(Waiting.details),
      }),
      Type.Null(),
    ]),
  ),
  /** No sanctions list is loaded, and so every payment waits; absent: there is one, or payments pass without. */
  withoutLists: Type.Optional(Type.Boolean()),
  rails: Type.Array(
    Type.Object({
      name: Type.String(),
      currency: Type.String(),
      simulated: Type.Boolean(),
      /** Whether statements of a bank are read for it and payouts leave in files. */
      bankFiles: Type.Optional(Type.Boolean()),
      /** Currency units for one unit of the first asset; null: no rate, so this rail gives no quotes. */
      rate: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
  version: Type.String(),
  /** The servers sleep since then, and everything else is as it was then; absent: they run. */
  asleepSince: Type.Optional(Time),
})
export type AnchorSummary = Static<typeof AnchorSummary>

export const getAnchorSummary = endpoint('GET /admin/summary', {
  realm: 'anchor-admin',
  summary: 'State and treasury of the anchor',
  response: { 200: AnchorSummary },
})

/** Whether the anchor's servers have anything to do. */
export const AnchorWork = Type.Object({
  /** Transfers that have not ended. */
  openTransfers: Type.Integer(),
  /** Milliseconds until the first of both servers' rows is due, at most 0 for what is overdue; null: none waits. */
  dueInMs: Type.Union([Type.Number(), Type.Null()]),
  /** The ledger up to which payments were read; null: none yet. Absent from servers of version 0.1. */
  lastLedger: Type.Optional(
    Type.Union([Type.Object({ sequence: Type.Integer(), hash: Type.String(), closedAt: Time }), Type.Null()]),
  ),
})
export type AnchorWork = Static<typeof AnchorWork>

export const getAnchorWork = endpoint('GET /admin/work', {
  realm: 'anchor-admin',
  summary: 'Whether the anchor’s servers have anything to do: if not, they may sleep',
  response: { 200: AnchorWork },
})

/** For the platform, which knows the operator and their role, and proves itself in `x-windlass-platform`. */
export const resolveAnchorIncident = endpoint('POST /admin/ledger-incidents/:id/resolve', {
  realm: 'anchor-admin',
  summary: 'Closes a ledger incident with an operator’s resolution',
  params: Type.Object({ id: Id }),
  body: signed(resolveLedgerIncident.body),
  response: { 200: LedgerIncident },
  problems: ['ledger-incident-not-found', 'reset-not-proven', 'second-person-needed'],
  idempotent: 'replay',
})

/** For the platform, which knows the operator and their role, and proves itself in `x-windlass-platform`. */
export const readLedgerAgain = endpoint('POST /admin/ledger/read-again', {
  realm: 'anchor-admin',
  summary: 'Reads the payments to the anchor again from a ledger on: what was received is received once',
  body: signed(
    Type.Object({
      /** The number of the first ledger that is read again. */
      from: Type.Integer({ minimum: 1, maximum: 4_294_967_295 }),
      reason: Text(500),
    }),
  ),
  response: {
    200: Type.Object({
      from: Type.Integer(),
      /** The newest ledger that was read before. */
      readUpTo: Type.Integer(),
    }),
  },
  problems: ['action-not-possible'],
  idempotent: 'replay',
})

/** `CODE:ISSUER` of a further asset; absent: the anchor's first one. */
export const OfAsset = Type.Object({ asset: Type.Optional(Type.String({ maxLength: 80 })) })

export const getTreasurySettings = endpoint('GET /admin/treasury-settings', {
  realm: 'anchor-admin',
  summary: 'What the operator wants of the treasury of an asset, and earlier settings',
  query: OfAsset,
  response: { 200: TreasurySettingsHistory },
})

/** For the platform, which knows the operator and their role, and proves itself in `x-windlass-platform`. */
export const setTreasurySettings = endpoint('PUT /admin/treasury-settings', {
  realm: 'anchor-admin',
  summary: 'Sets what the operator wants of the treasury of an asset; it counts at once',
  query: OfAsset,
  body: signed(TreasurySettings),
  response: { 200: TreasurySettingsHistory },
  idempotent: 'replay',
})

/** For the platform, which knows the operator. At most 200 for a transaction: more are refused. */
export const addTransactionNote = endpoint('POST /admin/transactions/:id/notes', {
  realm: 'anchor-admin',
  summary: 'Adds a note of an operator to a transaction',
  params: Type.Object({ id: Id }),
  body: signed(Type.Object({ text: Text(1000) })),
  response: { 201: TransactionNote },
  problems: ['transaction-not-found'],
  idempotent: 'secret',
})

/** For the platform, which knows the operator. At most 200 for a customer: more are refused. */
export const addCustomerNote = endpoint('POST /admin/customers/:id/notes', {
  realm: 'anchor-admin',
  summary: 'Adds a note of an operator to a customer; it is deleted with the customer',
  params: Type.Object({ id: Id }),
  body: addTransactionNote.body,
  response: { 201: TransactionNote },
  problems: ['customer-not-found'],
  idempotent: 'secret',
})

/** `next`: the cursor of the next page, which is valid at every anchor; null on the last one. */
export const PersonTransactions = Type.Object({
  transactions: Type.Array(DeveloperTransaction),
  next: Nullable(Type.String()),
})

/**
 * For the platform, which knows that the person asks. A POST, so that the platform must prove itself and no log has the
 * id. Only of accounts whose owner the person has proven to be.
 */
export const findPersonTransactions = endpoint('POST /admin/person-transactions', {
  realm: 'anchor-admin',
  summary: 'A person’s deposits and withdrawals, newest first',
  body: Type.Object({
    /** The person's id at the platform. */
    personId: Id,
    status: Type.Optional(Type.String({ maxLength: 40 })),
    kind: Type.Optional(Type.Enum([...transactionKinds])),
    ...Page,
  }),
  response: { 200: PersonTransactions },
})

/* Webhook endpoints of an anchor, for its operators in the console. The platform knows them and their roles. */

export const listAnchorWebhooks = endpoint('GET /admin/webhook-endpoints', {
  realm: 'anchor-admin',
  summary: 'Registered webhook endpoints, newest first',
  query: listWebhookEndpoints.query,
  response: listWebhookEndpoints.response,
})

export const createAnchorWebhook = endpoint('POST /admin/webhook-endpoints', {
  realm: 'anchor-admin',
  summary: 'Registers an endpoint for signed events',
  body: createWebhookEndpoint.body,
  response: { 201: NewWebhookEndpoint },
  idempotent: 'secret',
})

export const deleteAnchorWebhook = endpoint('DELETE /admin/webhook-endpoints/:id', {
  realm: 'anchor-admin',
  summary: 'Removes an endpoint and its pending deliveries',
  params: Type.Object({ id: Id }),
  response: { 204: NoContent },
  problems: ['webhook-endpoint-not-found'],
  idempotent: 'replay',
})

export const testAnchorWebhook = endpoint('POST /admin/webhook-endpoints/:id/test', {
  realm: 'anchor-admin',
  summary: 'Sends the event `webhook.test` to an endpoint',
  params: Type.Object({ id: Id }),
  response: { 202: WebhookDelivery },
  problems: ['webhook-endpoint-not-found'],
  idempotent: 'replay',
})

export const replayAnchorDelivery = endpoint('POST /admin/webhook-deliveries/:id/replay', {
  realm: 'anchor-admin',
  summary: 'Delivers again, with the same message id',
  params: Type.Object({ id: Id }),
  response: { 202: WebhookDelivery },
  problems: ['webhook-delivery-not-found'],
  idempotent: 'replay',
})
