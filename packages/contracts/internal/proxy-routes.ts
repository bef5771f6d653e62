import Type, { type Static } from 'typebox'
import { Ok } from '../common.ts'
import { endpoint } from '../endpoint.ts'

/** Paths of targets below this one are the control plane's, which answers for anchors that sleep and wakes them. */
export const STAND_IN = '/asleep/'

/** One host of the reverse proxy. The longest matching prefix decides; a target of null answers 404. */
export const ProxyRoute = Type.Object({
  host: Type.String({ pattern: '^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$' }),
  rules: Type.Array(
    Type.Object({
      prefix: Type.String({ pattern: '^/', maxLength: 200 }),
      target: Type.Union([Type.String({ format: 'uri', maxLength: 500 }), Type.Null()]),
    }),
    { minItems: 1, maxItems: 32 },
  ),
  /** What the dashboard shows beside the host, such as the anchor's id. */
  label: Type.Optional(Type.String({ maxLength: 100 })),
})
export type ProxyRoute = Static<typeof ProxyRoute>

const Host = Type.Object({ host: Type.String({ minLength: 1, maxLength: 253 }) })

export const putRoute = endpoint('PUT /routes/:host', {
  realm: 'service',
  summary: "Sets a host's route; may be repeated",
  params: Host,
  body: ProxyRoute,
  response: { 200: ProxyRoute },
  problems: ['route-not-changeable'],
})

/** Requests of a host. */
export const HostActivity = Type.Object({
  host: Type.String(),
  /** Requests and WebSockets that have not ended. */
  underWay: Type.Integer(),
  /** Milliseconds since the last one began or ended, or since the proxy started. */
  quietMs: Type.Number(),
})
export type HostActivity = Static<typeof HostActivity>

export const listActivity = endpoint('GET /activity', {
  realm: 'service',
  summary: 'How long no host of an anchor was used',
  response: { 200: Type.Array(HostActivity) },
})

export const listRoutes = endpoint('GET /routes', {
  realm: 'service',
  summary: 'Every route that the proxy serves',
  response: { 200: Type.Array(ProxyRoute) },
})

export const removeRoute = endpoint('DELETE /routes/:host', {
  realm: 'service',
  summary: "Removes a host's route, if it has one",
  params: Host,
  response: { 200: Ok },
  problems: ['route-not-changeable'],
})
