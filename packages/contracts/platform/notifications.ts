import Type, { type Static } from 'typebox'
import { Id, Ok, Page, Text, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'

/*
 * What people are notified of, by email and by webhook. A condition is open from when it begins until it ends, and is
 * notified at both; an event happens at a moment.
 */

/** Conditions of an anchor, which its business server reports. */
const anchorConditions = [
  'treasury-low',
  'treasury-high',
  'xlm-low',
  'review-waiting',
  'compliance-waiting',
  'webhook-failing',
  'reconciliation-difference',
  'safeguarding-shortfall',
] as const
/** Events of an anchor. */
const anchorEvents = [
  'anchor-active',
  'payout-failed',
  'treasury-settings-changed',
  'second-person-waits',
  'compliance-second-person-waits',
] as const
/** What an anchor's own server may report. The platform finds out the rest itself. */
export const reportedByAnchors: readonly NotificationKind[] = [...anchorConditions, 'payout-failed']
/** What only those hear who may know of a suspicion. */
export const closedKinds: readonly NotificationKind[] = [
  'compliance-waiting',
  'compliance-second-person-waits',
]
/** The platform's: for its administrators. */
export const platformConditions = ['funding-low'] as const
const platformEvents = ['application-received'] as const
/** What only administrators are notified of. */
export const platformKinds: readonly NotificationKind[] = [...platformConditions, ...platformEvents]

export const AnchorNotificationKind = Type.Enum([...anchorConditions, ...anchorEvents])
export type AnchorNotificationKind = Static<typeof AnchorNotificationKind>
export const NotificationKind = Type.Enum([
  ...anchorConditions,
  ...anchorEvents,
  ...platformConditions,
  ...platformEvents,
])
export type NotificationKind = Static<typeof NotificationKind>

export const Notification = Type.Object({
  id: Type.String(),
  kind: NotificationKind,
  /** What it is about: a payment's, endpoint's or incident's id, or the kind itself. */
  subject: Type.String(),
  /** A sentence for people, in English. */
  detail: Type.String(),
  /** The same in Spanish, where it is known. */
  spanish: Type.Optional(Type.String()),
  startedAt: Time,
  /** Null: the condition is open. An event ends when it starts. */
  endedAt: Type.Union([Time, Type.Null()]),
})
export type Notification = Static<typeof Notification>

const ReportedCondition = Type.Object({
  kind: NotificationKind,
  subject: Text(200),
  detail: Text(1000),
  /** The detail in Spanish. */
  spanish: Type.Optional(Text(1000)),
})

/** What a service knows of its conditions now. The platform compares it with what is open. */
export const NotificationReport = Type.Object({
  /** The kinds that were looked at: open conditions of these kinds that are not in the report have ended. */
  evaluated: Type.Array(NotificationKind, { maxItems: 20 }),
  conditions: Type.Array(ReportedCondition, { maxItems: 200 }),
  /** What may be open or not, by evaluated kinds. Open ones stay open. */
  unsure: Type.Optional(
    Type.Array(Type.Object({ kind: NotificationKind, subject: Text(200) }), { maxItems: 200 }),
  ),
  /** Each is recorded once for its kind and subject. */
  events: Type.Array(Type.Object({ ...ReportedCondition.properties, at: Time }), { maxItems: 200 }),
})
export type NotificationReport = Static<typeof NotificationReport>

/** An anchor's server reports what concerns its operators; the platform's services report to administrators. */
export const reportNotifications = endpoint('PUT /api/v1/internal/notifications', {
  realm: 'internal',
  summary: 'Reports the conditions that are open now, and events; may be repeated',
  body: NotificationReport,
  response: { 200: Ok },
  problems: ['forbidden'],
  bodyLimit: 1200 * 1024,
})

const Params = Type.Object({ anchorId: Id })

export const listNotifications = endpoint('GET /api/v1/anchors/:anchorId/notifications', {
  realm: 'operator',
  summary: 'What happened at one of the own anchors, newest first',
  params: Params,
  query: Type.Object({ open: Type.Optional(Type.Boolean()), ...Page }),
  response: { 200: Type.Array(Notification) },
  problems: ['anchor-not-found'],
})

const Kinds = Type.Array(AnchorNotificationKind, { uniqueItems: true, maxItems: 20 })

/** Owners and admins get every email by default, members none. */
export const NotificationPreferences = Type.Object({ email: Kinds })
export type NotificationPreferences = Static<typeof NotificationPreferences>

export const getNotificationPreferences = endpoint('GET /api/v1/anchors/:anchorId/notification-preferences', {
  realm: 'operator',
  summary: 'Which emails about an anchor you get',
  params: Params,
  response: { 200: NotificationPreferences },
  problems: ['anchor-not-found'],
})

export const setNotificationPreferences = endpoint('PUT /api/v1/anchors/:anchorId/notification-preferences', {
  realm: 'operator',
  who: 'member',
  summary: 'Sets which emails about an anchor you get',
  params: Params,
  body: NotificationPreferences,
  response: { 200: NotificationPreferences },
})

/** `standard`: events, signed by Standard Webhooks. `slack`: sentences, as Slack's incoming webhooks and their kin take. */
export const notificationFormats = ['standard', 'slack'] as const
const NotificationFormat = Type.Enum([...notificationFormats])
export type NotificationFormat = Static<typeof NotificationFormat>

/** A webhook to which an anchor's notifications are sent. */
export const NotificationWebhook = Type.Object({
  id: Type.String(),
  /** With `slack`, only its host: anyone who has the address may write there. */
  url: Type.String(),
  format: Type.Optional(NotificationFormat),
  kinds: Kinds,
  createdAt: Time,
  /** Null: nothing was sent yet. */
  lastSentAt: Type.Union([Time, Type.Null()]),
  /** Why the last delivery failed; null: it succeeded. */
  lastError: Type.Union([Type.String(), Type.Null()]),
})
export type NotificationWebhook = Static<typeof NotificationWebhook>

export const listNotificationWebhooks = endpoint('GET /api/v1/anchors/:anchorId/notification-webhooks', {
  realm: 'operator',
  summary: "Webhooks for an anchor's notifications, at most 10",
  params: Params,
  response: { 200: Type.Array(NotificationWebhook, { maxItems: 10 }) },
  problems: ['anchor-not-found'],
})

export const createNotificationWebhook = endpoint('POST /api/v1/anchors/:anchorId/notification-webhooks', {
  realm: 'operator',
  who: 'admin',
  confirm: true,
  summary: 'Adds a webhook as an owner or admin; its secret is in this answer only',
  params: Params,
  body: Type.Object({
    url: Type.String({ format: 'uri', maxLength: 2000 }),
    kinds: Type.Array(AnchorNotificationKind, { uniqueItems: true, minItems: 1, maxItems: 20 }),
    /** By default `standard`. */
    format: Type.Optional(NotificationFormat),
  }),
  response: {
    201: Type.Object({
      ...NotificationWebhook.properties,
      /** Empty with `slack`, which checks no signatures. */
      secret: Type.String(),
    }),
  },
  idempotent: 'secret',
})

const OneWebhook = Type.Object({ anchorId: Id, id: Id })

export const deleteNotificationWebhook = endpoint(
  'DELETE /api/v1/anchors/:anchorId/notification-webhooks/:id',
  {
    realm: 'operator',
    who: 'admin',
    confirm: true,
    summary: 'Removes a webhook as an owner or admin',
    params: OneWebhook,
    response: { 200: Ok },
    problems: ['webhook-endpoint-not-found'],
  },
)

export const testNotificationWebhook = endpoint(
  'POST /api/v1/anchors/:anchorId/notification-webhooks/:id/test',
  {
    realm: 'operator',
    who: 'admin',
    summary: 'Sends the event `notification.test` to a webhook',
    params: OneWebhook,
    response: { 202: Ok },
    problems: ['webhook-endpoint-not-found', 'too-many-requests'],
  },
)
