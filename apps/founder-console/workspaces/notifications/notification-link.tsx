import { partsOf, placeOf } from '@windlass/contracts/platform/notification-places.ts'
import type { AnchorNotificationKind, Notification } from '@windlass/contracts/platform/notifications.ts'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { workspace } from '../texts.ts'
import { notifications as texts } from './texts.ts'

type About = { anchorId: string } & Pick<Notification, 'kind' | 'subject' | 'detail'>

/** Opens what a notification is about, where it is decided. */
export function NotificationLink({ anchorId, kind, subject, detail }: About) {
  const { page, open } = placeOf(kind as AnchorNotificationKind, subject, detail)
  return (
    <Link to={paths.workspace(anchorId, page, { open })} className="link whitespace-nowrap">
      {open ? texts.openTransaction : texts.openPage(workspace.tabs[page])}
    </Link>
  )
}

/** A detail, in which a transaction's ID opens the transaction. */
export function Detail({ anchorId, children }: { anchorId: string; children: string }) {
  const [before, transaction, after] = partsOf(children)
  if (transaction === undefined) return before
  return (
    <>
      {before}
      <Link to={paths.workspace(anchorId, 'transactions', { open: transaction })} className="link">
        {transaction}
      </Link>
      {after}
    </>
  )
}
