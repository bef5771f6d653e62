import Type, { type Static } from 'typebox'
import { Amount, Day, Id, Nullable, Page, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { signed } from '../relayed.ts'
import { ScreeningHit } from './compliance.ts'

/*
 * What people of compliance look into. Nobody else sees a case, nor that there is one: keys need the scope `compliance`.
 */

export const caseOutcomes = ['no-suspicion', 'reported', 'relationship-ended'] as const

const Subject = Type.Object({ kind: Type.Enum(['customer', 'transaction', 'payout']), id: Type.String() })

/** What a person looks into, with the hits about one customer, transaction or payout. */
export const Case = Type.Object({
  id: Type.String(),
  subject: Subject,
  status: Type.Enum(['open', 'closed']),
  /** Null while it is open. */
  outcome: Nullable(Type.Enum([...caseOutcomes])),
  /** `operator:<id>`; null: nobody. */
  assignedTo: Nullable(Type.String()),
  /** `YYYY-MM-DD` */
  dueOn: Type.String(),
  /** Open after that day. */
  isOverdue: Type.Boolean(),
  /** `screening`, or `operator:<id>` */
  openedBy: Type.String(),
  openedAt: Time,
  closedAt: Nullable(Time),
  /** How many hits belong to it. */
  hits: Type.Integer(),
})
export type Case = Static<typeof Case>

export const CaseStep = Type.Object({
  kind: Type.Enum(['opened', 'noted', 'planned', 'closed']),
  /** What was written, or why. */
  text: Nullable(Type.String()),
  assignedTo: Type.Optional(Nullable(Type.String())),
  dueOn: Type.Optional(Type.String()),
  outcome: Type.Optional(Type.Enum([...caseOutcomes])),
  by: Type.String(),
  at: Time,
  /** When retention removed what was written; null: it did not. */
  removedAt: Type.Optional(Nullable(Time)),
})

/** A payment of a bank file that a case is about: a payout, or money that goes back without a transaction. */
export const CasePayout = Type.Object({
  id: Type.String(),
  /** What the bank shows with it. */
  code: Type.String(),
  kind: Type.Enum(['payout', 'return']),
  rail: Type.String(),
  amount: Amount,
  currency: Type.String(),
  transactionId: Nullable(Type.String()),
  /** By SEP-9's names; null: the account is not known or not complete. */
  payee: Nullable(Type.Record(Type.String(), Type.String())),
  /** The line of the bank whose money goes back. */
  line: Nullable(
    Type.Object({
      id: Type.String(),
      bookedOn: Type.String(),
      bankReference: Nullable(Type.String()),
      payer: Nullable(Type.String()),
      account: Nullable(Type.String()),
      text: Nullable(Type.String()),
      file: Type.Object({ name: Type.String(), sha256: Type.String() }),
    }),
  ),
  createdAt: Time,
  endedAt: Nullable(Time),
})
export type CasePayout = Static<typeof CasePayout>

export const CaseFile = Type.Object({
  case: Case,
  hits: Type.Array(ScreeningHit, { maxItems: 200 }),
  /** What was done, oldest first. */
  steps: Type.Array(CaseStep, { maxItems: 500 }),
  /** Transactions of other customers with the same bank account, wallet or address as one of the case. */
  linked: Type.Array(Type.String(), { maxItems: 200 }),
  /** The payment that the case is about. */
  payout: Type.Optional(CasePayout),
})
export type CaseFile = Static<typeof CaseFile>

const Params = Type.Object({ id: Id })
export const CasesQuery = Type.Object({ status: Type.Optional(Type.Enum(['open', 'closed'])), ...Page })
export const NewCase = {
  subject: Type.Object({ kind: Type.Enum(['customer', 'transaction']), id: Text(200) }),
  /** Why: it is kept with the case. */
  reason: Text(2000),
}
export const CaseNote = { text: Text(4000) }
/** The person who has the case, and the day by which it is decided. */
export const CasePlan = { assignedTo: Nullable(Text(100)), dueOn: Day }
export const CaseEnd = { outcome: Type.Enum([...caseOutcomes]), reason: Text(4000) }

export const listCases = endpoint('GET /api/v1/cases', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'Cases of compliance, newest first',
  query: CasesQuery,
  response: { 200: Type.Array(Case) },
})

export const getCase = endpoint('GET /api/v1/cases/:id', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'A case with its hits and what was done',
  params: Params,
  response: { 200: CaseFile },
  problems: ['case-not-found'],
})

export const caseReportFormats = ['fincen-sar', 'goaml'] as const
/** `missing`: the unit's schema demands it. `not-listed`: no value of its list or type. `left-out`: it does not know it. */
export const CaseReportFinding = Type.Object({
  kind: Type.Enum(['missing', 'not-listed', 'left-out']),
  /** Such as `report/transaction/t_to/to_country`. */
  path: Type.String(),
  value: Nullable(Type.String()),
})
export type CaseReportFinding = Static<typeof CaseReportFinding>
export const CaseReport = Type.Object({
  fileName: Type.String(),
  xml: Type.String(),
  /** What the draft lacks by the unit's schema; null, or absent: no schema was given. */
  schema: Type.Optional(
    Nullable(
      Type.Object({ fileName: Type.String(), findings: Type.Array(CaseReportFinding, { maxItems: 500 }) }),
    ),
  ),
})

export type CaseReport = Static<typeof CaseReport>

/**
 * `fincen-sar`: FinCEN's SAR, form type SARX. `goaml`: the report of goAML 4, for units of many countries, in the form of the unit's
 * own schema where the settings have it. Both are drafts: what the anchor does not know of itself or its unit is empty or UNKNOWN,
 * for the filer.
 */
export const getCaseReport = endpoint('GET /api/v1/cases/:id/report', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'A draft of a report about a case, for the authority',
  params: Params,
  query: Type.Object({
    format: Type.Enum([...caseReportFormats]),
    /** The currency of the unit's country, for goAML; by default that of the settings, else the currency of the first asset. */
    currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  }),
  response: { 200: CaseReport },
  problems: ['case-not-found'],
})

/* For the platform, which knows the operator and their role. */

export const openCaseAs = endpoint('POST /admin/cases', {
  realm: 'anchor-admin',
  summary: 'Opens a case about a customer or a transaction; where one is open, adds the reason to it',
  body: signed(Type.Object(NewCase)),
  response: { 200: CaseFile },
  problems: ['customer-not-found', 'transaction-not-found'],
  idempotent: 'secret',
})

export const noteCaseAs = endpoint('POST /admin/cases/:id/notes', {
  realm: 'anchor-admin',
  summary: 'Adds a note to a case',
  params: Params,
  body: signed(Type.Object(CaseNote)),
  response: { 200: CaseFile },
  problems: ['case-not-found'],
  idempotent: 'secret',
})

export const planCaseAs = endpoint('PUT /admin/cases/:id/plan', {
  realm: 'anchor-admin',
  summary: 'Gives a case to someone, and says by when it is decided',
  params: Params,
  body: signed(Type.Object(CasePlan)),
  response: { 200: CaseFile },
  problems: ['case-not-found', 'case-closed'],
  idempotent: 'secret',
})

export const closeCaseAs = endpoint('POST /admin/cases/:id/close', {
  realm: 'anchor-admin',
  summary: 'Ends a case whose hits are decided',
  params: Params,
  body: signed(Type.Object(CaseEnd)),
  response: { 200: CaseFile },
  problems: ['case-not-found', 'case-closed', 'case-not-decided'],
  idempotent: 'secret',
})
