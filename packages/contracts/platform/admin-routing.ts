import Type from 'typebox'
import { Page } from '../common.ts'
import { endpoint } from '../endpoint.ts'
import { createPolicy, PolicyParams, Replay, replayWeights, RoutingPolicy } from '../aggregator/routing.ts'

/*
 * The routing policy is stored by the aggregator, which accepts changes from platform services only: administrators reach
 * it through these.
 */

export const listRoutingPolicies = endpoint('GET /api/v1/admin/routing-policies', {
  realm: 'admin',
  role: 'viewer',
  summary: 'Every version of the routing policy, newest first; one is active',
  query: Type.Object(Page),
  response: { 200: Type.Array(RoutingPolicy) },
  problems: ['dependency-unavailable'],
})

export const saveRoutingPolicy = endpoint('POST /api/v1/admin/routing-policies', {
  realm: 'admin',
  role: 'operator',
  summary: 'Adds a version of the routing policy; it becomes the active one unless `active` is false',
  body: createPolicy.body,
  response: { 201: RoutingPolicy },
  problems: ['confirmation-needed', 'dependency-unavailable'],
  idempotent: 'replay',
})

export const activateRoutingPolicy = endpoint('POST /api/v1/admin/routing-policies/:id/activate', {
  realm: 'admin',
  role: 'operator',
  summary: 'Makes a version of the routing policy the active one',
  params: PolicyParams,
  response: { 200: RoutingPolicy },
  problems: ['confirmation-needed', 'policy-not-found', 'dependency-unavailable'],
})

export const replayRoutingWeights = endpoint('POST /api/v1/admin/routing-policies/replay', {
  realm: 'admin',
  role: 'viewer',
  summary: 'Scores past decisions under weights that are not saved; changes nothing',
  body: replayWeights.body,
  response: { 200: Replay },
  problems: ['dependency-unavailable'],
})
