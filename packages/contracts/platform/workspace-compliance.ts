import Type from 'typebox'
import { Id } from '../common.ts'
import * as compliance from '../anchor/compliance.ts'
import { endpoint } from '../endpoint.ts'
import * as travelRule from '../anchor/travel-rule.ts'

/*
 * Sanctions screening of an anchor, for its organization in the console. Owners and admins of a day or more, who have just
 * confirmed that it is them, load lists and decide.
 */

const Params = Type.Object({ anchorId: Id })
const One = Type.Object({ anchorId: Id, id: Id })
const problems = ['anchor-not-found', 'dependency-unavailable'] as const
const managers = [...problems, 'forbidden', 'confirmation-needed', 'second-person-needed'] as const

export const getWorkspaceScreening = endpoint('GET /api/v1/anchors/:anchorId/screening', {
  realm: 'operator',
  summary: 'Sanctions lists that are loaded, and how names are compared with them',
  params: Params,
  response: { 200: compliance.Screening },
  problems,
})

export const setWorkspaceScreeningThreshold = endpoint('PUT /api/v1/anchors/:anchorId/screening', {
  realm: 'operator',
  summary: 'Sets from which score on names are alike',
  params: Params,
  body: Type.Object(compliance.ThresholdBody),
  response: { 200: compliance.Screening },
  problems: managers,
})

export const loadWorkspaceSanctionsList = endpoint('POST /api/v1/anchors/:anchorId/sanctions-lists', {
  realm: 'operator',
  summary: "Loads a sanctions list: OFAC's SDN list, the UN's or the EU's consolidated list",
  params: Params,
  query: Type.Object(compliance.ListQuery),
  ...compliance.listFile,
  response: { 201: compliance.SanctionsList },
  problems: [...managers, ...compliance.listProblems],
})

export const getWorkspaceVelocityRules = endpoint('GET /api/v1/anchors/:anchorId/velocity-rules', {
  realm: 'operator',
  summary: 'Velocity rules of the anchor, and who changed them',
  params: Params,
  response: { 200: compliance.VelocityHistory },
  problems,
})

export const setWorkspaceVelocityRules = endpoint('PUT /api/v1/anchors/:anchorId/velocity-rules', {
  realm: 'operator',
  summary: 'Sets the velocity rules for transfers that are paid from now on',
  params: Params,
  body: Type.Object(compliance.RulesChange),
  response: { 200: compliance.VelocityHistory },
  problems: [...managers, 'settings-changed'],
})

export const listWorkspaceScreeningHits = endpoint('GET /api/v1/anchors/:anchorId/screening-hits', {
  realm: 'operator',
  summary: 'Names like those on sanctions lists and transfers beyond velocity rules, newest first',
  params: Params,
  query: compliance.HitsQuery,
  response: compliance.listScreeningHits.response,
  problems,
})

/** What was confirmed is cleared by another person only. */
export const decideWorkspaceScreeningHit = endpoint(
  'POST /api/v1/anchors/:anchorId/screening-hits/:id/decision',
  {
    realm: 'operator',
    summary: 'Clears a hit, so that what it held continues, or confirms it',
    params: One,
    body: compliance.HitDecision,
    response: { 200: compliance.ScreeningHit },
    problems: [...managers, ...compliance.decisionProblems],
  },
)

export const getWorkspaceScreeningCase = endpoint('GET /api/v1/anchors/:anchorId/screening-hits/:id/case', {
  realm: 'operator',
  summary: 'A hit with its list, decisions and transactions',
  params: One,
  response: { 200: compliance.ScreeningCase },
  problems: [...problems, 'forbidden', 'confirmation-needed', 'screening-hit-not-found'],
})

export const getWorkspaceTravelRule = endpoint('GET /api/v1/anchors/:anchorId/travel-rule', {
  realm: 'operator',
  summary: 'From which amount the sides of a transfer are kept with it',
  params: Params,
  response: { 200: travelRule.TravelRuleHistory },
  problems,
})

export const setWorkspaceTravelRule = endpoint('PUT /api/v1/anchors/:anchorId/travel-rule', {
  realm: 'operator',
  summary: 'Sets from which amount the sides of a transfer are kept with it',
  params: Params,
  body: Type.Object(travelRule.TravelRuleChange),
  response: { 200: travelRule.TravelRuleHistory },
  problems: [...managers, 'settings-changed'],
})

/** For owners and admins, after a recent confirmation. Each export is recorded. */
export const getWorkspaceTravelRuleRecord = endpoint(
  'GET /api/v1/anchors/:anchorId/transactions/:id/travel-rule',
  {
    realm: 'operator',
    summary: 'Who sends and who receives a transfer, in the data model IVMS101.2023',
    params: One,
    response: { 200: travelRule.TravelRuleRecord },
    problems: [...problems, 'forbidden', 'confirmation-needed', ...travelRule.recordProblems],
  },
)
