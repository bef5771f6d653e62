import Type, { type Static } from 'typebox'
import { Id, OneLine, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { relayed, signed } from '../relayed.ts'

export const actionKinds = ['cancel', 'refund', 'resend', 'mark-paid', 'pay-again', 'write-off'] as const
export type ActionKind = (typeof actionKinds)[number]

/** An account at a bank, with the names of the rail's fields. */
export const PayeeAccount = Type.Object({
  /** IBAN, account number or UPI ID. */
  dest: Text(100),
  /** BIC, IFSC or routing number. */
  dest_extra: Type.Optional(Text(40)),
  dest_name: Type.Optional(OneLine(100)),
})

export type PayeeAccount = Static<typeof PayeeAccount>

/** What an operator did with a transaction, or asks a second person to approve. */
export const OperatorAction = Type.Object({
  id: Type.String(),
  transactionId: Type.String(),
  kind: Type.Enum([...actionKinds]),
  reason: Type.String(),
  /** The rail's own id of the payment, as evidence for `mark-paid`. */
  paymentId: Type.Union([Type.String(), Type.Null()]),
  /** Where it is paid, for `pay-again` to another account and for what two people release, while it waits; for API keys its last characters alone. */
  account: Type.Optional(Type.Union([PayeeAccount, Type.Null()])),
  status: Type.Enum(['waiting', 'done', 'rejected']),
  /** `operator:<id>` */
  requestedBy: Type.String(),
  requestedAt: Time,
  decidedBy: Type.Union([Type.String(), Type.Null()]),
  decidedAt: Type.Union([Time, Type.Null()]),
})
export type OperatorAction = Static<typeof OperatorAction>

export const NewOperatorAction = Type.Object({
  kind: Type.Enum([...actionKinds]),
  reason: Text(500),
  /** Needed by `mark-paid`: the bank's or provider's id of the payment, or the hash of its transaction on the ledger. */
  paymentId: Type.Optional(Text(200)),
  /** Another account, for `pay-again` of a withdrawal. A second person approves it whatever the amount. */
  account: Type.Optional(PayeeAccount),
})

const Decision = Type.Object({ approve: Type.Boolean() })
const problems = ['transaction-not-found', 'action-not-possible', 'statements-missing'] as const
const decisionProblems = [...problems, 'action-not-found', 'action-decided', 'second-person-needed'] as const

/** For the platform, which knows the operator and their role. */
export const requestAction = endpoint('POST /admin/transactions/:id/actions', {
  realm: 'anchor-admin',
  summary: 'Does something with a transaction, or asks for a second person above the limit of the settings',
  params: Type.Object({ id: Id }),
  body: signed(NewOperatorAction),
  response: { 201: OperatorAction },
  problems: [...problems],
  idempotent: 'secret',
})

export const decideAction = endpoint('POST /admin/operator-actions/:id/decision', {
  realm: 'anchor-admin',
  summary: 'Approves an action of someone else, or rejects one',
  params: Type.Object({ id: Id }),
  body: signed(Decision),
  response: { 200: OperatorAction },
  problems: [...decisionProblems],
  idempotent: 'secret',
})

/**
 * `cancel` ends a transaction that nobody paid; `refund`
 * sends the money of a deposit back before the asset is paid, or the asset of a withdrawal whose payout waits for a bank file; `resend` tries what waits at once; `mark-paid` records a payment
 * over the rail that the rail did not report; `pay-again` pays what the bank sent back after it was paid, and `refund` of such a withdrawal gives the asset back. Above the limit `approvals.above` of the settings, or of those of the last day if
 * it was lower, all but `resend` wait until a second person approves them; it too, where it releases a payout that waits for `other-holder`. What the server did not agree as it is (`unbound`) two people pay by `resend` or `pay-again`, or give back by `refund`, whatever the amount.
 */
export const requestWorkspaceAction = relayed(
  'POST /api/v1/anchors/:anchorId/transactions/:id/actions',
  requestAction,
  {
    ...{ area: 'finance', who: 'admin', confirm: true, secondPerson: true },
    summary: 'Cancels, refunds or resends a transaction, or marks it as paid, as a person of the team',
  },
)

/** Those who asked for an action can reject it, not approve it. */
export const decideWorkspaceAction = relayed(
  'POST /api/v1/anchors/:anchorId/operator-actions/:id/decision',
  decideAction,
  {
    ...{ area: 'finance', who: 'admin', confirm: true, secondPerson: 'to-approve' },
    summary: 'Approves an action of another person, or rejects one',
  },
)
