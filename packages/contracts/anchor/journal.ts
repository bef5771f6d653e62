import Type, { type Static } from 'typebox'
import { Amount, Count, Day, Id, Nullable, OneLine, Page, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { signed } from '../relayed.ts'

/**
 * `asset`: what the anchor holds. `liability`: what it owes. `equity`: what its owners brought and took. `clearing`: what
 * passes through, and what is not explained yet.
 */
export const accountKinds = ['asset', 'liability', 'equity', 'income', 'expense', 'clearing'] as const
export type AccountKind = (typeof accountKinds)[number]

/**
 * Every account of the journal beside `rail:<name>`, a bank's or provider's account. `treasury`, `cold`: units in the
 * distribution account and in the cold one. `own-bank`: the business's own accounts, apart from those with customers'
 * money. `debts`: what customers owe whose bank took a deposit's money back. `issued`: units that the issuing account made. `customers`: owed to customers. `suspense`: not explained yet, or
 * to be returned. `unclaimed`: customers' money that cannot be returned. `in-transit`: on its way between two accounts.
 * `capital`: what owners brought, in money or in units of an existing asset. `exchange`: what was changed between units and
 * currencies. `kept`: the business's own by a decision that named no account.
 * `network-fees`: what the network took of XLM, where the anchor serves it.
 */
export const journalChart = {
  treasury: 'asset',
  cold: 'asset',
  'own-bank': 'asset',
  debts: 'asset',
  issued: 'liability',
  customers: 'liability',
  suspense: 'liability',
  unclaimed: 'liability',
  'in-transit': 'clearing',
  exchange: 'clearing',
  kept: 'clearing',
  capital: 'equity',
  dividends: 'equity',
  opening: 'equity',
  fees: 'income',
  rounding: 'income',
  'fx-income': 'income',
  interest: 'income',
  'other-income': 'income',
  charges: 'expense',
  'network-fees': 'expense',
  losses: 'expense',
  lost: 'expense',
  'other-costs': 'expense',
} as const satisfies Record<string, AccountKind>
export type ChartAccount = keyof typeof journalChart

/** What the business's own money on a bank's statement can be. */
export const ownAccounts = [
  'capital',
  'dividends',
  'own-bank',
  'in-transit',
  'interest',
  'charges',
  'losses',
  'unclaimed',
  'other-income',
  'other-costs',
] as const satisfies readonly ChartAccount[]
export type OwnAccount = (typeof ownAccounts)[number]

/** Who owns the money on an account at a bank or provider: customers (kept apart), or the business. */
export const heldFor = ['customers', 'business'] as const

/** How an accountant has an account: its number and tax key there, as their program writes them. */
export const AccountSettings = Type.Object({
  code: Nullable(OneLine(20)),
  taxKey: Nullable(OneLine(10)),
  /** The rail of `rail:<name>`; null: another account. */
  heldFor: Type.Optional(Nullable(Type.Enum(heldFor))),
})
export type AccountSettings = Static<typeof AccountSettings>

export const JournalAccount = Type.Object({
  account: Type.String(),
  kind: Type.Enum(accountKinds),
  ...AccountSettings.properties,
  heldFor: Nullable(Type.Enum(heldFor)),
  /** Who changed it last, `operator:<id>`; null: nobody did. */
  changedBy: Nullable(Type.String()),
  changedAt: Nullable(Time),
})
export type JournalAccount = Static<typeof JournalAccount>

export const listJournalAccounts = endpoint('GET /api/v1/journal/accounts', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'The chart of accounts, with the numbers and tax keys of your accountant',
  response: { 200: Type.Array(JournalAccount, { maxItems: 200 }) },
})

/** How the journal is kept. */
export const JournalSettings = Type.Object({
  /** An IANA name such as `Asia/Kolkata`: in which days and months begin and end. `UTC` until one is set. */
  timeZone: Type.String({ pattern: '^[A-Za-z]+(/[A-Za-z0-9_+-]+)*$', maxLength: 64 }),
  /** Whether no deposit is agreed while less is there than is owed to customers. */
  stopDepositsWhenShort: Type.Optional(Type.Boolean()),
  /** What banks take from payments, or keep of what they send back. Absent: any difference waits for people. */
  charges: Type.Optional(
    Type.Object({
      /**
       * In units of the first asset; in another currency, as much as that is at present rates: a booking that differs from its payment by
       * no more, and by a twentieth at most, settles it, with the difference in `charges`.
       */
      tolerance: Amount,
      /** Who bears what a bank keeps of a payout that it sends back. */
      returnsBorneBy: Type.Enum(['anchor', 'customer']),
    }),
  ),
  /** The numbers of the accountant and of the business at DATEV, for `datev.csv`. */
  datev: Type.Optional(
    Type.Object({
      consultant: Type.Integer({ minimum: 1001, maximum: 9_999_999 }),
      client: Type.Integer({ minimum: 1, maximum: 99_999 }),
    }),
  ),
})
export type JournalSettings = Static<typeof JournalSettings>

export const getJournalSettings = endpoint('GET /api/v1/journal/settings', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'How the journal is kept',
  response: { 200: JournalSettings },
})

/** How money and units were exchanged, beside the rate of the customer. */
export const ExchangeTerms = Type.Object({
  /** The rate without the anchor's share: currency units for one unit of the asset. */
  mid: Type.String(),
  /** The anchor's share, as a fraction; null: none. */
  spread: Nullable(Type.String()),
  /** `platform`: live rates. `configured`: rates of the configuration. */
  source: Type.Enum(['platform', 'configured']),
  at: Time,
})
export type ExchangeTerms = Static<typeof ExchangeTerms>

/** What an entry of the journal rests on. */
export const EntryEvidence = Type.Object({
  /** The line of a bank's statement that has it; null: no bank booked it. */
  line: Nullable(
    Type.Object({
      id: Type.String(),
      statementId: Type.String(),
      fileName: Type.String(),
      rail: Type.String(),
      bookedOn: Day,
      direction: Type.Enum(['in', 'out']),
      amount: Amount,
      currency: Type.String(),
      bankReference: Nullable(Type.String()),
      /** Empty for who does not read payers, and where retention removed it. */
      text: Type.String(),
      /** When retention removed what it said of people; null: it did not. */
      removedAt: Type.Optional(Nullable(Time)),
    }),
  ),
  /** What people did with the line or the transaction, the oldest first; empty: rules decided. */
  decisions: Type.Array(
    Type.Object({
      /** Such as `own`, `match`, `reverse` and `mark-paid`. */
      kind: Type.String(),
      /** The account that `own` named; null: none. */
      account: Nullable(Type.String()),
      reason: Type.String(),
      /** `operator:<id>` or `key:<id>` */
      requestedBy: Type.String(),
      /** Who approved it; the same as who asked where it needed one person. */
      decidedBy: Nullable(Type.String()),
      at: Time,
    }),
  ),
  /** The entry that people wrote, with its document; null: it is none. */
  manualEntryId: Nullable(Type.String()),
  /** The entry that it takes back; null: none. */
  reverses: Nullable(Type.String()),
})
export type EntryEvidence = Static<typeof EntryEvidence>

export const closeKinds = ['day', 'month'] as const

/**
 * What is open when a period is closed. `lines-undecided`: lines of statements that nobody decided about. `suspense`, `kept`,
 * `in-transit`: balances of these accounts at its end. `differences`: open ones of the reconciliation, beside those that are
 * items of their own. `payments-unconfirmed`: money that a person said came, and the rail has not confirmed, from the first
 * day on. `decisions-waiting`: for a second person. `payouts-open`: orders to rails that have not ended. `statement-missing`: balances of statements that
 * do not follow from each other. `statement-not-read`: a bank account whose statements end before the period does.
 */
export const openKinds = [
  'lines-undecided',
  'suspense',
  'kept',
  'in-transit',
  'differences',
  'payments-unconfirmed',
  'decisions-waiting',
  'payouts-open',
  'statement-missing',
  'statement-not-read',
] as const

const Money = Type.Object({ unit: Type.String(), amount: Amount })

export const OpenItem = Type.Object({
  kind: Type.Enum(openKinds),
  count: Count,
  amounts: Type.Array(Money, { maxItems: 100 }),
  /** Which ones, at most 20: ids, accounts, or what differs. */
  about: Type.Array(Type.String(), { maxItems: 20 }),
  /** The same ones with their days and amounts, where each has both; money that left is negative. */
  rows: Type.Optional(
    Type.Array(
      Type.Object({ about: Type.String(), day: Type.String(), unit: Type.String(), amount: Amount }),
      {
        maxItems: 20,
      },
    ),
  ),
})
export type OpenItem = Static<typeof OpenItem>

export const TrialBalance = Type.Object({
  account: Type.String(),
  unit: Type.String(),
  opening: Amount,
  closing: Amount,
})

/** What was booked on a day that was closed already, and counts in this period. */
export const LateEntry = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  bookedOn: Day,
  recordedAt: Time,
  lines: Type.Array(Type.Object({ account: Type.String(), ...Money.properties })),
})

/** What exchanges between an asset and a currency came to, valued at the closing rate. In units of the asset. */
export const ExchangePosition = Type.Object({
  /** A unit of the journal: `asset`, or `CODE:ISSUER`. */
  unit: Type.String(),
  currency: Type.String(),
  /** Money that is there by exchanges; negative: more was paid out. */
  money: Amount,
  /** What it cost, by the mean of the rates of all exchanges. */
  cost: Amount,
  /** The closing rate, and where it is from; null: there is none, so nothing is valued. */
  rate: Nullable(Type.String()),
  source: Type.Enum(['platform', 'configured']),
  value: Nullable(Amount),
  /** `value` less `cost`. It is not booked. */
  unrealised: Nullable(Amount),
  /** The income of all exchanges so far, booked in `fx-income`. */
  realised: Amount,
})
export type ExchangePosition = Static<typeof ExchangePosition>

/** A day or a month of the journal. */
export const Period = Type.Object({
  kind: Type.Enum(closeKinds),
  from: Day,
  to: Day,
  timeZone: Type.String(),
  /** Every account with its balance before the first day and at the end of the last one. */
  balances: Type.Array(TrialBalance),
  open: Type.Array(OpenItem),
  /** At most 1,000. */
  late: Type.Array(LateEntry, { maxItems: 1_000 }),
  /** By how much late entries change each account. */
  lateSums: Type.Array(Type.Object({ account: Type.String(), ...Money.properties })),
  /**
   * Money of other currencies that exchanges left with the anchor, against the units that it owes for it. Of a close from
   * before there were positions: absent.
   */
  positions: Type.Optional(Type.Array(ExchangePosition, { maxItems: 200 })),
  /** Entries of the period, and SHA-256 of them all as `journal.json` lists them, in hex. */
  entries: Type.Object({ count: Count, sha256: Type.String() }),
})
export type Period = Static<typeof Period>

export const PeriodPreview = Type.Object({
  ...Period.properties,
  /** Whether its last day is over in the time zone of the journal. Only then can it be closed. */
  isOver: Type.Boolean(),
  /** Its close; null: it is open. */
  closedBy: Nullable(Type.String()),
})

export const CLOSE_TYPE = 'windlass-close-1'

/** What is signed of a close. */
export const CloseStatement = Type.Object({
  type: Type.Literal(CLOSE_TYPE),
  homeDomain: Type.String(),
  networkPassphrase: Type.String(),
  distributionAccount: Type.String(),
  kind: Type.Enum(closeKinds),
  from: Day,
  to: Day,
  at: Time,
  by: Type.String(),
  /** SHA-256 of the content, in hex. */
  content: Type.String(),
  /** SHA-256 of the message before it, in hex; null: it is the first one. */
  previous: Nullable(Type.String()),
})
export type CloseStatement = Static<typeof CloseStatement>

export const ClosedPeriod = Type.Object({
  id: Type.String(),
  kind: Type.Enum(closeKinds),
  from: Day,
  to: Day,
  /** What was open, by kind; empty: nothing was. */
  open: Type.Array(Type.Enum(openKinds)),
  /** Why it was closed although something was open. */
  reason: Nullable(Type.String()),
  by: Type.String(),
  at: Time,
  /** SHA-256 of the signed message, in hex. */
  sha256: Type.String(),
  /** Whether the anchor's signing key signed it. */
  signed: Type.Boolean(),
})
export type ClosedPeriod = Static<typeof ClosedPeriod>

/** A close with all that it says, and how to verify it. */
export const CloseDocument = Type.Object({
  ...ClosedPeriod.properties,
  period: Period,
  /** The content as text: its SHA-256 is in the message. */
  content: Type.String(),
  /** A {@link CloseStatement} as text: what is signed, by SEP-53. */
  message: Type.String(),
  /** In base64. Null on a developer's machine whose anchors have no signer. */
  signature: Nullable(Type.String()),
  signingKey: Type.String(),
})

const PeriodQuery = Type.Object({ kind: Type.Enum(closeKinds), day: Day })

export const getPeriod = endpoint('GET /api/v1/journal/period', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'The day or month that has a day: its balances, what is open, and what came late',
  query: PeriodQuery,
  response: { 200: PeriodPreview },
})

export const listCloses = endpoint('GET /api/v1/journal/closes', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Closed days and months, newest first',
  query: Type.Object(Page),
  response: { 200: Type.Array(ClosedPeriod) },
})

export const getClose = endpoint('GET /api/v1/journal/closes/:id', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'A closed period with its balances and its signature',
  params: Type.Object({ id: Id }),
  response: { 200: CloseDocument },
  problems: ['not-found'],
})

/*
 * For the platform, which knows the operator and their role, and proves itself in `x-windlass-platform`.
 */

export const setJournalAccountAs = endpoint('PUT /admin/journal/accounts/:account', {
  realm: 'anchor-admin',
  summary: 'Sets the number and tax key of an account, and whose money a rail holds',
  params: Type.Object({ account: Type.String({ maxLength: 60 }) }),
  body: signed(AccountSettings),
  response: { 200: JournalAccount },
  problems: ['not-found'],
  idempotent: 'replay',
})

/** Entries keep the days that they have: a time zone counts for those from then on. */
export const setJournalSettingsAs = endpoint('PUT /admin/journal/settings', {
  realm: 'anchor-admin',
  summary: 'Changes how the journal is kept',
  body: signed(JournalSettings),
  response: { 200: JournalSettings },
  idempotent: 'replay',
})

/**
 * Closes a day or a month that is over, with all days before it. What is booked on one of them from then on counts on the
 * first open day.
 */
export const closePeriodAs = endpoint('POST /admin/journal/closes', {
  realm: 'anchor-admin',
  summary: 'Closes a day or a month',
  body: signed(
    Type.Object({
      ...PeriodQuery.properties,
      /** Needed where something is open: why it is closed nevertheless. It is in what is signed. */
      reason: Type.Optional(Text(500)),
    }),
  ),
  response: { 201: ClosedPeriod },
  problems: ['action-not-possible', 'dependency-unavailable'],
  idempotent: 'replay',
})
