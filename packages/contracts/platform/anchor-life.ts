import Type, { type Static } from 'typebox'
import { AnchorStatus, FleetParams } from './administrators.ts'
import { Day, Id, OneLine, Page, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { LogLine } from './provisioning.ts'

/*
 * What happens to an anchor after it is provisioned, as administrators and its own operators see it.
 */

export const AnchorEventKind = Type.Enum([
  /** A test network was reset: the accounts were gone and were funded and issued again with the same keys. */
  'ledger-reset',
  'upgraded',
  /** The old version keeps running; `detail` gives the reason. */
  'upgrade-failed',
  /** The anchor's own secrets were replaced; `detail` says which. */
  'secrets-rotated',
  /** Everything except the keys was removed; its data is in an export. */
  'removed',
  /** It closes: until a day units are redeemed, and what is left then is handed to someone. */
  'closing',
])
export type AnchorEventKind = Static<typeof AnchorEventKind>

export const AnchorEvent = Type.Object({
  id: Type.String(),
  at: Time,
  kind: AnchorEventKind,
  /** A sentence for people. */
  detail: Type.String(),
})
export type AnchorEvent = Static<typeof AnchorEvent>

const AnchorParams = Type.Object({ anchorId: Id })

export const listAnchorEvents = endpoint('GET /api/v1/anchors/:anchorId/events', {
  realm: 'operator',
  summary: 'Events of one of your own anchors, newest first',
  params: AnchorParams,
  query: Type.Object(Page),
  response: { 200: Type.Array(AnchorEvent) },
  problems: ['anchor-not-found'],
})

export const listFleetEvents = endpoint('GET /api/v1/admin/anchors/:id/events', {
  realm: 'admin',
  role: 'viewer',
  summary: 'Events of an anchor, newest first',
  params: FleetParams,
  query: Type.Object(Page),
  response: { 200: Type.Array(AnchorEvent) },
  problems: ['anchor-not-found'],
})

/** Each event's data is one {@link LogLine}; its id is what `Last-Event-ID` takes. */
export const streamAnchorLog = endpoint('GET /api/v1/anchors/:anchorId/log/events', {
  realm: 'operator',
  summary: 'The provisioning log of one of your anchors as server-sent events, from its first line',
  params: AnchorParams,
  response: { 200: LogLine },
  problems: ['anchor-not-found', 'too-many-requests'],
  events: true,
})

/** What an anchor's two servers run from: the version of the platform's own software, or images of an engine. */
export const Release = Type.Object({
  version: Type.String(),
  /** Where they run as containers. */
  images: Type.Optional(Type.Object({ sep: Type.String(), business: Type.String() })),
  /** What those images held: the same tag may be built again. Missing where it is not known. */
  imageIds: Type.Optional(Type.Object({ sep: Type.String(), business: Type.String() })),
})
export type Release = Static<typeof Release>

export const Upgrade = Type.Object({
  id: Type.String(),
  /** Null: the previous release is unknown. */
  from: Type.Union([Release, Type.Null()]),
  to: Release,
  /**
   * `waiting` → `starting` (the new pair beside the old one) → `switching` (healthy; the route moves) → `succeeded`, or
   * `failed`: the old pair keeps running.
   */
  state: Type.Enum(['waiting', 'starting', 'switching', 'succeeded', 'failed']),
  /** `admin:<username>`, or `control-plane` where the platform's own release changed. */
  requestedBy: Type.String(),
  /** Why it failed: a stable code and a sentence. */
  error: Type.Union([Type.Object({ code: Type.String(), detail: Type.String() }), Type.Null()]),
  createdAt: Time,
  finishedAt: Type.Union([Time, Type.Null()]),
})
export type Upgrade = Static<typeof Upgrade>

const Version = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$' })
/** A reference as container engines accept it: `registry.example:5000/windlass:0.2.0`, or with a digest. */
const Image = Type.String({ pattern: '^[a-z0-9][A-Za-z0-9._/:@-]{0,254}$' })

export const UpgradeRequest = Type.Object({
  /** Where servers run as processes: that of a checkout below `releases/<version>`; as containers: the image's tag. */
  version: Type.Optional(Version),
  /** Where they run as containers: what both run from … */
  image: Type.Optional(Image),
  /** … and, if it differs, what the SEP server does. */
  protocolImage: Type.Optional(Image),
})
export type UpgradeRequest = Static<typeof UpgradeRequest>

export const upgradeAnchor = endpoint('POST /api/v1/admin/anchors/:id/upgrade', {
  realm: 'admin',
  role: 'operator',
  summary:
    "Upgrades an active anchor's servers to a release, by default the platform's own; rolls back if they are not healthy",
  params: FleetParams,
  body: UpgradeRequest,
  response: { 202: Upgrade },
  problems: [
    'anchor-not-found',
    'anchor-wrong-state',
    'confirmation-needed',
    'release-not-found',
    'dependency-unavailable',
  ],
})

export const listUpgrades = endpoint('GET /api/v1/admin/anchors/:id/upgrades', {
  realm: 'admin',
  role: 'viewer',
  summary: "An anchor's upgrades, newest first, at most 100, and its current release",
  params: FleetParams,
  response: {
    200: Type.Object({
      release: Type.Union([Release, Type.Null()]),
      upgrades: Type.Array(Upgrade, { maxItems: 100 }),
    }),
  },
  problems: ['anchor-not-found', 'dependency-unavailable'],
})

export const Export = Type.Object({
  /** Its name; `GET …/export` has its bytes. */
  file: Type.String(),
  bytes: Type.Integer(),
  /** Hex. */
  sha256: Type.String(),
  /** The rows of all tables. */
  rows: Type.Integer(),
})
export type Export = Static<typeof Export>

export const Removal = Type.Object({
  id: Type.String(),
  /**
   * `requested` → `exporting` → `withdrawing` (export verified; servers, route and registry entry are removed) → `dropping` (the
   * database) → `done`; or `refused`: transfers are open, the anchor stays suspended.
   */
  state: Type.Enum(['requested', 'exporting', 'withdrawing', 'dropping', 'done', 'refused']),
  reason: Type.String(),
  forced: Type.Boolean(),
  export: Type.Union([Export, Type.Null()]),
  /** What it waits for, or why it was refused. */
  error: Type.Union([Type.String(), Type.Null()]),
  createdAt: Time,
  finishedAt: Type.Union([Time, Type.Null()]),
})
export type Removal = Static<typeof Removal>

export const removeAnchor = endpoint('POST /api/v1/admin/anchors/:id/remove', {
  realm: 'admin',
  role: 'operator',
  summary:
    'Suspends an anchor, exports its data and then removes its servers, its database and its place in the registry; keys stay',
  params: FleetParams,
  body: Type.Object({
    reason: Text(2000),
    /** Even though transfers are open. */
    force: Type.Optional(Type.Boolean()),
    /** Even though the distribution account holds units of assets that others issue. */
    leaveUnits: Type.Optional(Type.Boolean()),
  }),
  response: {
    202: Type.Object({ id: Type.String(), status: AnchorStatus, removal: Removal }),
  },
  problems: [
    'anchor-not-found',
    'anchor-wrong-state',
    'anchor-has-open-transfers',
    'anchor-holds-units',
    'anchor-owes-customers',
    'confirmation-needed',
    'dependency-unavailable',
  ],
})

export const getRemoval = endpoint('GET /api/v1/admin/anchors/:id/removal', {
  realm: 'admin',
  role: 'viewer',
  summary: 'The progress of an anchor’s removal',
  params: FleetParams,
  response: { 200: Removal },
  problems: ['anchor-not-found', 'removal-not-found'],
})

/**
 * A tar.gz; docs/guides/anchor-export.md says what is in it. It has the data of all customers, so administrators with a
 * second factor confirm first. Each download is in the audit log.
 */
export const downloadExport = endpoint('GET /api/v1/admin/anchors/:id/export', {
  realm: 'admin',
  role: 'operator',
  summary: "The export of a removed anchor's data",
  params: FleetParams,
  response: { 200: Type.Unknown() },
  problems: ['anchor-not-found', 'removal-not-found', 'dependency-unavailable', 'confirmation-needed'],
  file: 'application/gzip',
})

/** The public key of `npm run export:key`; null: the export of the anchor is opened by the platform alone. */
export const ExportKey = Type.Object({
  publicKey: Type.Union([Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }), Type.Null()]),
})
export type ExportKey = Static<typeof ExportKey>

export const getExportKey = endpoint('GET /api/v1/anchors/:anchorId/export-key', {
  realm: 'operator',
  who: 'member',
  summary: "The key that opens the export of your anchor's data, once it is removed",
  params: AnchorParams,
  response: { 200: ExportKey },
  problems: ['anchor-not-found'],
})

/** Its founder keeps the private key: nobody else opens names and accounts in the export. */
export const setExportKey = endpoint('PUT /api/v1/anchors/:anchorId/export-key', {
  realm: 'operator',
  ...{ who: 'owner', confirm: true },
  summary: "Sets the key that opens the export of your anchor's data, once it is removed",
  params: AnchorParams,
  body: ExportKey,
  response: { 200: ExportKey },
  problems: ['anchor-not-found'],
})

const Successor = Type.Object({
  /** A person or firm. */
  name: OneLine(200),
  /** How holders of units reach them: an email or postal address. */
  contact: OneLine(300),
})

/** How an anchor that owes something is closed. */
export const WindDown = Type.Object({
  id: Type.String(),
  /** `waiting`: for a second administrator. `announced`: customers read it, and redeem until the day. */
  state: Type.Enum(['waiting', 'announced', 'rejected', 'ended']),
  reason: Type.String(),
  /** Units are redeemed until the end of this day in UTC. Then the anchor can be removed. */
  redeemUntil: Day,
  /** Who answers for what is left then. */
  successor: Successor,
  requestedBy: Type.String(),
  requestedAt: Time,
  decidedBy: Type.Union([Type.String(), Type.Null()]),
  decidedAt: Type.Union([Time, Type.Null()]),
})
export type WindDown = Static<typeof WindDown>

export const getWindDown = endpoint('GET /api/v1/admin/anchors/:id/wind-down', {
  realm: 'admin',
  role: 'viewer',
  summary: 'How an anchor is closed, the newest wish',
  params: FleetParams,
  response: { 200: WindDown },
  problems: ['anchor-not-found', 'not-found'],
})

/** New deposits stop once a second administrator approves it; withdrawals go on until the day at least. */
export const requestWindDown = endpoint('POST /api/v1/admin/anchors/:id/wind-down', {
  realm: 'admin',
  role: 'operator',
  summary: 'Asks to close an anchor that owes something, which a second administrator approves',
  params: FleetParams,
  body: Type.Object({ reason: Text(2000), redeemUntil: Day, successor: Successor }),
  response: { 201: WindDown },
  problems: ['anchor-not-found', 'anchor-wrong-state', 'confirmation-needed'],
})

export const decideWindDown = endpoint('POST /api/v1/admin/anchors/:id/wind-down/decision', {
  realm: 'admin',
  role: 'operator',
  summary: 'Approves or rejects that an anchor is closed, as another administrator asked',
  params: FleetParams,
  body: Type.Object({ approve: Type.Boolean() }),
  response: { 200: WindDown },
  problems: ['anchor-not-found', 'not-found', 'second-person-needed', 'confirmation-needed'],
})
