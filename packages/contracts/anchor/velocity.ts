import Type, { type Static } from 'typebox'
import { Amount, Count, Nullable, Time } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { VelocityRule } from './compliance.ts'

/** What a rule would have held of the newest transfers, at most 500 of the last 30 days. */
export const VelocityReplay = Type.Object({
  /** How many were counted again, the oldest of them at `since`. */
  transfers: Count,
  since: Nullable(Time),
  /** How many of them it would have held. */
  held: Count,
  /** The newest 50 of those. */
  examples: Type.Array(Type.Object({ id: Type.String(), at: Time, count: Count, amount: Amount })),
})
export type VelocityReplay = Static<typeof VelocityReplay>
const ReplayQuery = Type.Object({
  kind: VelocityRule.properties.kind,
  hours: VelocityRule.properties.hours,
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  amount: Type.Optional(Amount),
})

export const replayVelocityRule = endpoint('GET /api/v1/velocity-rules/replay', {
  realm: 'developer',
  scopes: ['compliance'],
  summary: 'What a velocity rule would have held, before it is set',
  query: ReplayQuery,
  response: { 200: VelocityReplay },
})
