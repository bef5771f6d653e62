import Type, { type Static } from 'typebox'
import { Id, Ok, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'

/** What one wallet compatibility check found at an anchor. */
export const CheckResult = Type.Object({
  /** Stable name, such as `sep10-login`. */
  name: Type.String({ maxLength: 60 }),
  /** The Stellar Ecosystem Proposal that asks for it. */
  sep: Type.Integer({ minimum: 1, maximum: 999 }),
  /** What wallets rely on, as a sentence. */
  requirement: Type.String({ maxLength: 300 }),
  /** What wallets cannot do if the check fails. */
  impact: Type.String({ maxLength: 300 }),
  passed: Type.Boolean(),
  /** What was found instead; null if the check passed. */
  detail: Type.Union([Type.String({ maxLength: 400 }), Type.Null()]),
  durationMs: Type.Integer({ minimum: 0 }),
})
export type CheckResult = Static<typeof CheckResult>

/** One run of all checks against an anchor. */
export const WalletCheckReport = Type.Object({
  checkedAt: Time,
  results: Type.Array(CheckResult, { minItems: 1, maxItems: 200 }),
})
export type WalletCheckReport = Static<typeof WalletCheckReport>

const Params = Type.Object({ anchorId: Id })

/** The control plane to the platform, after every run. May be repeated. */
export const reportWalletChecks = endpoint('POST /api/v1/internal/anchors/:anchorId/wallet-checks', {
  realm: 'service',
  summary: 'Stores the report of a wallet compatibility check',
  params: Params,
  body: WalletCheckReport,
  response: { 200: Ok },
  problems: ['anchor-not-found'],
  bodyLimit: 400 * 1024,
})

/** The platform to the control plane. */
export const requestWalletChecks = endpoint('POST /anchors/:anchorId/wallet-checks', {
  realm: 'service',
  summary: 'Starts the wallet compatibility check of an anchor now',
  params: Params,
  response: { 202: Ok },
  problems: ['anchor-not-found', 'anchor-wrong-state'],
})

export const WalletChecks = Type.Object({
  /** Null before the first run. */
  latest: Type.Union([WalletCheckReport, Type.Null()]),
  /** The latest thirty runs, newest first. */
  history: Type.Array(Type.Object({ checkedAt: Time, passed: Type.Integer(), total: Type.Integer() })),
})
export type WalletChecks = Static<typeof WalletChecks>

export const getWalletChecks = endpoint('GET /api/v1/anchors/:anchorId/wallet-checks', {
  realm: 'operator',
  summary: 'The results of the last wallet compatibility check',
  params: Params,
  response: { 200: WalletChecks },
  problems: ['anchor-not-found'],
})

/** At most six an hour for each anchor; the report follows within a minute. */
export const startWalletChecks = endpoint('POST /api/v1/anchors/:anchorId/wallet-checks', {
  realm: 'operator',
  who: 'member',
  summary: 'Starts a wallet compatibility check now',
  params: Params,
  response: { 202: Ok },
  problems: ['anchor-wrong-state', 'too-many-requests', 'dependency-unavailable'],
})
