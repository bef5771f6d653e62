import Type, { type Static } from 'typebox'
import { endpoint } from './endpoint.ts'

/** `checks` has a result for each dependency: `ok`, or a few words about the fault. */
export const Health = Type.Object({
  status: Type.Enum(['ok', 'failing']),
  service: Type.String(),
  version: Type.String(),
  checks: Type.Record(Type.String(), Type.String()),
})
export type Health = Static<typeof Health>

/** Liveness: asks no dependency, so a restart can help a process that does not answer. */
export const getLiveness = endpoint('GET /health/live', {
  realm: 'public',
  limit: { unlimited: 'It reads nothing.' },
  summary: 'Whether the process is alive',
  response: { 200: Type.Object({ status: Type.Literal('ok') }) },
})

/** Every service answers it: 200, or 503 with the failing check named. */
export const getHealth = endpoint('GET /health', {
  realm: 'public',
  limit: { unlimited: 'Monitors ask it, and a check ends within two seconds.' },
  summary: 'Whether the service and its dependencies are healthy',
  response: { 200: Health, 503: Health },
})
