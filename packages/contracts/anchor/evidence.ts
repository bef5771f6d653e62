import Type, { type Static } from 'typebox'
import { Count, Id, Nullable, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { ratings } from './risk-rating.ts'

/* Everything about one transaction for an auditor, as it was when it happened. */

/** What was known when a transaction was agreed, or when its money left. */
export const Snapshot = Type.Object({
  moment: Type.Enum(['agreed', 'left']),
  at: Time,
  /** Its customer; of a direct payment its receiver too. */
  customers: Type.Array(
    Type.Object({
      id: Type.String(),
      account: Type.String(),
      memo: Nullable(Type.String()),
      /** By SEP-9's names. */
      fields: Type.Record(Type.String(), Type.String()),
      verifiedName: Nullable(Type.String()),
      /** How their identity was checked; null: it was not. */
      identity: Nullable(
        Type.Object({
          status: Type.String(),
          provider: Nullable(Type.String()),
          session: Nullable(Type.String()),
          at: Time,
        }),
      ),
      rating: Nullable(Type.Enum([...ratings])),
    }),
  ),
  /** Versions of what counted. */
  rules: Type.Object({
    lists: Type.Array(
      Type.Object({
        version: Count,
        source: Type.String(),
        publishedOn: Nullable(Type.String()),
        sha256: Type.String(),
      }),
    ),
    threshold: Type.Number(),
    settings: Count,
    velocityRules: Count,
    countryRules: Count,
    riskRules: Count,
    travelRule: Count,
  }),
})
export type Snapshot = Static<typeof Snapshot>

export const EVIDENCE_TYPE = 'windlass-evidence-1'

/** What is signed of an evidence file. */
export const EvidenceStatement = Type.Object({
  type: Type.Literal(EVIDENCE_TYPE),
  homeDomain: Type.String(),
  networkPassphrase: Type.String(),
  distributionAccount: Type.String(),
  transaction: Type.String(),
  at: Time,
  /** SHA-256 of the content, in hex. */
  content: Type.String(),
})
export type EvidenceStatement = Static<typeof EvidenceStatement>

export const EvidenceFile = Type.Object({
  /** JSON: its SHA-256 is in the message. */
  content: Type.String(),
  message: Type.String(),
  /** The anchor's SIGNING_KEY in stellar.toml. */
  signingKey: Type.String(),
  /** The message's signature by SEP-53, in base64. Null on a developer's machine whose anchors have no signer. */
  signature: Nullable(Type.String()),
  /** The content to print, in base64; where it was asked for. */
  pdf: Type.Optional(Type.String()),
})
export type EvidenceFile = Static<typeof EvidenceFile>

export const getEvidence = endpoint('GET /api/v1/transactions/:id/evidence', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'Everything about a transaction for an auditor, signed',
  params: Type.Object({ id: Id }),
  query: Type.Object({ pdf: Type.Optional(Type.Boolean()) }),
  response: { 200: EvidenceFile },
  problems: ['transaction-not-found', 'dependency-unavailable'],
})
