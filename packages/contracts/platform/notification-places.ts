import type { AnchorNotificationKind } from './notifications.ts'

/** Where in an anchor's workspace something is decided. */
interface Place {
  page:
    | 'anchor'
    | 'bank'
    | 'closing'
    | 'compliance'
    | 'developers'
    | 'ledger'
    | 'reconciliation'
    | 'settings'
    | 'transactions'
    | 'treasury'
    | 'webhooks'
  /** The record to open there. */
  open?: string
}

const places: Record<Exclude<AnchorNotificationKind, 'review-waiting'>, Place['page']> = {
  'anchor-active': 'anchor',
  'payout-failed': 'transactions',
  'treasury-low': 'treasury',
  'treasury-high': 'treasury',
  'treasury-settings-changed': 'treasury',
  'xlm-low': 'treasury',
  'webhook-failing': 'webhooks',
  'reconciliation-difference': 'reconciliation',
  'safeguarding-shortfall': 'reconciliation',
  'compliance-waiting': 'compliance',
  'second-person-waits': 'anchor',
  'compliance-second-person-waits': 'anchor',
}

/** What waits for a review, by the subject of the notification; any other subject is an incident of the ledger. */
const reviews: Record<string, Place['page']> = {
  'statement-lines': 'bank',
  'unmatched-lines': 'bank',
  'returned-payments': 'bank',
  'payout-files': 'bank',
  'payout-file-rejections': 'bank',
  'return-accounts': 'bank',
  'opening-balances': 'bank',
  'manual-entries': 'closing',
  'operator-actions': 'transactions',
  'unbound-orders': 'transactions',
  'rejected-customers': 'transactions',
  'other-holders': 'transactions',
  'deposits-taken-back': 'reconciliation',
  'refused-messages': 'developers',
}

/** The transaction that a detail names. */
const NAMED = /\bTransaction ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/

/** Where what a notification is about is decided; the record itself where the notification names one. */
export function placeOf(kind: AnchorNotificationKind, subject: string, detail: string): Place {
  const transaction = NAMED.exec(detail)?.[1]
  if (transaction !== undefined) return { page: 'transactions', open: transaction }
  if (kind !== 'review-waiting') return { page: places[kind] }
  return { page: subject.startsWith('rail-account-') ? 'settings' : (reviews[subject] ?? 'ledger') }
}

/** A detail in parts: a transaction that it names stands apart. */
export function partsOf(detail: string): [before: string, transaction: string, after: string] | [string] {
  const found = NAMED.exec(detail)
  if (!found?.[1]) return [detail]
  const start = found.index + found[0].length - found[1].length
  return [detail.slice(0, start), found[1], detail.slice(start + found[1].length)]
}
