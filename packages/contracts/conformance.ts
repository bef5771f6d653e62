import Type, { type Static } from 'typebox'
import { Id, Ok, Time } from './common.ts'
import { endpoint } from './endpoint.ts'

/** One demand that wallets make of an anchor, and whether it is met. */
export const Finding = Type.Object({
  /** Stable name, such as `sep10-login`. */
  check: Type.String({ maxLength: 60 }),
  /** The Stellar Ecosystem Proposal that makes the demand. */
  sep: Type.Integer({ minimum: 1, maximum: 999 }),
  /** What is demanded, as a sentence. */
  demand: Type.String({ maxLength: 300 }),
  /** What wallets cannot do where it is not met. */
  meaning: Type.String({ maxLength: 300 }),
  passed: Type.Boolean(),
  /** What was found instead; null where it is met. */
  detail: Type.Union([Type.String({ maxLength: 400 }), Type.Null()]),
  /** Milliseconds. */
  took: Type.Integer({ minimum: 0 }),
})
export type Finding = Static<typeof Finding>

/** What one visit to an anchor found. */
export const ConformanceReport = Type.Object({
  checkedAt: Time,
  findings: Type.Array(Finding, { minItems: 1, maxItems: 200 }),
})
export type ConformanceReport = Static<typeof ConformanceReport>

const Params = Type.Object({ anchorId: Id })

/** The control plane to the platform, after every check. May be repeated. */
export const reportConformance = endpoint('POST /api/v1/internal/anchors/:anchorId/conformance', {
  realm: 'service',
  summary: "Keeps what an anchor's conformance check found",
  params: Params,
  body: ConformanceReport,
  response: { 200: Ok },
  problems: ['anchor-not-found'],
  bodyLimit: 400 * 1024,
})

/** The platform to the control plane. */
export const checkAnchorSoon = endpoint('POST /anchors/:anchorId/conformance', {
  realm: 'service',
  summary: "Has an anchor's conformance checked now instead of at its time of the day",
  params: Params,
  response: { 202: Ok },
  problems: ['anchor-not-found', 'anchor-wrong-state'],
})

export const Conformance = Type.Object({
  /** Null before the first check. */
  latest: Type.Union([ConformanceReport, Type.Null()]),
  /** The latest thirty, newest first. */
  history: Type.Array(Type.Object({ checkedAt: Time, passed: Type.Integer(), demands: Type.Integer() })),
})
export type Conformance = Static<typeof Conformance>

export const getConformance = endpoint('GET /api/v1/anchors/:anchorId/conformance', {
  realm: 'operator',
  summary: 'What the last conformance check of the anchor found',
  params: Params,
  response: { 200: Conformance },
  problems: ['anchor-not-found'],
})

/** At most six an hour for each anchor; the report follows within a minute. */
export const checkConformance = endpoint('POST /api/v1/anchors/:anchorId/conformance', {
  realm: 'operator',
  summary: 'Has the anchor checked now',
  params: Params,
  response: { 202: Ok },
  problems: ['anchor-not-found', 'anchor-wrong-state', 'too-many-requests', 'dependency-unavailable'],
})
