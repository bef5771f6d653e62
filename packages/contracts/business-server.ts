import Type, { type Static } from 'typebox'
import { Amount, Id, Text } from './common.ts'
import { LedgerIncident, resolveLedgerIncident } from './developer-api.ts'
import { endpoint } from './endpoint.ts'

/** What the health worker and the operator's console learn of one anchor. */
export const AnchorSummary = Type.Object({
  status: Type.Enum(['ok', 'failing']),
  /** What the distribution account holds of the asset, less what open quotes and pending deposits reserve. */
  treasury_capacity: Amount,
  assets: Type.Array(
    Type.Object({
      code: Type.String(),
      issuer: Type.String(),
      anchoredTo: Type.String(),
      balance: Amount,
      reserved: Amount,
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
  /** Payments on the ledger that wait, and what the oldest waits for, such as `needs 2.5 XLM`; null: none. */
  waiting: Type.Optional(
    Type.Union([Type.Object({ payments: Type.Integer(), reason: Type.String() }), Type.Null()]),
  ),
  rails: Type.Array(
    Type.Object({
      name: Type.String(),
      currency: Type.String(),
      simulated: Type.Boolean(),
      /** Currency units for one unit of the asset; null: there is none, so that nothing is quoted over this rail. */
      rate: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
  version: Type.String(),
})
export type AnchorSummary = Static<typeof AnchorSummary>

export const getAnchorSummary = endpoint('GET /admin/summary', {
  realm: 'anchor-admin',
  summary: 'State and treasury of the anchor',
  response: { 200: AnchorSummary },
})

/** For the platform, which knows the operator and their role. */
export const resolveAnchorIncident = endpoint('POST /admin/ledger-incidents/:id/resolve', {
  realm: 'anchor-admin',
  summary: 'Closes an incident with the ledger as an operator says',
  params: Type.Object({ id: Id }),
  body: Type.Object({ ...resolveLedgerIncident.body.properties, by: Text(100) }),
  response: { 200: LedgerIncident },
  problems: ['ledger-incident-not-found'],
})
