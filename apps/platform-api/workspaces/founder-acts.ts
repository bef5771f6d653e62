import * as settings from '@windlass/contracts/anchor/anchor-settings.ts'
import { setWorkspaceSigningLimits } from '@windlass/contracts/platform/workspaces.ts'
import { complianceActs } from './compliance-acts.ts'
import { keepLowered, letsMoreSign, signingLimits } from './money-out.ts'
import { bankFileActs, transactionActs } from './payment-acts.ts'
import { recordActs } from './record-acts.ts'
import { relay, type Relay } from './relay.ts'
import { changesOf, keepSettings, prepareSettings } from './settings.ts'

const settingsActs: Relay[] = [
  relay({
    endpoint: settings.setWorkspaceSettings,
    prepare: prepareSettings,
    also: keepSettings,
    audit: {
      action: 'settings.changed',
      asked: ({ body }, before) => changesOf(before?.settings, body.settings),
      found: ({ history }) => ({ version: history[0]?.version }),
    },
  }),
  relay({
    endpoint: settings.uploadWorkspaceLogo,
    audit: { action: 'logo.uploaded', found: logo => ({ ...logo }) },
  }),
  relay({
    endpoint: settings.setWorkspaceCustomerTier,
    audit: {
      action: 'customer.tier-changed',
      asked: ({ params: { id }, body: { tier, reason } }) => ({ customerId: id, after: tier, reason }),
      found: ({ before, tier }) => ({ before, after: tier }),
    },
  }),
  relay({
    endpoint: setWorkspaceSigningLimits,
    prepare: signingLimits,
    needsSecond: letsMoreSign,
    also: keepLowered,
    audit: { action: 'anchor.signing-limits-set', asked: ({ body }) => body },
  }),
]

/**
 * Everything that founders read and do at their anchors, a row each. What changes something there, and what shows customers'
 * data, is in the audit log.
 */
export const founderActs: readonly Relay[] = [
  ...bankFileActs,
  ...transactionActs,
  ...complianceActs,
  ...recordActs,
  ...settingsActs,
]

/** What the log calls acts of which only those know who may know of a suspicion. */
export const closedActions: readonly string[] = [
  'auditor.read',
  ...founderActs.flatMap(({ endpoint: { area, path }, audit }) => {
    if (area !== 'compliance' || !audit) return []
    if (typeof audit.action !== 'string') throw new Error(`One name is needed for what is hidden: ${path}`)
    return audit.action
  }),
]
