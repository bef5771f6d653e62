import Type, { type Static } from 'typebox'
import { Amount, Count, Id, Nullable, Page, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { signed } from '../relayed.ts'

/**
 * `treasury`: units in the distribution account against the journal. `customers`: what the journal owes customers against
 * the transactions under way. `bank-account`: lines of statements against the journal. `statement-missing`: a statement that
 * does not begin with the balance with which the one before it ended. `bank-balance`: a bank's closing balance against the
 * journal's of that account. `payout-open`: a payout or return that has not ended
 * for days. `payout-unknown`: the provider has a payout or refund that no record here explains.
 * `payout-missing`: one is recorded as paid and the provider does not have it. `payout-amount`: both have another amount.
 * `payment-unconfirmed`: a person said that money came, and the rail has not confirmed it; an alarm from `dueAt` on. `closed-period`:
 * balances at the end of a closed period are not those that were signed.
 * `decision-doubtful`: a line is called the business's own, or is matched to a transaction, and its reference, its payer,
 * the record of its money, or one that waits for exactly its amount speaks for another. `deposit-taken-back`: a bank took a deposit's money back after the units had left, and the customer owes it.
 * `payment-disputed`: a payer disputes a payment at the provider, or the provider took another amount than is booked.
 */
export const differenceKinds = [
  'treasury',
  'customers',
  'bank-account',
  'statement-missing',
  'bank-balance',
  'payout-open',
  'payout-unknown',
  'payout-missing',
  'payout-amount',
  'payment-unconfirmed',
  'closed-period',
  'deposit-taken-back',
  'decision-doubtful',
  'payment-disputed',
] as const

/** `gone`: a later comparison did not find it any more. */
export const differenceStates = ['open', 'resolved', 'gone'] as const

/**
 * Why a difference needs nothing more. `timing`: the other side comes later. `decided-elsewhere`: a decision or an entry
 * settled it. `written-off`: nobody will settle it.
 */
export const resolutions = [
  'timing',
  'bank-charge',
  'entered-wrong',
  'provider-error',
  'decided-elsewhere',
  'written-off',
  'other',
] as const

export const Difference = Type.Object({
  id: Type.String(),
  kind: Type.Enum(differenceKinds),
  /** The account, rail or payout that it is about. */
  subject: Type.String(),
  /** `asset`, or a currency (ISO 4217). */
  unit: Type.String(),
  /** What is there beyond what is recorded; negative: it lacks. */
  amount: Amount,
  detail: Type.String(),
  status: Type.Enum(differenceStates),
  foundAt: Time,
  lastSeenAt: Time,
  /** `operator:<id>` */
  assignedTo: Nullable(Type.String()),
  endedBy: Nullable(Type.String()),
  endedAt: Nullable(Time),
  reason: Nullable(Type.String()),
  /** Present in a resolved one. */
  resolution: Type.Optional(Nullable(Type.Enum(resolutions))),
  /** Who said it: `operator:<id>`, of what a person alone said; null: no act of a person does. */
  saidBy: Type.Optional(Nullable(Type.String())),
  /** Until when the other side may still come, so that it is no alarm; null: it is due. */
  dueAt: Type.Optional(Nullable(Time)),
  /** A resolution that waits for a second person. */
  pending: Type.Optional(
    Nullable(
      Type.Object({
        resolution: Type.Enum(resolutions),
        reason: Type.String(),
        by: Type.String(),
        at: Time,
      }),
    ),
  ),
})
export type Difference = Static<typeof Difference>

export const Reconciliation = Type.Object({
  /** Open differences. */
  open: Count,
  /** The last comparison; null: there was none. */
  last: Nullable(
    Type.Object({
      at: Time,
      /** `schedule` or `operator:<id>` */
      by: Type.String(),
      checks: Type.Array(
        Type.Object({
          name: Type.String(),
          /** `not-checked`: the other side did not answer, or a payment was under way. */
          result: Type.Enum(['equal', 'different', 'not-checked']),
          detail: Type.String(),
        }),
        { maxItems: 100 },
      ),
    }),
  ),
})
export type Reconciliation = Static<typeof Reconciliation>

export const DifferencesQuery = Type.Object({ status: Type.Optional(Type.Enum(differenceStates)), ...Page })
/** The operator that it is assigned to; null: nobody. */
export const Assignment = Type.Object({ to: Nullable(Type.String({ maxLength: 100 })) })
/** Why it needs nothing more, such as what was done outside. */
export const DifferenceResolution = Type.Object({
  reason: Text(500),
  /** By default `other`. */
  resolution: Type.Optional(Type.Enum(resolutions)),
})
export const DifferenceApproval = Type.Object({ approve: Type.Boolean() })
export const differenceProblems = ['difference-not-found', 'difference-ended'] as const

export const getReconciliation = endpoint('GET /api/v1/reconciliation', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'The last comparison of journal, ledger and rails',
  response: { 200: Reconciliation },
})

export const listDifferences = endpoint('GET /api/v1/reconciliation/differences', {
  realm: 'developer',
  scopes: ['read'],
  summary: 'Differences between journal, ledger and rails, newest first',
  query: DifferencesQuery,
  response: { 200: Type.Array(Difference) },
})

/*
 * For the platform, which knows the operator and their role, and proves itself in `x-windlass-platform`.
 */

export const reconcileAs = endpoint('POST /admin/reconciliation', {
  realm: 'anchor-admin',
  summary: 'Compares journal, ledger and rails now',
  body: signed(Type.Object({})),
  response: { 200: Reconciliation },
  idempotent: 'replay',
})

export const assignDifferenceAs = endpoint('POST /admin/reconciliation/differences/:id/assign', {
  realm: 'anchor-admin',
  summary: 'Assigns a difference to an operator, or to nobody',
  params: Type.Object({ id: Id }),
  body: Assignment,
  response: { 200: Difference },
  problems: differenceProblems,
  idempotent: 'replay',
})

export const resolveDifferenceAs = endpoint('POST /admin/reconciliation/differences/:id/resolve', {
  realm: 'anchor-admin',
  summary:
    'Resolves a difference with a reason; above the limit of the settings, and of one’s own word, a second person approves it',
  params: Type.Object({ id: Id }),
  body: signed(DifferenceResolution),
  response: { 200: Difference },
  problems: differenceProblems,
  idempotent: 'replay',
})

export const approveDifferenceAs = endpoint('POST /admin/reconciliation/differences/:id/approval', {
  realm: 'anchor-admin',
  summary: 'Approves or rejects the resolution that someone else proposed',
  params: Type.Object({ id: Id }),
  body: signed(DifferenceApproval),
  response: { 200: Difference },
  problems: [...differenceProblems, 'action-not-found', 'second-person-needed'],
  idempotent: 'replay',
})
