import { getBlockedProperty, listReleasedProperty } from '../anchor/blocked-property.ts'
import * as compliance from '../anchor/compliance.ts'
import * as countries from '../anchor/country-rules.ts'
import * as evidence from '../anchor/evidence.ts'
import * as outside from '../anchor/outside-checks.ts'
import * as risk from '../anchor/risk-rating.ts'
import * as retention from '../anchor/retention.ts'
import * as messages from '../anchor/travel-messages.ts'
import { relayed } from '../relayed.ts'
import * as travelRule from '../anchor/travel-rule.ts'
import { replayVelocityRule } from '../anchor/velocity.ts'

/* Sanctions screening of an anchor, for its organization in the console. */

const area = 'compliance'
const toDecide = { area, who: 'admin', confirm: true, secondPerson: true } as const
/** What finds less than before waits for a second person, and says why. */
const toChange = { ...toDecide, problems: ['second-person-waits', 'dependency-unavailable'] } as const
const toExport = { area, who: 'admin', confirm: true } as const

export const getWorkspaceScreening = relayed(
  'GET /api/v1/anchors/:anchorId/screening',
  compliance.getScreening,
  { area },
)

export const setWorkspaceScreeningThreshold = relayed(
  'PUT /api/v1/anchors/:anchorId/screening',
  compliance.setScreeningThresholdAs,
  toChange,
)

export const loadWorkspaceSanctionsList = relayed(
  'POST /api/v1/anchors/:anchorId/sanctions-lists',
  compliance.loadSanctionsListAs,
  toDecide,
)

export const getWorkspaceVelocityRules = relayed(
  'GET /api/v1/anchors/:anchorId/velocity-rules',
  compliance.getVelocityRules,
  { area, summary: 'Velocity rules of the anchor, and who changed them' },
)

export const replayWorkspaceVelocityRule = relayed(
  'GET /api/v1/anchors/:anchorId/velocity-rules/replay',
  replayVelocityRule,
  { area },
)

export const setWorkspaceVelocityRules = relayed(
  'PUT /api/v1/anchors/:anchorId/velocity-rules',
  compliance.setVelocityRulesAs,
  toChange,
)

export const listWorkspaceScreeningHits = relayed(
  'GET /api/v1/anchors/:anchorId/screening-hits',
  compliance.listScreeningHits,
  { area, summary: 'Names like those on sanctions lists and transfers beyond velocity rules, newest first' },
)

/** Only another person may clear what one person confirmed, and it takes two people to clear a name that scores 0.95 or more. */
export const decideWorkspaceScreeningHit = relayed(
  'POST /api/v1/anchors/:anchorId/screening-hits/:id/decision',
  compliance.decideScreeningHitAs,
  { ...toDecide, summary: 'Clears a hit, so that what it held continues, or confirms it' },
)

/** Each export is recorded. */
export const getWorkspaceScreeningCase = relayed(
  'GET /api/v1/anchors/:anchorId/screening-hits/:id/case',
  compliance.getScreeningCase,
  toExport,
)

export const getWorkspaceBlockedProperty = relayed(
  'GET /api/v1/anchors/:anchorId/blocked-property',
  getBlockedProperty,
  { area },
)

export const listWorkspaceReleasedProperty = relayed(
  'GET /api/v1/anchors/:anchorId/blocked-property/released',
  listReleasedProperty,
  { area },
)

export const listWorkspaceSanctionsLists = relayed(
  'GET /api/v1/anchors/:anchorId/sanctions-lists',
  compliance.listSanctionsLists,
  { area },
)

export const listWorkspaceRemovals = relayed(
  'GET /api/v1/anchors/:anchorId/removals',
  retention.listRemovals,
  {},
)

export const getWorkspaceTravelRule = relayed(
  'GET /api/v1/anchors/:anchorId/travel-rule',
  travelRule.getTravelRule,
  {},
)

export const setWorkspaceTravelRule = relayed(
  'PUT /api/v1/anchors/:anchorId/travel-rule',
  travelRule.setTravelRuleAs,
  toChange,
)

export const listWorkspaceTravelProviders = relayed(
  'GET /api/v1/anchors/:anchorId/travel-providers',
  messages.listTravelProviders,
  { area },
)

/** Names of customers are sent where it says: it always waits for a second person. */
export const putWorkspaceTravelProvider = relayed(
  'PUT /api/v1/anchors/:anchorId/travel-providers/:id',
  messages.putTravelProviderAs,
  toChange,
)

/** Takes a provider out of the directory: it always waits for a second person. */
export const deleteWorkspaceTravelProvider = relayed(
  'DELETE /api/v1/anchors/:anchorId/travel-providers/:id',
  messages.deleteTravelProviderAs,
  toChange,
)

export const listWorkspaceTravelInquiries = relayed(
  'GET /api/v1/anchors/:anchorId/travel-inquiries',
  messages.listTravelInquiries,
  { area, summary: 'What the anchor asked providers by the travel rule, and what they asked' },
)

export const decideWorkspaceTravelInquiry = relayed(
  'POST /api/v1/anchors/:anchorId/travel-inquiries/:id/decision',
  messages.decideTravelInquiryAs,
  toDecide,
)

export const getWorkspaceOutsideChecks = relayed(
  'GET /api/v1/anchors/:anchorId/outside-checks',
  outside.getOutsideChecks,
  { area },
)

export const setWorkspaceOutsideCheck = relayed(
  'PUT /api/v1/anchors/:anchorId/outside-checks/:kind',
  outside.setOutsideCheckAs,
  toChange,
)

export const getWorkspaceRiskRules = relayed('GET /api/v1/anchors/:anchorId/risk-rules', risk.getRiskRules, {
  area,
})

export const setWorkspaceRiskRules = relayed(
  'PUT /api/v1/anchors/:anchorId/risk-rules',
  risk.setRiskRulesAs,
  toChange,
)

export const listWorkspaceCustomerRatings = relayed(
  'GET /api/v1/anchors/:anchorId/customer-ratings',
  risk.listCustomerRatings,
  { area },
)

export const getWorkspaceCustomerRating = relayed(
  'GET /api/v1/anchors/:anchorId/customers/:id/ratings',
  risk.getCustomerRating,
  { area },
)

export const reviewWorkspaceCustomerRating = relayed(
  'POST /api/v1/anchors/:anchorId/customers/:id/rating',
  risk.reviewCustomerRatingAs,
  toChange,
)

export const getWorkspaceRetention = relayed(
  'GET /api/v1/anchors/:anchorId/retention',
  retention.getRetention,
  {},
)

export const setWorkspaceRetention = relayed(
  'PUT /api/v1/anchors/:anchorId/retention',
  retention.setRetentionAs,
  toChange,
)

/** Each copy is recorded. */
export const getWorkspaceCustomerCopy = relayed(
  'GET /api/v1/anchors/:anchorId/customers/:id/copy',
  retention.getCustomerCopy,
  toExport,
)

export const previewWorkspaceErasure = relayed(
  'GET /api/v1/anchors/:anchorId/customers/:id/erasure',
  retention.previewErasure,
  toExport,
)

/** A second person approves where a case, complaint, dispute or debt is open. */
export const eraseWorkspaceCustomer = relayed(
  'POST /api/v1/anchors/:anchorId/customers/:id/erase',
  retention.eraseCustomerAs,
  toChange,
)

export const getWorkspaceCountryRules = relayed(
  'GET /api/v1/anchors/:anchorId/country-rules',
  countries.getCountryRules,
  {},
)

export const setWorkspaceCountryRules = relayed(
  'PUT /api/v1/anchors/:anchorId/country-rules',
  countries.setCountryRulesAs,
  toChange,
)

/** Each export is recorded. */
export const getWorkspaceEvidence = relayed(
  'GET /api/v1/anchors/:anchorId/transactions/:id/evidence',
  evidence.getEvidence,
  toExport,
)

/** Each export is recorded. */
export const getWorkspaceTravelRuleRecord = relayed(
  'GET /api/v1/anchors/:anchorId/transactions/:id/travel-rule',
  travelRule.getTravelRuleRecord,
  toExport,
)
