import type { AuditEntry } from '@windlass/contracts/platform/administrators.ts'
import { catalogue } from '../catalogue.ts'
import { formatList } from '../formats.ts'

type Details = AuditEntry['details']

export const auditEntries = catalogue('auditEntries', {
  /** What each action did, as the end of a sentence that begins with the actor. */
  phrases: {
    'application.submitted': 'submitted the application',
    'application.approved': 'approved the application',
    'application.rejected': 'rejected the application',
    'invitation.issued': 'issued an invitation',
    'invitation.reissued': 'issued a new invitation',
    'invitation.revoked': 'revoked the invitation',
    'invitation.redeemed': 'redeemed the invitation',
    'anchor.draft': 'created the anchor',
    'anchor.provisioning': 'started provisioning',
    'anchor.active': 'activated the anchor',
    'anchor.suspended': 'suspended the anchor',
    'anchor.resumed': 'resumed the anchor',
    'anchor.error': 'stopped provisioning after a failure',
    'anchor.removed': 'removed the anchor',
    'anchor.ledger-reset': 'restored the anchor after a ledger reset',
    'anchor.upgraded': 'upgraded the anchor',
    'anchor.upgrade-failed': 'rolled back an upgrade',
    'anchor.secrets-rotated': 'rotated the anchor’s secrets',
    'anchor.signing-limits-set': 'changed the signing limits',
    'anchor.test-deposit': 'started a test deposit',
    'anchor.upgrade-requested': 'requested an upgrade',
    'anchor.removal-requested': 'requested the removal',
    'anchor.removal-refused': 'refused the removal',
    'anchor.export-downloaded': 'downloaded the export',
    'api-key.made': 'created an API key',
    'api-key.rolled': 'rolled an API key',
    'api-key.revoked': 'revoked an API key',
    'ledger-incident.resolved': 'resolved a ledger incident',
    'notification-webhook.added': 'added a notification webhook',
    'notification-webhook.removed': 'removed a notification webhook',
    'webhook-endpoint.added': 'added a webhook endpoint',
    'webhook-endpoint.removed': 'removed a webhook endpoint',
    'webhook-delivery.replayed': 'sent a webhook again',
    'treasury.settings-changed': 'changed the treasury settings',
    'settings.changed': 'changed the settings',
    'logo.uploaded': 'uploaded a logo',
    'customer.tier-changed': 'changed the tier of a customer',
    'reconciliation.started': 'compared journal, ledger and rails',
    'difference.assigned': 'assigned a difference',
    'difference.resolved': 'resolved a difference',
    'records.downloaded': 'downloaded records',
    'routing-policy.saved': 'saved a routing policy',
    'routing-policy.activated': 'activated a routing policy',
    'bank-statement.uploaded': 'uploaded a bank statement',
    'returned-payment.asked': 'is about to pay a returned payment again',
    'returned-payment.waiting': 'asked a second person to approve that a returned payment is paid again',
    'returned-payment.failed': 'could not decide about a returned payment',
    'returned-payment.paid-again': 'paid a returned payment again',
    'returned-payment.approved': 'approved that a returned payment is paid again',
    'returned-payment.rejected': 'rejected that a returned payment is paid again',
    'statement-line.asked': 'is about to change what a statement line is',
    'statement-line.waiting': 'asked a second person to approve what a statement line is',
    'statement-line.failed': 'could not change what a statement line is',
    'statement-line.decided': 'decided about a statement line',
    'statement-line.decision-approved': 'approved a decision about a statement line',
    'statement-line.decision-rejected': 'rejected a decision about a statement line',
    'statement-line.reversed': 'reversed a decision about a statement line',
    'csv-columns.changed': 'changed how CSV statements are read',
    'payout.account-added': 'added the account of a return, or the holder of a payout’s account',
    'payout.account-approved': 'approved the account of a return',
    'payout.account-dismissed': 'dismissed the account of a return',
    'rail.change-requested': 'requested another account for a rail',
    'rail.change-approved': 'approved another account for a rail',
    'rail.change-cancelled': 'canceled the change of a rail',
    'payout-file.seen': 'looked at the payments of a payout file',
    'payout-file.created': 'created a payout file',
    'payout-file.approved': 'approved a payout file',
    'payout-file.canceled': 'canceled a payout file',
    'payout-file.rejection-requested': 'said that the bank rejected a payout file',
    'payout-file.rejected': 'approved that the bank rejected a payout file',
    'payout-file.rejection-dismissed': 'dismissed that the bank rejected a payout file',
    'payout-file.downloaded': 'downloaded a payout file',
    'sanctions-list.loaded': 'loaded a sanctions list',
    'sending-anchor.agreed': 'lets an anchor send direct payments',
    'sending-anchor.ended': 'ended the agreement with a sending anchor',
    'screening-threshold.changed': 'changed the threshold of sanctions screening',
    'travel-rule.changed': 'changed the travel rule',
    'travel-rule.exported': 'exported who sent and who received a transaction',
    'velocity-rules.changed': 'changed the velocity rules',
    'screening-hit.decided': 'decided about a screening hit',
    'screening-case.exported': 'exported a case of sanctions screening',
    'transaction.action-requested': 'asked a second person to approve an action',
    'transaction.action-done': 'acted on a transaction',
    'transaction.action-rejected': 'rejected an action on a transaction',
    'provisioning.retried': 'retried provisioning',
    'member.added': 'added a member',
    'member.changed': 'changed the role of a member',
    'member.removed': 'removed a member',
    'administrator.invited': 'invited an administrator',
    'administrator.invitation-revoked': 'revoked the invitation of an administrator',
    'administrator.joined': 'accepted the invitation',
    'administrator.role-changed': 'changed the role of an administrator',
    'administrator.removed': 'removed an administrator',
    'administrator.password-changed': 'changed their password',
    'admin.signed-in': 'signed in',
    'second-factor.added': 'added a second factor',
    'second-factor.removed': 'removed a second factor',
    'second-factor.codes-replaced': 'created new recovery codes',
    'second-factor.recovered': 'used a recovery code',
    'second-factor.reset': 'reset the second factors',
    'wallet.linked': 'linked a wallet',
    'wallet.waiting': 'signed a customer in with a wallet that waits for them',
    'wallet.confirmed': 'confirmed a wallet',
    'wallet.removed': 'refused or removed a wallet',
    'wallet.unlinked': 'unlinked a wallet',
    'wallet.proven': 'proved a wallet',
    'wallet.outdone': 'ended another customer’s proof of a wallet',
    'consent.withdrawn': 'withdrew the access of an anchor',
    'customer.deleted': 'deleted their account',
    'kyc.decided': 'decided the identity check',
  } as Record<string, string>,
  recorded: (action: string) => `recorded “${action}”`,
  /** Names of details; others are their keys in words. */
  facts: {
    change: 'Change',
    reason: 'Reason',
    name: 'Name',
    email: 'Email',
    role: 'Role',
    status: 'Status',
    scopes: 'Scopes',
    subdomain: 'Subdomain',
    stage: 'Stage',
    amount: 'Amount',
    rail: 'Rail',
    url: 'URL',
    events: 'Events',
    provider: 'Provider',
    address: 'Address',
    version: 'Version',
  } as Record<string, string>,
})

/** The end of the sentence; an action of a later version keeps its own name. */
export const phraseOf = (action: string): string =>
  auditEntries.phrases[action] ?? auditEntries.recorded(action.replaceAll(/[.-]/g, ' '))

/** The details by readable name, with before and after as `member → admin`. */
export function factsOf(details: Details): [name: string, value: string][] {
  const { from, to, before, after, ...rest } = details
  const [old, next] = [from ?? before, to ?? after]
  const change: [string, unknown][] =
    old !== undefined && next !== undefined ? [['change', `${textOf(old)} → ${textOf(next)}`]] : []
  const single = [
    ['from', from],
    ['to', to],
    ['before', before],
    ['after', after],
  ] as const
  const known = change.length > 0 ? change : single.filter(([, value]) => value !== undefined)
  return [...known, ...Object.entries(rest)].map(([name, value]) => [nameOf(name), textOf(value)])
}

const nameOf = (key: string) => {
  const known = auditEntries.facts[key]
  if (known) return known
  const words = key
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return formatList(value.map(textOf))
  return typeof value === 'string' ? value : JSON.stringify(value)
}
