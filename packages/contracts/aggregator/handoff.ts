import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { Quote } from './quotes.ts'

const Published = Type.Union([Type.String(), Type.Null()])

/** Read from the anchor's discovery file (SEP-1); `null` for what the anchor does not serve. */
export const SepEndpoints = Type.Object({
  /** SEP-10 */
  webAuth: Published,
  /** SEP-45, for contract accounts (`C…`) */
  webAuthForContracts: Published,
  /** SEP-6 */
  transferServer: Published,
  /** SEP-24 */
  transferServerSep24: Published,
  /** SEP-12 */
  kycServer: Published,
  /** SEP-38 */
  quoteServer: Published,
  /** SEP-31 */
  directPayment: Published,
})
export type SepEndpoints = Static<typeof SepEndpoints>

export const Handoff = Type.Object({
  anchorId: Type.String(),
  homeDomain: Type.String(),
  /** Signs the anchor's challenges (SEP-10, SEP-45). */
  signingKey: Published,
  networkPassphrase: Type.Optional(Type.String()),
  /** `C…`: the contract by which contract accounts log in (SEP-45). */
  webAuthContract: Published,
  endpoints: SepEndpoints,
  discoveryUrl: Type.String(),
  /** Where the wallet of `account` asks for its challenge: SEP-10, or SEP-45 for `C…`. */
  challengeUrl: Type.Optional(Type.String()),
  quote: Type.Optional(Quote),
})
export type Handoff = Static<typeof Handoff>

export const startTransaction = endpoint('POST /transactions/start', {
  realm: 'public',
  limit: 'shared',
  summary: "Hands a wallet the selected anchor's public SEP endpoints",
  body: Type.Object({
    quoteId: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    decisionId: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    anchorId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 300, description: "The anchor's id, or its slug or domain" }),
    ),
    account: Type.Optional(
      Type.String({
        pattern: '^([GM][A-Z2-7]{55,68}|C[A-Z2-7]{55})$',
        description: "The wallet's ledger account",
      }),
    ),
  }),
  needs: [['quoteId', 'decisionId', 'anchorId']],
  response: { 200: Handoff },
  problems: [
    'anchor-not-found',
    'anchor-wrong-state',
    'quote-not-found',
    'quote-expired',
    'decision-not-found',
    'no-eligible-anchor',
    'amount-outside-limits',
    'discovery-unreachable',
    'discovery-mismatch',
  ],
})
