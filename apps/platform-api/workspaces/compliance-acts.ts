import type { TravelProviderEntry } from '@windlass/contracts/anchor/travel-messages.ts'
import * as owners from '@windlass/contracts/platform/workspace-beneficial-owners.ts'
import { previewErasure } from '@windlass/contracts/anchor/retention.ts'
import * as cases from '@windlass/contracts/platform/workspace-cases.ts'
import * as compliance from '@windlass/contracts/platform/workspace-compliance.ts'
import * as agreements from '@windlass/contracts/platform/workspace-sending-anchors.ts'
import * as reports from '@windlass/contracts/platform/workspace-report-settings.ts'
import * as registers from '@windlass/contracts/platform/workspace-registers.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import { createHash } from 'node:crypto'
import { requireOfficer } from './assignees.ts'
import { fromAnchor } from './anchor-server.ts'
import { always, DOWNLOAD_MS, READING_MS, read, relay, type Relay } from './relay.ts'
import * as weakening from './weakening.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Whatever decides whose messages count as this provider’s: who approves it sees that too. Never the key. */
const providerAsked = (entry: TravelProviderEntry) => {
  const { name, travelAddress, accounts, domains } = entry
  const { clientCertificates, authority, ownCertificate: own } = entry
  return {
    ...{ name, travelAddress, accounts, domains },
    ...(clientCertificates && { clientCertificates }),
    ...(authority !== undefined && { authoritySha256: authority && sha256(authority) }),
    ...(own !== undefined && { ownCertificateSha256: own && sha256(own.certificate) }),
  }
}

/** What changes sanctions screening, without names. */
export const complianceActs: Relay[] = [
  read(compliance.getWorkspaceScreening),
  read(compliance.getWorkspaceVelocityRules),
  read(compliance.replayWorkspaceVelocityRule),
  read(compliance.getWorkspaceRiskRules),
  read(compliance.listWorkspaceCustomerRatings),
  read(compliance.getWorkspaceCustomerRating),
  read(compliance.getWorkspaceTravelRule),
  read(compliance.listWorkspaceScreeningHits),
  read(compliance.getWorkspaceBlockedProperty),
  read(compliance.listWorkspaceReleasedProperty),
  read(compliance.listWorkspaceSanctionsLists),
  read(compliance.listWorkspaceRemovals),
  relay({
    endpoint: compliance.getWorkspaceScreeningCase,
    audit: { action: 'screening-case.exported' },
  }),
  relay({
    endpoint: compliance.getWorkspaceTravelRuleRecord,
    audit: { action: 'travel-rule.exported' },
  }),
  relay({ endpoint: compliance.getWorkspaceEvidence, audit: { action: 'evidence.exported' } }),
  relay({
    endpoint: compliance.setWorkspaceScreeningThreshold,
    prepare: weakening.thresholdNow,
    needsSecond: weakening.raisesThreshold,
    audit: { action: 'screening-threshold.changed', asked: ({ body }) => body },
  }),
  relay({
    endpoint: compliance.setWorkspaceVelocityRules,
    prepare: weakening.velocityNow,
    needsSecond: weakening.loosensVelocity,
    audit: {
      action: 'velocity-rules.changed',
      asked: ({ body: { rules, reason } }) => ({ rules, ...(reason && { reason }) }),
    },
  }),
  relay({
    endpoint: compliance.setWorkspaceTravelRule,
    prepare: weakening.travelRuleNow,
    needsSecond: weakening.raisesTravelRule,
    audit: {
      action: 'travel-rule.changed',
      asked: ({ body: { settings: set, reason } }) => ({ ...set, ...(reason && { reason }) }),
    },
  }),
  read(compliance.getWorkspaceRetention),
  relay({
    endpoint: compliance.setWorkspaceRetention,
    prepare: weakening.retentionNow,
    needsSecond: weakening.keepsShorter,
    audit: {
      action: 'retention.changed',
      asked: ({ body: { rules, reason } }) => ({ ...rules, ...(reason && { reason }) }),
    },
  }),
  relay({
    endpoint: compliance.getWorkspaceCustomerCopy,
    within: DOWNLOAD_MS,
    fileName: ({ params: { id } }) => `customer-${id}.json`,
    audit: { action: 'customer.copied' },
  }),
  relay({
    endpoint: compliance.previewWorkspaceErasure,
    audit: { action: 'customer-erasure.looked-at' },
  }),
  relay({
    endpoint: compliance.eraseWorkspaceCustomer,
    // A repeat whose first answer was lost finds the customer no more: the anchor answers as it did.
    prepare: async (_, { params: { id } }, server) =>
      fromAnchor(server.call(previewErasure, { params: { id } })).catch((error: unknown) => {
        if (error instanceof Problem && error.code === 'customer-not-found') return { alone: true }
        throw error
      }),
    needsSecond: (_, __, { alone }) => !alone,
    audit: {
      action: 'customer.erased',
      asked: ({ params: { id }, body }) => ({ id, ...body }),
      found: ({ kept, until }) => ({ kept, until }),
    },
  }),
  read(compliance.listWorkspaceTravelProviders),
  read(compliance.listWorkspaceTravelInquiries),
  relay({
    endpoint: compliance.putWorkspaceTravelProvider,
    needsSecond: always,
    audit: {
      action: 'travel-provider.entered',
      asked: ({ params: { id }, body }) => ({ id, ...providerAsked(body) }),
    },
  }),
  relay({
    endpoint: compliance.deleteWorkspaceTravelProvider,
    needsSecond: always,
    audit: { action: 'travel-provider.removed', asked: ({ params: { id } }) => ({ id }) },
  }),
  relay({
    endpoint: compliance.decideWorkspaceTravelInquiry,
    audit: {
      action: 'travel-inquiry.decided',
      asked: ({ params: { id }, body: { decision, reason } }) => ({ id, decision, reason }),
    },
  }),
  read(compliance.getWorkspaceOutsideChecks),
  relay({
    endpoint: compliance.setWorkspaceOutsideCheck,
    prepare: weakening.outsideChecksNow,
    needsSecond: weakening.asksAnother,
    audit: {
      action: 'outside-check.changed',
      asked: ({ params: { kind }, body: { url, reason } }) => ({ kind, url, ...(reason && { reason }) }),
    },
  }),
  relay({
    endpoint: compliance.setWorkspaceRiskRules,
    prepare: weakening.riskRulesNow,
    needsSecond: weakening.ratesLower,
    audit: {
      action: 'risk-rules.changed',
      asked: ({ body: { rules, reason } }) => ({ ...rules, ...(reason && { reason }) }),
    },
  }),
  relay({
    endpoint: compliance.reviewWorkspaceCustomerRating,
    prepare: weakening.ratingNow,
    needsSecond: weakening.lowersRating,
    audit: {
      action: 'customer-rating.reviewed',
      asked: ({ params: { id }, body: { atLeast, reason } }) => ({ id, atLeast, ...(reason && { reason }) }),
    },
  }),
  read(compliance.getWorkspaceCountryRules),
  relay({
    endpoint: compliance.setWorkspaceCountryRules,
    prepare: weakening.countriesNow,
    needsSecond: weakening.servesMore,
    audit: {
      action: 'country-rules.changed',
      asked: ({ body: { rules, reason } }) => ({ ...rules, ...(reason && { reason }) }),
    },
  }),
  relay({
    endpoint: compliance.loadWorkspaceSanctionsList,
    within: READING_MS,
    audit: {
      action: 'sanctions-list.loaded',
      asked: ({ query: { fileName } }) => ({ fileName }),
      found: ({ version, source, fileName, sha256, publishedOn, entries }) => ({
        ...{ version, source, fileName, sha256, publishedOn, entries },
      }),
    },
  }),
  relay({
    endpoint: compliance.decideWorkspaceScreeningHit,
    audit: {
      action: 'screening-hit.decided',
      asked: ({ params: { id }, body: { decision, reason } }) => ({ id, decision, reason }),
      found: ({ match, velocity }) =>
        match ? { source: match.source, entryId: match.entryId } : { rule: velocity?.rule.kind },
    },
  }),
  read(cases.listWorkspaceCases),
  read(cases.getWorkspaceCase),
  relay({
    endpoint: cases.getWorkspaceCaseReport,
    audit: { action: 'case.exported', asked: ({ params: { id }, query: { format } }) => ({ id, format }) },
  }),
  // Reasons and notes stay at the anchor: the log is permanent, and people of the team read it.
  relay({
    endpoint: cases.openWorkspaceCase,
    audit: {
      action: 'case.opened',
      asked: ({ body: { subject } }) => ({ about: subject.kind, of: subject.id }),
      found: ({ case: { id } }) => ({ id }),
    },
  }),
  relay({ endpoint: cases.noteWorkspaceCase, audit: { action: 'case.noted' } }),
  relay({
    endpoint: cases.planWorkspaceCase,
    prepare: requireOfficer,
    audit: { action: 'case.planned', asked: ({ params: { id }, body }) => ({ id, ...body }) },
  }),
  relay({
    endpoint: cases.closeWorkspaceCase,
    audit: { action: 'case.closed', asked: ({ params: { id }, body: { outcome } }) => ({ id, outcome }) },
  }),
  read(reports.getWorkspaceReportSettings),
  relay({
    endpoint: reports.setWorkspaceReportSettings,
    audit: {
      action: 'report-settings.changed',
      asked: ({ body: { goaml, schema } }) => ({
        ...{ rentityId: goaml.rentityId, ...(schema && { fileName: schema.fileName }) },
      }),
      found: ({ version }) => ({ version }),
    },
  }),
  read(registers.listWorkspaceRegister),
  relay({
    endpoint: registers.addToWorkspaceRegister,
    audit: {
      action: 'register-entry.added',
      asked: ({ params: { register }, body: { category } }) => ({ register, category }),
      found: ({ id, number }) => ({ id, number }),
    },
  }),
  relay({
    endpoint: registers.addWorkspaceRegisterStep,
    audit: {
      action: 'register-entry.continued',
      asked: ({ params: { register, id }, body: { closes } }) => ({ register, id, closes }),
    },
  }),
  read(owners.listWorkspaceBeneficialOwners),
  // Names stay at the anchor: the log is permanent.
  relay({
    endpoint: owners.addWorkspaceBeneficialOwner,
    audit: {
      action: 'beneficial-owner.entered',
      asked: ({ params: { id } }) => ({ customer: id }),
      found: ({ id }) => ({ id }),
    },
  }),
  relay({
    endpoint: owners.endWorkspaceBeneficialOwner,
    audit: { action: 'beneficial-owner.ended', asked: ({ params: { id } }) => ({ id }) },
  }),
  read(agreements.listWorkspaceSendingAnchors),
  relay({
    endpoint: agreements.putWorkspaceSendingAnchor,
    audit: {
      action: 'sending-anchor.agreed',
      asked: ({ params: { account }, body }) => ({ account, ...body }),
      found: ({ name, tier }) => ({ name, tier }),
    },
  }),
  relay({
    endpoint: agreements.deleteWorkspaceSendingAnchor,
    audit: { action: 'sending-anchor.ended' },
  }),
]
