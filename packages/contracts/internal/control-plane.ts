import Type, { type Static } from 'typebox'
import { AnchorEvent, Removal, Release, Upgrade, UpgradeRequest } from '../platform/anchor-life.ts'
import { AnchorPlan } from './anchor-plan.ts'
import { Amount, Count, Id, Ok, Text, Time } from '../common.ts'
import { Signing, SigningLimits } from './signer.ts'
import { endpoint } from '../endpoint.ts'
import { Job, JobParams, JobStatus, LogLine } from '../platform/provisioning.ts'

/*
 * Between the platform API and the control plane, both with SERVICE_SECRET. The platform hands a job over through
 * its outbox; the control plane owns the run and reports each change back through its own outbox.
 */

/** Accepts a job. A second request with the same id gets the answer of the first. */
export const acceptJob = endpoint('POST /jobs', {
  realm: 'service',
  summary: 'Accepts a provisioning job',
  body: Type.Object({ jobId: Type.String({ minLength: 22, maxLength: 64 }), plan: AnchorPlan }),
  response: { 202: Job },
  problems: ['anchor-wrong-state'],
})

export const getControlPlaneJob = endpoint('GET /jobs/:jobId', {
  realm: 'service',
  summary: "A job as the control plane's journal has it",
  params: JobParams,
  response: { 200: Job },
  problems: ['job-not-found'],
})

export const retryControlPlaneJob = endpoint('POST /jobs/:jobId/retry', {
  realm: 'service',
  summary: 'Continues a failed or stalled job at its current stage',
  params: JobParams,
  response: { 202: Type.Object({ jobId: Type.String(), status: JobStatus, attempts: Type.Integer() }) },
  problems: ['job-not-found', 'job-not-retryable'],
})

export const getJobLog = endpoint('GET /jobs/:jobId/log', {
  realm: 'service',
  summary: "A run's log, oldest first, after a line's id",
  params: JobParams,
  query: Type.Object({ after: Type.Optional(Count) }),
  response: { 200: Type.Array(LogLine, { maxItems: 500 }) },
  problems: ['job-not-found'],
})

export const AnchorParams = Type.Object({ anchorId: Id })

/** An anchor whose servers sleep, with what its summary said when it fell asleep. */
const SleepingAnchor = Type.Object({
  anchorId: Id,
  /** Where the control plane answers for its business server. */
  apiUrl: Type.String(),
  treasury_capacity: Amount,
  /** The first one first. */
  assets: Type.Array(
    Type.Object({ code: Type.String(), issuer: Type.String(), capacity: Type.Optional(Amount) }),
  ),
})

/** For the health worker, which asks once for all of them; it asks every other anchor itself. */
export const listSleepingAnchors = endpoint('GET /anchors/asleep', {
  realm: 'service',
  summary: 'The anchors whose servers sleep and that were healthy when they fell asleep',
  response: { 200: Type.Array(SleepingAnchor) },
})

/** Stops or starts an anchor's servers and removes or sets its route. The keys stay. Running servers start again with other rails. */
export const setAnchorRunning = endpoint('POST /anchors/:anchorId/running', {
  realm: 'service',
  summary: 'Starts or stops the servers of a provisioned anchor',
  params: AnchorParams,
  body: Type.Object({
    running: Type.Boolean(),
    rails: Type.Optional(AnchorPlan.properties.rails),
    railVersions: AnchorPlan.properties.railVersions,
  }),
  response: { 202: Ok },
  problems: ['anchor-not-found'],
})

/** `revision` grows with every change of a job: an older report never overwrites a newer one. */
export const reportProgress = endpoint('POST /api/v1/internal/provisioning/:jobId/progress', {
  realm: 'service',
  summary: 'Reports the current state of a job to the platform',
  params: JobParams,
  body: Type.Object({ revision: Count, job: Job }),
  response: { 200: Ok },
  problems: ['job-not-found'],
})

/** What the platform needs to know about a provisioned anchor: all public except the summary secret. */
export const ProvisionedAnchor = Type.Object({
  issuer: Type.String(),
  distribution: Type.String(),
  signingKey: Type.String(),
  /** The business server's private address, for the health worker. */
  apiUrl: Type.String(),
  summarySecret: Type.String({ minLength: 32 }),
  /** SHA-256 (hex) of the secret the anchor sends in `x-service-secret`. */
  serviceSecretHash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  treasuryCapacity: Amount,
  /** How many further assets the anchor serves; absent in an older release, which knows none. */
  furtherAssets: Type.Optional(Count),
  /** Its servers sleep since then; absent: they run. */
  asleepSince: Type.Optional(Time),
})
export type ProvisionedAnchor = Static<typeof ProvisionedAnchor>

/**
 * The last stage: the platform registers the anchor with the aggregator and marks it active. Answers only after
 * the aggregator has acknowledged; may be repeated.
 */
export const activateAnchor = endpoint('POST /api/v1/internal/provisioning/:jobId/activate', {
  realm: 'service',
  summary: 'Registers a provisioned anchor with the aggregator and marks it active',
  params: JobParams,
  body: ProvisionedAnchor,
  response: { 200: Ok },
  problems: ['job-not-found', 'anchor-wrong-state', 'dependency-unavailable'],
})

/**
 * Lets the platform accept the anchor's own secret before the anchor is active: its business server asks for customers'
 * central status from its first request on.
 */
export const announceAnchorSecret = endpoint('POST /api/v1/internal/provisioning/:jobId/secret', {
  realm: 'service',
  summary: "Sends the hash of an anchor's service secret to the platform",
  params: JobParams,
  body: Type.Object({ serviceSecretHash: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
  response: { 200: Ok },
  problems: ['job-not-found'],
})

/** Begins an upgrade. If one to the same release is under way, the answer is that one. */
export const requestUpgrade = endpoint('POST /anchors/:anchorId/upgrades', {
  realm: 'service',
  summary: "Upgrades an anchor's servers to a release",
  params: AnchorParams,
  body: Type.Object({ ...UpgradeRequest.properties, requestedBy: Text(250) }),
  response: { 202: Upgrade },
  problems: ['anchor-not-found', 'anchor-wrong-state', 'release-not-found'],
})

export const getUpgrades = endpoint('GET /anchors/:anchorId/upgrades', {
  realm: 'service',
  summary: "An anchor's upgrades, newest first, and its current release",
  params: AnchorParams,
  response: {
    200: Type.Object({
      release: Type.Union([Release, Type.Null()]),
      upgrades: Type.Array(Upgrade, { maxItems: 100 }),
    }),
  },
  problems: ['anchor-not-found'],
})

export const countOpenTransfers = endpoint('GET /anchors/:anchorId/open-transfers', {
  realm: 'service',
  summary:
    'The number of open transfers in an anchor’s database, what it owes, and what it holds of assets that others issue',
  params: AnchorParams,
  response: {
    200: Type.Object({
      open: Type.Integer(),
      /** In the distribution account; absent while the ledger does not answer. */
      units: Type.Optional(Type.Array(Type.Object({ code: Type.String(), amount: Amount }))),
      /** What it owes by its journal; absent: of an older control plane. */
      owed: Type.Optional(Type.Array(Type.Object({ unit: Type.String(), amount: Amount }))),
    }),
  },
  problems: ['anchor-not-found'],
})

/** Accepts a removal, once for each anchor; `records` is what the platform adds to the export. */
export const acceptRemoval = endpoint('POST /anchors/:anchorId/removal', {
  realm: 'service',
  summary: "Exports an anchor's data and removes the anchor permanently; its keys stay",
  params: AnchorParams,
  body: Type.Object({
    removalId: Text(64),
    forced: Type.Boolean(),
    records: Type.Record(Type.String(), Type.Unknown()),
  }),
  response: { 202: Ok },
  problems: ['anchor-not-found', 'anchor-wrong-state'],
})

export const readExport = endpoint('GET /anchors/:anchorId/export', {
  realm: 'service',
  summary: "The export of a removed anchor's data",
  params: AnchorParams,
  response: { 200: Type.Unknown() },
  problems: ['anchor-not-found', 'removal-not-found'],
  file: 'application/gzip',
})

/**
 * Reports the progress of a removal. `withdrawing` is answered only after the aggregator has removed the anchor. May
 * be repeated.
 */
export const reportRemoval = endpoint('POST /api/v1/internal/anchors/:anchorId/removal', {
  realm: 'service',
  summary: 'Reports the progress of an anchor’s removal to the platform',
  params: AnchorParams,
  body: Type.Pick(Removal, ['id', 'state', 'export', 'error']),
  response: { 200: Ok },
  problems: ['anchor-not-found', 'dependency-unavailable'],
})

/** An event with a known id changes nothing. */
export const reportAnchorEvent = endpoint('POST /api/v1/internal/anchors/:anchorId/events', {
  realm: 'service',
  summary: 'Reports an event of a provisioned anchor to the platform',
  params: AnchorParams,
  body: AnchorEvent,
  response: { 200: Ok },
  problems: ['anchor-not-found'],
})

export const getAnchorSigning = endpoint('GET /anchors/:anchorId/signing', {
  realm: 'service',
  summary: 'Signing limits of an anchor, what was signed in the last hour and what was stopped',
  params: AnchorParams,
  response: { 200: Signing },
  problems: ['anchor-not-found', 'dependency-unavailable'],
})

export const setAnchorSigningLimits = endpoint('PUT /anchors/:anchorId/signing/limits', {
  realm: 'service',
  summary: 'Sets the signing limits of an anchor',
  params: AnchorParams,
  body: SigningLimits,
  response: { 200: Signing },
  problems: ['anchor-not-found', 'dependency-unavailable'],
})
