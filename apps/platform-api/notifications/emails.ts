import type { NotificationKind } from '@windlass/contracts/notifications.ts'
import type { Email } from '../infrastructure/mailer.ts'
import { formatEmail, oneLine } from '../mail/email.ts'
import type { Phase } from './changes.ts'

interface Texts {
  /** In the subject, after the home domain. */
  title: string
  /** The title when the condition has ended. */
  ended?: string
  /** What to do. */
  next: string
}

const texts: Record<NotificationKind, Texts> = {
  'treasury-low': {
    title: 'the treasury is low',
    ended: 'the treasury is no longer low',
    next: 'Top up the treasury. Deposits that it cannot cover wait, and are refunded after a day.',
  },
  'treasury-high': {
    title: 'the treasury is above its ceiling',
    ended: 'the treasury is below its ceiling again',
    next: 'The amount above the ceiling is sent to the cold account, if one is set.',
  },
  'xlm-low': {
    title: 'XLM is low',
    ended: 'there is enough XLM again',
    next: 'Send XLM to the distribution account. Payments on the ledger wait until it can pay fees and reserves.',
  },
  'review-waiting': {
    title: 'a review is waiting',
    ended: 'a review is done',
    next: 'Open the console and decide.',
  },
  'webhook-failing': {
    title: 'a webhook is failing',
    ended: 'a webhook works again',
    next: 'Check the endpoint. Deliveries are retried for about a day.',
  },
  'reconciliation-difference': {
    title: 'the journal differs from the ledger or a rail',
    ended: 'the journal agrees with ledger and rails again',
    next: 'Open Reconciliation and Ledger in the console, find the cause and resolve it.',
  },
  'anchor-active': {
    title: 'the anchor is active',
    next: 'Wallets can find it and customers can deposit and withdraw.',
  },
  'payout-failed': {
    title: 'a payout failed',
    next: 'The customer is refunded on the ledger. Check the transaction in the console.',
  },
  'treasury-settings-changed': {
    title: 'the treasury settings were changed',
    next: 'If no one in your team did this, contact the administrators of the platform now.',
  },
  'funding-low': {
    title: 'the funding account lacks XLM',
    ended: 'the funding account has enough XLM again',
    next: 'Send XLM to the funding account. Until then no anchor is created or topped up.',
  },
  'application-received': {
    title: 'a new application was received',
    next: 'Review it in the admin console.',
  },
}

/** How many details an email lists. */
const LISTED = 20

interface NotificationEmail {
  kind: NotificationKind
  phase: Phase
  details: readonly string[]
  /** Null: the email is about the platform. */
  anchor: { homeDomain: string } | null
  url: string
}

/** One email for all notifications of a kind. */
export function notificationEmail({ kind, phase, details, anchor, url }: NotificationEmail): Email {
  const { title, ended, next } = texts[kind]
  const name = oneLine(anchor?.homeDomain ?? 'Windlass')
  const rest = details.length - LISTED
  return formatEmail({
    subject: `${name}: ${phase === 'ended' ? (ended ?? title) : title}`,
    paragraphs: [
      'Hello,',
      ...(phase === 'ended' ? ['This condition has ended:'] : []),
      ...details.slice(0, LISTED),
      ...(rest > 0 ? [`And ${rest} more.`] : []),
      ...(phase === 'ended' ? [] : [next]),
    ],
    link: { label: 'Open the console', url },
    footnote: anchor
      ? 'Choose which of these emails you get under Notifications in the workspace.'
      : 'This email is for administrators of Windlass.',
  })
}
