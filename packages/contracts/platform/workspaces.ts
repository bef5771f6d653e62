import Type, { type Static } from 'typebox'
import { AnchorStatus, AuditEntry } from './administrators.ts'
import { AnchorPlan } from '../internal/anchor-plan.ts'
import { Id, Page, Time } from '../common.ts'
import { getAnchorSigning, setAnchorSigningLimits } from '../internal/control-plane.ts'
import { endpoint } from '../endpoint.ts'
import { MemberRole } from './operators.ts'
import { getAnchorHealth } from '../aggregator/registry.ts'
import { relayed } from '../relayed.ts'
import { AnchorOutcome, MissedRoute } from '../aggregator/routing.ts'

const Nullable = Type.Union([Type.String(), Type.Null()])

/** An anchor as the members of its organization see it. */
export const Workspace = Type.Object({
  id: Type.String(),
  organization: Type.Object({ id: Type.String(), name: Type.String() }),
  role: MemberRole,
  subdomain: Type.String(),
  homeDomain: Type.String(),
  status: AnchorStatus,
  /** Why it was suspended or removed. */
  reason: Nullable,
  /** When its accounts were last found gone from the ledger and restored. */
  ledgerResetAt: Type.Optional(Time),
  asset: AnchorPlan.properties.asset,
  furtherAssets: AnchorPlan.properties.furtherAssets,
  rails: Type.Array(Type.String()),
  regions: Type.Array(Type.String()),
  settlement: Type.String(),
  fees: AnchorPlan.properties.fees,
  limits: AnchorPlan.properties.limits,
  issuer: Nullable,
  distribution: Nullable,
  signingKey: Nullable,
  jobId: Nullable,
  createdAt: Time,
  activatedAt: Type.Union([Time, Type.Null()]),
})
export type Workspace = Static<typeof Workspace>

const Params = Type.Object({ anchorId: Id })

export const getWorkspace = endpoint('GET /api/v1/anchors/:anchorId', {
  realm: 'operator',
  summary: 'One of your anchors',
  params: Params,
  response: { 200: Workspace },
  problems: ['anchor-not-found'],
})

/** From the aggregator: an anchor that is not registered yet has no minutes. */
export const getWorkspaceHealth = endpoint('GET /api/v1/anchors/:anchorId/health', {
  realm: 'operator',
  summary: "The anchor's last hour minute by minute, oldest first",
  params: Params,
  response: { 200: getAnchorHealth.response[200] },
  problems: ['anchor-not-found', 'dependency-unavailable'],
})

export const getWorkspaceAudit = endpoint('GET /api/v1/anchors/:anchorId/audit', {
  realm: 'operator',
  summary: 'What was done to the anchor and by whom, newest first',
  params: Params,
  query: Type.Object(Page),
  response: { 200: Type.Array(AuditEntry) },
  problems: ['anchor-not-found'],
})

/** The aggregator's routing decisions that name the anchor. */
export const getWorkspaceDecisions = endpoint('GET /api/v1/anchors/:anchorId/decisions', {
  realm: 'operator',
  summary: 'Why the anchor was or was not chosen in the latest routing decisions, newest first',
  params: Params,
  query: Type.Object(Page),
  response: { 200: Type.Array(AnchorOutcome) },
  problems: ['anchor-not-found', 'dependency-unavailable'],
})

/** Routes for an asset of the anchor that no anchor could serve. */
export const getWorkspaceMissedRoutes = endpoint('GET /api/v1/anchors/:anchorId/missed', {
  realm: 'operator',
  summary:
    'Routes for an asset of the anchor that no anchor could serve, and why this one could not, newest first',
  params: Params,
  query: Type.Object(Page),
  response: { 200: Type.Array(MissedRoute) },
  problems: ['anchor-not-found', 'dependency-unavailable'],
})

/** Limits for what the signer signs for the anchor's business server, and what it refused in the last 30 days. */
export const getWorkspaceSigning = relayed('GET /api/v1/anchors/:anchorId/signing', getAnchorSigning, {
  summary: 'Signing limits of the anchor, what was signed in the last hour and what was stopped',
})

/** The limits apply from the next payment on. */
export const setWorkspaceSigningLimits = relayed(
  'PUT /api/v1/anchors/:anchorId/signing/limits',
  setAnchorSigningLimits,
  {
    who: 'admin',
    confirm: true,
    secondPerson: true,
    problems: ['second-person-waits'],
    summary: 'Sets the signing limits of the anchor; higher ones wait for a second person',
  },
)
