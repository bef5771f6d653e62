import Type, { type Static } from 'typebox'
import { Amount, Id, Nullable, Page, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { relayed, signed } from '../relayed.ts'

/** That someone asked to pay a return again, which a second person approves or rejects. */
export const PendingRepayment = Type.Object({
  reason: Type.String(),
  /** `operator:<id>` */
  requestedBy: Type.String(),
  requestedAt: Time,
})

/** A payment of the anchor's that the bank sent back after it was paid, or a return that it could not pay, or that waits. */
export const ReturnedPayment = Type.Object({
  id: Type.String(),
  kind: Type.Enum(['payout', 'return']),
  rail: Type.String(),
  amount: Amount,
  currency: Type.String(),
  /** What is done about it is done with its transaction. Null: a return of money that belongs to none. */
  transactionId: Nullable(Type.String()),
  /** What the bank said, or why it waits. */
  reason: Type.String(),
  /** When it came back; of one that never left, when it was written down. */
  since: Time,
  /** False: a return that waits, since the server has no proof that it ordered it so. Two people let it leave. */
  hasLeft: Type.Boolean(),
  /** What waits for a second person; of one without a transaction. */
  pending: Nullable(PendingRepayment),
})
export type ReturnedPayment = Static<typeof ReturnedPayment>

const One = Type.Object({ id: Id })
const Repayment = Type.Object({ reason: Text(500) })
const Approval = Type.Object({ approve: Type.Boolean() })
const problems = ['returned-payment-not-found', 'action-not-possible'] as const
const approvalProblems = [...problems, 'action-not-found', 'second-person-needed'] as const

export const listReturnedPayments = endpoint('GET /api/v1/returned-payments', {
  realm: 'developer',
  scopes: ['read'],
  summary:
    'Payments that banks sent back and that wait for people, and returns that were not ordered, newest first',
  query: Type.Object(Page),
  response: { 200: Type.Array(ReturnedPayment) },
})

/**
 * Above the limit of the settings, and without a proof that the server ordered it, it waits for a second person. A
 * transaction's is paid again with its transaction.
 */
export const payReturnAgainAs = endpoint('POST /admin/returned-payments/:id/payment', {
  realm: 'anchor-admin',
  summary: 'Pays a return of money that belongs to no transaction again',
  params: One,
  body: signed(Repayment),
  response: { 200: ReturnedPayment },
  problems,
  idempotent: 'replay',
})

export const approveRepaymentAs = endpoint('POST /admin/returned-payments/:id/approval', {
  realm: 'anchor-admin',
  summary: 'Approves or rejects that a return is paid again',
  params: One,
  body: signed(Approval),
  response: { 200: ReturnedPayment },
  problems: approvalProblems,
  idempotent: 'replay',
})

export const listWorkspaceReturnedPayments = relayed(
  'GET /api/v1/anchors/:anchorId/returned-payments',
  listReturnedPayments,
  {},
)

export const payWorkspaceReturnAgain = relayed(
  'POST /api/v1/anchors/:anchorId/returned-payments/:id/payment',
  payReturnAgainAs,
  { area: 'finance', who: 'admin', confirm: true, secondPerson: true },
)

/** Those who asked can reject it, not approve it. */
export const approveWorkspaceRepayment = relayed(
  'POST /api/v1/anchors/:anchorId/returned-payments/:id/approval',
  approveRepaymentAs,
  { area: 'finance', who: 'admin', confirm: true, secondPerson: 'to-approve' },
)
