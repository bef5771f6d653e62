import { tiers } from './anchor-settings.ts'
import Type, { type Static, type TSchema } from 'typebox'
import { Amount, Day, Id, OneLine, Page, Text, Time } from '../common.ts'
import { endpoint, NoContent } from '../endpoint.ts'
import { SIGNED } from '../limits.ts'
import { EntryEvidence, ExchangeTerms } from './journal.ts'
import { actionKinds, OperatorAction } from './operator-actions.ts'

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const transactionKinds = ['deposit', 'withdrawal'] as const

/** The rate at which money and units were exchanged, and the anchor's share in it. */
export const TransactionExchange = Type.Object({ rate: Type.String(), ...ExchangeTerms.properties })

/** A deposit or withdrawal as developers see it. */
export const DeveloperTransaction = Type.Object({
  id: Type.String(),
  protocol: Type.Enum(['sep6', 'sep24', 'sep31']),
  kind: Type.Enum([...transactionKinds]),
  status: Type.String(),
  account: Type.String(),
  memo: Nullable(Type.String()),
  rail: Type.String(),
  currency: Type.String(),
  /** A further asset of the anchor; absent: its first one. */
  asset: Type.Optional(Type.Object({ code: Type.String(), issuer: Type.String() })),
  /** In asset units: what arrives for a deposit, what is sent for a withdrawal. */
  amount: Nullable(Amount),
  fee: Nullable(Amount),
  /** In the rail's currency. */
  railAmount: Nullable(Amount),
  /** Null: no rate is known. */
  exchange: Type.Optional(Nullable(TransactionExchange)),
  ledgerTransaction: Nullable(Type.String()),
  railPaymentId: Nullable(Type.String()),
  /** What the customer pays with, or is paid with; on their receipt. */
  reference: Type.Optional(Nullable(Type.String())),
  /** For the anchor's people in the console alone: keys have the customer by `account` and `memo`. */
  customer: Type.Optional(Type.Object({ id: Type.String(), name: Nullable(Type.String()) })),
  message: Nullable(Type.String()),
  createdAt: Time,
  updatedAt: Time,
})
export type DeveloperTransaction = Static<typeof DeveloperTransaction>

const servedAsset = { code: Type.String(), issuer: Type.String(), anchoredTo: Type.String() }
const treasurySums = { balance: Amount, reserved: Amount, capacity: Amount }

export const getWorkspace = endpoint('GET /api/v1/workspace', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'The anchor that the key belongs to, and its treasury',
  response: {
    200: Type.Object({
      anchorId: Type.String(),
      name: Type.String(),
      homeDomain: Type.String(),
      asset: Type.Object(servedAsset),
      /** Existing assets beside that one. */
      furtherAssets: Type.Optional(
        Type.Array(Type.Object({ ...servedAsset, treasury: Type.Object(treasurySums) })),
      ),
      distributionAccount: Type.String(),
      rails: Type.Array(
        Type.Object({ name: Type.String(), currency: Type.String(), simulated: Type.Boolean() }),
      ),
      /** `percentage` is a fraction: 0.005 is half a percent. */
      fees: Type.Object({ fixed: Amount, percentage: Type.String() }),
      limits: Type.Object({ min: Amount, max: Amount }),
      /** The first asset's. */
      treasury: Type.Object(treasurySums),
      scopes: Type.Array(Type.String()),
    }),
  },
})

export const listDeveloperTransactions = endpoint('GET /api/v1/transactions', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Deposits and withdrawals, newest first',
  query: Type.Object({
    status: Type.Optional(Type.String({ maxLength: 40 })),
    kind: Type.Optional(Type.Enum(['deposit', 'withdrawal'])),
    account: Type.Optional(Type.String({ maxLength: 80 })),
    /** An id, a reference, a ledger hash, an amount or a day (`2026-03-01`, UTC); in the console also a name or an email. */
    text: Type.Optional(Type.String({ maxLength: 200 })),
    ...Page,
  }),
  response: { 200: Type.Array(DeveloperTransaction) },
})

export const TransactionNote = Type.Object({
  id: Type.String(),
  text: Type.String(),
  /** `operator:<id>` */
  by: Type.String(),
  at: Time,
})
export type TransactionNote = Static<typeof TransactionNote>

/** What a payment on the ledger, or an order over a rail, may wait for. */
export const waitCodes = [
  'treasury-short',
  'treasury-frozen',
  'xlm',
  'no-account',
  'no-trustline',
  'not-authorized',
  'trustline-full',
  'memo-required',
  'unproven',
  'screening',
  'identity',
  'debt',
  'travel-data',
  'travel-answer',
  'other-holder',
  'unbound',
  'proof',
  'refused',
  'unavailable',
] as const

/** What something waits for, by a code. */
export const Waiting = {
  code: Type.Enum([...waitCodes]),
  /** Where they apply: `asset` by its code, `missing` XLM, `fields` of SEP-12, and the `error` of what refused it. */
  details: Type.Record(Type.String(), Type.Unknown()),
}

export const getDeveloperTransaction = endpoint('GET /api/v1/transactions/:id', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'One deposit or withdrawal with its history',
  params: Type.Object({ id: Id }),
  response: {
    200: Type.Object({
      ...DeveloperTransaction.properties,
      history: Type.Array(
        Type.Object({
          status: Type.String(),
          reason: Type.String(),
          /** Absent at anchors of earlier releases. */
          at: Type.Optional(Time),
        }),
      ),
      /** What operators noted, oldest first. */
      notes: Type.Optional(Type.Array(TransactionNote, { maxItems: 200 })),
      /** What operators did, or ask a second person to approve, oldest first. */
      actions: Type.Optional(Type.Array(OperatorAction, { maxItems: 200 })),
      /** What operators can do now. */
      possibleActions: Type.Optional(Type.Array(Type.Enum([...actionKinds]), { maxItems: 5 })),
      /** Who sends and who receives is kept with it, for the travel rule. */
      travelRule: Type.Optional(Type.Boolean()),
      /** Its payments on the ledger. */
      payments: Type.Optional(
        Type.Array(
          Type.Object({
            purpose: Type.Enum(['deposit', 'refund', 'reclaim', 'redelivery']),
            status: Type.Enum(['queued', 'paid', 'canceled']),
            /** Null: the transaction's asset. */
            asset: Nullable(Type.Literal('XLM')),
            amount: Amount,
            hash: Nullable(Type.String()),
            /** XLM that the ledger charged. */
            networkFee: Nullable(Amount),
            /** Why it has not been sent yet. */
            waitsFor: Nullable(Type.String()),
            waiting: Type.Optional(Nullable(Type.Object(Waiting))),
          }),
        ),
      ),
      /** Why its payout has not been sent to its rail yet. */
      payoutWaits: Type.Optional(Nullable(Type.Object(Waiting))),
    }),
  },
  problems: ['transaction-not-found'],
})

export const DeveloperCustomer = Type.Object({
  id: Type.String(),
  account: Type.String(),
  memo: Nullable(Type.String()),
  status: Type.String(),
  /** Whether it pays and is paid as a verified customer, who linked the wallet without proof, within the limits of that one. */
  linked: Type.Optional(Type.Boolean()),
  /** How far the person is verified; it sets their limits. */
  tier: Type.Optional(Type.Enum([...tiers])),
  /** For the anchor's people in the console alone. */
  name: Type.Optional(Nullable(Type.String())),
  createdAt: Time,
})

export const listDeveloperCustomers = endpoint('GET /api/v1/customers', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Customers with the status of their identity check, newest first',
  query: Type.Object({
    account: Type.Optional(Type.String({ maxLength: 80 })),
    status: Type.Optional(Type.Enum(['NEEDS_INFO', 'PROCESSING', 'ACCEPTED', 'REJECTED'])),
    /** An account, a memo or an id; in the console also a name, its beginning, or an email. */
    text: Type.Optional(Type.String({ maxLength: 200 })),
    ...Page,
  }),
  response: { 200: Type.Array(DeveloperCustomer) },
})

/** What is known of a customer without their personal details. */
export const CustomerOverview = Type.Object({
  ...DeveloperCustomer.properties,
  /** When the identity check ended, and whose it was; null: it has not ended. */
  checked: Nullable(Type.Object({ provider: Nullable(Type.String()), at: Time })),
  /** Whether the customer told a name clearly unlike the one on their document; null: one of the two is not known. */
  namesDiffer: Type.Optional(Nullable(Type.Boolean())),
  /** The names of the SEP-12 details and files that the anchor holds. */
  held: Type.Array(Type.String(), { maxItems: 200 }),
  /** What operators decided about the tier, newest first. */
  tiers: Type.Array(
    Type.Object({ tier: Type.Enum([...tiers]), reason: Type.String(), by: Type.String(), at: Time }),
    { maxItems: 20 },
  ),
  /** What operators noted, oldest first. */
  notes: Type.Array(TransactionNote, { maxItems: 200 }),
  /**
   * Other customers with the same identity, newest first. `document`: the same document, so limits, debts and decisions count
   * for all of them. `name`: the same name and date of birth, which two people may have.
   */
  samePerson: Type.Optional(
    Type.Array(
      Type.Object({
        id: Id,
        account: Type.String(),
        memo: Nullable(Type.String()),
        by: Type.Enum(['document', 'name']),
      }),
      { maxItems: 50 },
    ),
  ),
})
export type CustomerOverview = Static<typeof CustomerOverview>

export const getCustomerOverview = endpoint('GET /api/v1/customers/:id/overview', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'One customer without personal details: identity check, tier and notes',
  params: Type.Object({ id: Id }),
  response: { 200: CustomerOverview },
  problems: ['customer-not-found'],
})

/** Personal details and files need the scope `write`: give such keys to few people. Each look is logged with the key's id. */
export const getDeveloperCustomer = endpoint('GET /api/v1/customers/:id', {
  realm: 'developer',
  scopes: ['write'],
  summary: 'One customer with the SEP-12 details, for review',
  params: Type.Object({ id: Id }),
  response: {
    200: Type.Object({
      ...DeveloperCustomer.properties,
      /** SEP-9's names to values. */
      fields: Type.Record(Type.String(), Type.String()),
      /** The name on the customer's document; null: nobody knows it. */
      verifiedName: Type.Optional(Nullable(Type.String())),
      files: Type.Array(
        Type.Object({
          name: Type.String(),
          mediaType: Type.String(),
          /** Bytes. */
          size: Type.Integer(),
          createdAt: Time,
        }),
      ),
    }),
  },
  problems: ['customer-not-found', 'forbidden'],
})

export const getDeveloperCustomerFile = endpoint('GET /api/v1/customers/:id/files/:name', {
  realm: 'developer',
  scopes: ['write'],
  summary: 'A file that the customer submitted by SEP-12, for review',
  params: Type.Object({ id: Id, name: Type.String({ minLength: 1, maxLength: 64 }) }),
  response: { 200: Type.Unknown() },
  problems: ['customer-not-found', 'forbidden'],
  file: 'application/octet-stream',
})

/** A firm rate: what is sold and bought, and until when. */
export const DeveloperQuote = Type.Object({
  id: Type.String(),
  sellAsset: Type.String(),
  buyAsset: Type.String(),
  /** In asset units. */
  amount: Amount,
  fee: Amount,
  railAmount: Amount,
  currency: Type.String(),
  transactionId: Nullable(Type.String()),
  expiresAt: Time,
  createdAt: Time,
})

export const listDeveloperQuotes = endpoint('GET /api/v1/quotes', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Firm quotes, newest first',
  query: Type.Object(Page),
  response: { 200: Type.Array(DeveloperQuote) },
})

const webhookEndpoint = {
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  active: Type.Boolean(),
  createdAt: Time,
}
export const WebhookEndpoint = Type.Object(webhookEndpoint)
export type WebhookEndpoint = Static<typeof WebhookEndpoint>
/** The secret is shown once. */
export const NewWebhookEndpoint = Type.Object({ ...webhookEndpoint, secret: Type.String() })

/** What an anchor publishes; `transaction.` with each status of {@link DeveloperTransaction}. */
export const webhookEvents = [
  'transaction.new',
  'transaction.identifying',
  'transaction.awaiting_funds',
  'transaction.funded',
  'transaction.awaiting_trust',
  'transaction.paying_out',
  'transaction.completed',
  'transaction.sent_back',
  'transaction.returning',
  'transaction.returned',
  'transaction.expired',
  'transaction.failed',
  'customer.status_changed',
  'rail.payment_sent_back',
  'rail.deposit_taken_back',
  'rail.return_failed',
  'treasury.asset_low',
  'treasury.xlm_low',
  'treasury.balance_reclaimed',
  'ledger.history_gap',
  'ledger.network_reset',
  'ledger.unreadable_payment',
  'ledger.unproven_payment',
  'ledger.unrecorded_payment',
  'ledger.held_receipt',
  'ledger.other_chain',
] as const
export type WebhookEvent = (typeof webhookEvents)[number]
type StatusOf<Event> = Event extends `transaction.${infer Status}` ? Status : never
export type DeveloperTransactionStatus = StatusOf<WebhookEvent>

/** Events: `transaction.<status>`, `customer.status_changed`, or `*`; 400 names one that there is not. The secret is shown once. */
export const createWebhookEndpoint = endpoint('POST /api/v1/webhook-endpoints', {
  realm: 'developer',
  scopes: ['webhooks'],
  summary: 'Registers an endpoint for signed events (Standard Webhooks), at most 20',
  body: Type.Object({
    url: Type.String({ format: 'uri', maxLength: 500 }),
    events: Type.Optional(
      Type.Array(Type.String({ pattern: '^(\\*|[a-z]+\\.[a-z_]+)$', maxLength: 60 }), {
        minItems: 1,
        maxItems: 30,
      }),
    ),
  }),
  response: { 201: NewWebhookEndpoint },
  idempotent: 'secret',
})

export const listWebhookEndpoints = endpoint('GET /api/v1/webhook-endpoints', {
  realm: 'developer',
  scopes: ['webhooks'],
  summary: 'Registered endpoints, newest first',
  query: Type.Object(Page),
  response: { 200: Type.Array(WebhookEndpoint) },
})

export const deleteWebhookEndpoint = endpoint('DELETE /api/v1/webhook-endpoints/:id', {
  realm: 'developer',
  scopes: ['webhooks'],
  summary: 'Removes an endpoint and its pending deliveries',
  params: Type.Object({ id: Id }),
  response: { 204: NoContent },
  problems: ['webhook-endpoint-not-found'],
})

/** One message to one endpoint. `webhook.test` is the event of a test. */
export const WebhookDelivery = Type.Object({
  id: Type.String(),
  endpointId: Type.String(),
  messageId: Type.String(),
  event: Type.String(),
  /** `dead`: given up after about a day, and kept for 30 more; replay it when the endpoint works again. */
  status: Type.Enum(['waiting', 'delivered', 'dead']),
  attempts: Type.Integer(),
  lastStatus: Nullable(Type.Integer()),
  lastError: Nullable(Type.String()),
  createdAt: Time,
  deliveredAt: Nullable(Time),
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const listWebhookDeliveries = endpoint('GET /api/v1/webhook-deliveries', {
  realm: 'developer',
  scopes: ['read', 'webhooks'],
  summary: 'Deliveries, newest first',
  query: Type.Object({
    status: Type.Optional(Type.Enum(['waiting', 'delivered', 'dead'])),
    endpointId: Type.Optional(Id),
    ...Page,
  }),
  response: { 200: Type.Array(WebhookDelivery) },
})

export const replayWebhookDelivery = endpoint('POST /api/v1/webhook-deliveries/:id/replay', {
  realm: 'developer',
  scopes: ['webhooks'],
  summary: 'Delivers again, with the same message id; at most 1000 times an hour',
  params: Type.Object({ id: Id }),
  response: { 202: WebhookDelivery },
  problems: ['webhook-delivery-not-found', 'too-many-requests'],
})

/** How an incident may end by itself. */
export const incidentEndings = [
  'transaction-applied',
  'transaction-known',
  'payment-processed',
  'nothing-missing',
  'network-reset',
  'started-over',
  'ledger-found-again',
] as const

/** Something on the ledger that an operator must know about or resolve. */
export const LedgerIncident = Type.Object({
  id: Type.String(),
  /**
   * `history-gap`: payments may have been missed, and health fails until it is resolved. `network-reset`: a test network
   * started again. `unreadable-payment`: a payment is set aside and tried again. `unproven-payment`: an operator must say
   * whether a payment was made. `unrecorded-payment`: the ledger has a payment that the anchor's database does not know,
   * because an older state of it was restored or another has the account's key. `held-receipt`: money came whose
   * transaction such an older state may lack, or that answers a payment of the anchor. `other-chain`: Horizon contradicts what was read from it, so nothing is read
   * or paid until it shows the same chain again, or an operator says that the test network was reset.
   */
  kind: Type.Enum([
    'history-gap',
    'network-reset',
    'unreadable-payment',
    'unproven-payment',
    'unrecorded-payment',
    'held-receipt',
    'other-chain',
  ]),
  /** What happened and what to do, in English, made of kind and details. */
  message: Type.String(),
  details: Type.Record(Type.String(), Type.Unknown()),
  foundAt: Time,
  resolvedAt: Nullable(Time),
  resolution: Nullable(Type.String()),
  /** How it ended where nobody resolved it; `resolution` then says that in English. */
  endedAs: Type.Optional(Nullable(Type.Enum([...incidentEndings]))),
})

export type LedgerIncident = Static<typeof LedgerIncident>

export const listLedgerIncidents = endpoint('GET /api/v1/ledger-incidents', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Ledger incidents, open ones first',
  query: Type.Object(Page),
  response: { 200: Type.Array(LedgerIncident) },
})

export const resolveLedgerIncident = endpoint('POST /api/v1/ledger-incidents/:id/resolve', {
  realm: 'developer',
  scopes: ['ledger-incidents'],
  summary: 'Closes an incident with the reason',
  params: Type.Object({ id: Id }),
  body: Type.Object({
    resolution: Text(500),
    /**
     * Required for an unproven payment (`not-applied` has it signed again), for a held one (`not-applied` sends it back)
     * and for another chain (`applied`: the test network was reset; `not-applied` asks Horizon again).
     */
    outcome: Type.Optional(Type.Enum(['applied', 'not-applied'])),
  }),
  response: { 200: LedgerIncident },
  problems: ['ledger-incident-not-found', 'reset-not-proven', 'forbidden'],
})

/** Positive: what the anchor holds. Negative: what it owes or earned. */
const JournalAmount = {
  /** An account of the chart: `treasury`, `customers`, `suspense`, `fees`, `rail:<name>`, … */
  account: Type.String(),
  /** `asset`: units of the anchor's first asset; `CODE:ISSUER`: of a further one; else a currency code. */
  unit: Type.String(),
  amount: Type.String({ pattern: '^-?\\d{1,19}(\\.\\d{1,7})?$' }),
}

export const listJournalBalances = endpoint('GET /api/v1/journal/balances', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'The balance of every account of the journal, now or at the end of a day',
  query: Type.Object({
    /** The end of this day in the time zone of the journal. What was booked late counts on the day on which it counts. */
    at: Type.Optional(Day),
  }),
  response: { 200: Type.Array(Type.Object(JournalAmount)) },
})

/** One effect on money: its lines sum to zero in every unit. */
export const JournalEntry = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  transactionId: Nullable(Type.String()),
  createdAt: Time,
  /** When the bank booked it, or the day on which it was recorded, in the time zone of the journal. */
  bookedOn: Type.Optional(Day),
  /** From when its money counts. */
  valuedOn: Type.Optional(Day),
  /** In whose period it is: its booking day, or the first day after what was closed by then. */
  countedOn: Type.Optional(Day),
  /** Present in an exchange between money and units. */
  exchange: Type.Optional(Nullable(ExchangeTerms)),
  lines: Type.Array(Type.Object(JournalAmount)),
  /** In lists of the journal. */
  restsOn: Type.Optional(EntryEvidence),
})

export type JournalEntry = Static<typeof JournalEntry>

export const listJournalEntries = endpoint('GET /api/v1/journal', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Entries of the journal, newest first',
  query: Type.Object({
    transactionId: Type.Optional(Id),
    /** Those with a line of this account, such as `charges` or `rail:SEPA`, and of this unit. */
    account: Type.Optional(OneLine(60)),
    unit: Type.Optional(OneLine(70)),
    /** The days on which they count, both included. */
    from: Type.Optional(Day),
    to: Type.Optional(Day),
    ...Page,
  }),
  response: { 200: Type.Array(JournalEntry) },
})

const Volume = Type.Object({
  count: Type.Integer(),
  /** In asset units. */
  amount: Amount,
})

/** How an anchor's business runs. Volume and fees are read from the journal, by the day in `timeZone`. */
export const Figures = Type.Object({
  timeZone: Type.String(),
  /** Oldest first, without gaps; the last one is today. */
  days: Type.Array(
    Type.Object({
      /** `2026-11-22` */
      day: Type.String(),
      /** What was paid over a rail and is owed in the asset. */
      deposits: Volume,
      /** What was paid out over a rail. */
      withdrawals: Volume,
      /** Earned, in asset units; negative where more was given back than earned. */
      fees: Amount,
      /** What the treasury held at the end of the day. Absent at servers of an earlier release. */
      treasury: Type.Optional(Amount),
    }),
    { maxItems: 90 },
  ),
  /** Money that came and went over each rail, by day; days without any are left out. Absent at servers of an earlier release. */
  cash: Type.Optional(
    Type.Array(
      Type.Object({
        day: Type.String(),
        rail: Type.String(),
        currency: Type.String(),
        in: Amount,
        out: Amount,
      }),
    ),
  ),
  /** Transactions that are agreed and have not ended. */
  pending: Type.Array(
    Type.Object({
      kind: Type.Enum(['deposit', 'withdrawal']),
      status: Type.String(),
      ...Volume.properties,
    }),
  ),
  /** How many of the transactions that were started in these days were agreed, paid by the customer, and completed. */
  funnel: Type.Object({
    started: Type.Integer(),
    agreed: Type.Integer(),
    paid: Type.Integer(),
    completed: Type.Integer(),
  }),
  /** From the customer's payment to completion, in seconds, of what was completed in these days; null: nothing was. */
  completion: Nullable(
    Type.Object({
      median: Type.Number(),
      /** 95 of 100 took no longer. */
      p95: Type.Number(),
    }),
  ),
})
export type Figures = Static<typeof Figures>

/** At most 90 days; by default 30, in UTC. */
export const getFigures = endpoint('GET /api/v1/figures', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Volume, fees and pending transactions, and how many transactions complete',
  query: Type.Object({
    /** `CODE:ISSUER`: amounts are of this further asset, by default of the first one. */
    asset: Type.Optional(Type.String({ maxLength: 80 })),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90 })),
    /** An IANA name such as `Asia/Kolkata`. */
    timeZone: Type.Optional(Type.String({ pattern: '^[A-Za-z]+(/[A-Za-z0-9_+-]+)*$', maxLength: 64 })),
  }),
  response: { 200: Figures },
})

export const receiveRailWebhook = endpoint('POST /api/v1/rails/:rail/webhook', {
  realm: 'public',
  limit: SIGNED,
  summary: "Receives a rail's signed report of a payment received or sent",
  params: Type.Object({ rail: Type.String({ maxLength: 40 }) }),
  raw: true,
  accepts: ['application/json'],
  body: Type.Object({}, { additionalProperties: true }),
  bodyLimit: 64 * 1024,
  response: { 200: Type.Object({ ok: Type.Boolean() }) },
  problems: ['webhook-signature-invalid', 'validation-failed'],
})
