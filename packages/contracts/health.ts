import Type, { type Static } from 'typebox'
import { endpoint } from './endpoint.ts'

/** `checks` names each dependency: `ok`, or in a few words what is wrong with it. */
export const Health = Type.Object({
  status: Type.Enum(['ok', 'failing']),
  service: Type.String(),
  version: Type.String(),
  checks: Type.Record(Type.String(), Type.String()),
})
export type Health = Static<typeof Health>

/** Every service answers it: 200, or 503 with the failing check named. */
export const getHealth = endpoint('GET /health', {
  realm: 'public',
  summary: 'Whether the service and what it stands on are well',
  response: { 200: Health, 503: Health },
})
