import Type, { type Static } from 'typebox'
import { Amount, AmountInput, Id, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { QuotedFee } from './quotes.ts'

/** One end of a transfer: how money is paid in or out. */
export const TransferEnd = Type.Object({
  currency: Type.String({ pattern: '^[A-Za-z]{3}$', description: 'ISO 4217, such as `INR`' }),
  rail: Type.String({
    pattern: '^[A-Za-z0-9_-]{1,32}$',
    description: 'Payment rail such as `UPI`, in any case',
  }),
  region: Type.Optional(
    Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166 alpha-2; absent: any' }),
  ),
})

export const TransferPlanRequest = Type.Object({
  amount: Type.Union(AmountInput.anyOf, { description: 'What the sender pays in, in `from.currency`' }),
  from: TransferEnd,
  to: TransferEnd,
  external: Type.Optional(
    Type.Boolean({
      description:
        'Whether anchors of other platforms compete too; by default false. Their prices and fees are those that they stated last',
    }),
  ),
})
export type TransferPlanRequest = Static<typeof TransferPlanRequest>

const leg = {
  anchorId: Type.String(),
  slug: Type.String(),
  domain: Type.String(),
  asset: Type.String(),
  issuer: Type.String(),
  rail: Type.String(),
  currency: Type.String(),
  /** Currency units per asset unit. */
  fxRate: Type.String(),
  /** In asset units. */
  fee: QuotedFee,
  sellAmount: Amount,
  buyAmount: Amount,
  /** An anchor of another platform. */
  external: Type.Optional(Type.Boolean()),
  /** What it does not state. */
  unknown: Type.Optional(Type.Array(Type.String())),
}

const Plan = Type.Object({
  /** What the recipient gets, in `to.currency`. */
  received: Amount,
  /** `received` for one unit of `from.currency`, after all fees. */
  rate: Type.String(),
  /** Money against the asset: `sellAmount` in the currency, `buyAmount` in asset units. */
  deposit: Type.Object(leg),
  /** On the ledger, by path, at the time of the plan; absent where both anchors have the same asset. */
  conversion: Type.Optional(
    Type.Object({
      /** `CODE:ISSUER` or `native`, as the others. */
      sendAsset: Type.String(),
      sendAmount: Amount,
      destinationAsset: Type.String(),
      destinationAmount: Amount,
      /** Assets between the two, as `CODE:ISSUER` or `native`. */
      path: Type.Array(Type.String()),
    }),
  ),
  /** The asset against money: `sellAmount` in asset units, `buyAmount` in the currency, rounded down to hundredths. */
  withdrawal: Type.Object(leg),
})
export type Plan = Static<typeof Plan>

export const TransferPlan = Type.Object({
  id: Type.String(),
  createdAt: Time,
  amount: Amount,
  from: TransferEnd,
  to: TransferEnd,
  /** The most received first; at most five. */
  plans: Type.Array(Plan),
  /** Plain text: what was looked at, each part of the price, and why the first plan is the best. */
  reasoning: Type.String(),
})
export type TransferPlan = Static<typeof TransferPlan>

export const createTransferPlan = endpoint('POST /transfer-plans', {
  realm: 'public',
  limit: 'client',
  summary:
    'Plans a transfer from one rail to another: a deposit at one anchor, a withdrawal at another, and the path between',
  body: TransferPlanRequest,
  response: { 201: TransferPlan },
  problems: ['no-eligible-anchor', 'too-many-requests', 'dependency-unavailable'],
  idempotent: 'replay',
})

export const getTransferPlan = endpoint('GET /transfer-plans/:id', {
  realm: 'public',
  limit: 'shared',
  conditional: true,
  summary: 'A transfer plan as it was made; kept for 30 days',
  params: Type.Object({ id: Id }),
  response: { 200: TransferPlan },
  problems: ['decision-not-found'],
})
