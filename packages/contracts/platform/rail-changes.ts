import Type, { type Static } from 'typebox'
import { railNames } from './application-fields.ts'
import { Id, Nullable, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'

/*
 * How a founder changes the account and the provider of a rail after the application, or adds a rail. Money of customers
 * goes where they say, so one owner or admin requests a change and another one approves it.
 */

export const railChangeStatuses = ['waiting', 'approved', 'cancelled'] as const

const Rail = Type.Enum([...railNames])
/** The fields of `railProviders` for the rail, all of them: what is left out is empty afterwards. */
const Credentials = Type.Record(Type.String({ maxLength: 40 }), Type.String({ maxLength: 500 }), {
  maxProperties: 20,
})

export const RailChange = Type.Object({
  id: Id,
  rail: Type.String(),
  provider: Type.String(),
  /** The fields that are not secret, as they will be. */
  fields: Type.Record(Type.String(), Type.String()),
  /** The names of the secret fields that are given. */
  secrets: Type.Array(Type.String()),
  /** Whether the anchor does not have the rail yet. */
  adds: Type.Boolean(),
  status: Type.Enum([...railChangeStatuses]),
  /** `operator:<id>` */
  requestedBy: Type.String(),
  requestedAt: Time,
  decidedBy: Nullable(Type.String()),
  decidedAt: Nullable(Time),
})
export type RailChange = Static<typeof RailChange>

export const WorkspaceRails = Type.Object({
  /** The rails that the anchor has. */
  rails: Type.Array(Type.String()),
  /** Newest first. The application's own credentials are in the secrets store alone, and are not shown. */
  changes: Type.Array(RailChange),
})
export type WorkspaceRails = Static<typeof WorkspaceRails>

const Params = Type.Object({ anchorId: Id })
const ChangeParams = Type.Object({ anchorId: Id, id: Id })
const toMoveMoney = { realm: 'operator', who: 'admin', confirm: true, secondPerson: true } as const

/** Accounts at banks are shown in whole, so that a second person can compare them. */
export const getWorkspaceRails = endpoint('GET /api/v1/anchors/:anchorId/rails', {
  realm: 'operator',
  who: 'admin',
  summary: 'The rails of the anchor, and the changes of their accounts',
  params: Params,
  response: { 200: WorkspaceRails },
})

/** Nothing changes until another person approves it. A rail that the anchor does not have is added. */
export const requestRailChange = endpoint('POST /api/v1/anchors/:anchorId/rail-changes', {
  ...toMoveMoney,
  summary: 'Requests another account or provider for a rail, or a further rail',
  params: Params,
  body: Type.Object({ rail: Rail, provider: Type.String({ maxLength: 40 }), credentials: Credentials }),
  response: { 201: RailChange },
  problems: ['rail-change-waiting', 'dependency-unavailable'],
})

/**
 * Another person than who requested it. The anchor's servers start again with it within a minute; deposits that were agreed before are still found on statements of the earlier account.
 */
export const approveRailChange = endpoint('POST /api/v1/anchors/:anchorId/rail-changes/:id/approve', {
  ...toMoveMoney,
  summary: 'Approves the change of a rail that someone else requested',
  params: ChangeParams,
  response: { 200: RailChange },
  problems: ['not-found', 'rail-change-decided'],
})

export const cancelRailChange = endpoint('POST /api/v1/anchors/:anchorId/rail-changes/:id/cancel', {
  realm: 'operator',
  who: 'admin',
  summary: 'Cancels the change of a rail that waits',
  params: ChangeParams,
  response: { 200: RailChange },
  problems: ['not-found', 'rail-change-decided'],
})
