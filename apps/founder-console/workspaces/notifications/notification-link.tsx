import type { NotificationKind } from '@windlass/contracts/platform/notifications.ts'
import { Link } from 'react-router'
import { paths, type WorkspacePage } from '../../paths.ts'
import { workspace } from '../texts.ts'
import { notifications as texts } from './texts.ts'

/** Where what a notification is about is decided. */
const places: Partial<Record<NotificationKind, WorkspacePage>> = {
  'anchor-active': 'anchor',
  'payout-failed': 'transactions',
  'treasury-low': 'treasury',
  'treasury-high': 'treasury',
  'treasury-settings-changed': 'treasury',
  'xlm-low': 'treasury',
  'webhook-failing': 'webhooks',
  'reconciliation-difference': 'reconciliation',
}

/** What waits for a review, by the subject of the notification; any other subject is an incident of the ledger. */
const reviews: Record<string, WorkspacePage> = {
  'statement-lines': 'bank',
  'returned-payments': 'bank',
  'payout-file-rejections': 'bank',
  'return-accounts': 'bank',
  'operator-actions': 'transactions',
  'screening-hits': 'compliance',
}

function placeOf(kind: NotificationKind, subject: string): WorkspacePage | undefined {
  if (kind !== 'review-waiting') return places[kind]
  return subject.startsWith('rail-account-') ? 'settings' : (reviews[subject] ?? 'ledger')
}

interface NotificationLinkProps {
  anchorId: string
  kind: NotificationKind
  subject: string
}

/** Opens the page where what a notification is about is decided. */
export function NotificationLink({ anchorId, kind, subject }: NotificationLinkProps) {
  const page = placeOf(kind, subject)
  if (page === undefined) return null
  return (
    <Link to={paths.workspace(anchorId, page)} className="link whitespace-nowrap">
      {texts.openPage(workspace.tabs[page || 'overview'])}
    </Link>
  )
}
