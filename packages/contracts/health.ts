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

/** Whether the process answers: no dependency is asked, so a restart can cure what it does not answer. */
export const getLiveness = endpoint('GET /health/live', {
  realm: 'public',
  summary: 'Whether the process answers at all',
  response: { 200: Type.Object({ status: Type.Literal('ok') }) },
})

/** Every service answers it: 200, or 503 with the failing check named. */
export const getHealth = endpoint('GET /health', {
  realm: 'public',
  summary: 'Whether the service and what it stands on are well',
  response: { 200: Health, 503: Health },
})
