import { seesCompliance } from '@windlass/contracts/access.ts'
import {
  type AnchorNotificationKind,
  AnchorNotificationKind as Kinds,
  closedKinds,
} from '@windlass/contracts/platform/notifications.ts'
import { placeOf } from '@windlass/contracts/platform/notification-places.ts'
import type { MemberRole } from '@windlass/contracts/realm.ts'
import { sql } from 'kysely'
import { administratorEmails } from '../administrators/accounts.ts'
import type { Deps } from '../deps.ts'
import { enqueueEmail } from '../mail/email.ts'
import { listPeople } from '../operators/organizations.ts'
import type { PlatformDb } from '../tables.ts'
import { type Changes, groupChanges, type NotifiedAnchor, type Row } from './changes.ts'
import { notificationEmail } from './emails.ts'
import { enqueueWebhooks } from './webhooks.ts'

/** For one anchor. Further changes within the hour are recorded and sent to webhooks, but not emailed. */
const EMAILS_AN_HOUR = 30

/** In the caller's transaction: one email for each person and kind, one delivery for each webhook and change. */
export async function notify(
  deps: Pick<Deps, 'config' | 'sealer' | 'clock' | 'logger'>,
  tx: PlatformDb,
  anchor: NotifiedAnchor | null,
  changes: Changes,
): Promise<void> {
  const groups = groupChanges(changes)
  if (groups.length === 0) return
  if (anchor) await enqueueWebhooks(tx, deps.clock.now(), anchor, groups, row => linkOf(deps, anchor, [row]))
  if ((await countEmails(tx, anchor, deps.clock.now())) > EMAILS_AN_HOUR) {
    deps.logger.warn({ anchorId: anchor?.id }, 'too many notifications in an hour: no email is sent')
    return
  }
  for (const group of groups) {
    const { kind, phase, rows } = group
    const url = anchor ? linkOf(deps, anchor, rows) : deps.config.urls.adminConsole
    const email = notificationEmail(kind, phase, { details: rows, anchor, url })
    for (const to of await recipients(deps, tx, anchor, kind))
      await enqueueEmail(tx, deps.sealer, `notification:${rows[0]?.id}:${phase}:${to}`, to, email)
  }
}

/** Opens what the email is about; the list of notifications where that is at several places. */
function linkOf({ config }: Pick<Deps, 'config'>, anchor: NotifiedAnchor, rows: readonly Row[]): string {
  const workspace = `${config.urls.founderConsole}/workspaces/${encodeURIComponent(anchor.id)}`
  const places = rows.map(({ kind, subject, detail }) => {
    const { page, open } = placeOf(kind as AnchorNotificationKind, subject, detail)
    return open ? `${page}?open=${encodeURIComponent(open)}` : page
  })
  return `${workspace}/${new Set(places).size === 1 ? places[0] : 'notifications'}`
}

/** Emails to one person in the last hour, these included: a report has one for each kind that starts or ends. */
async function countEmails(tx: PlatformDb, anchor: NotifiedAnchor | null, now: Date): Promise<number> {
  const since = new Date(now.getTime() - 3_600_000)
  const row = await tx
    .selectFrom('notifications')
    .select(
      sql<number>`count(distinct (kind, recorded_at)) filter (where recorded_at > ${since})
        + count(distinct (kind, ended_at)) filter (where not event and ended_at > ${since})`.as('count'),
    )
    .where('anchor_id', anchor ? '=' : 'is', anchor?.id ?? null)
    .where(where => where.or([where('recorded_at', '>', since), where('ended_at', '>', since)]))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Addresses that get an email of a kind. */
async function recipients(
  { config }: Pick<Deps, 'config'>,
  tx: PlatformDb,
  anchor: NotifiedAnchor | null,
  kind: Row['kind'],
): Promise<string[]> {
  if (!anchor) return administratorEmails(tx, config)
  const people = await listPeople(tx, anchor.organizationId)
  const chosen = await tx
    .selectFrom('notification_preferences')
    .select(['user_id', 'kinds'])
    .where('anchor_id', '=', anchor.id)
    .execute()
  return people.flatMap(({ id, email, role }) => {
    if (closedKinds.includes(kind) && !seesCompliance(role)) return []
    const kinds = chosen.find(({ user_id }) => user_id === id)?.kinds ?? defaultKinds(role)
    return kinds.some(each => each === kind) ? [email] : []
  })
}

/** What owners and admins hear of; people of an area hear of what they decide. */
function defaultKinds(role: MemberRole): readonly AnchorNotificationKind[] {
  if (role === 'compliance') return ['compliance-waiting', 'compliance-second-person-waits']
  if (role === 'finance')
    return [
      'review-waiting',
      'reconciliation-difference',
      'safeguarding-shortfall',
      'payout-failed',
      'second-person-waits',
    ]
  return role === 'owner' || role === 'admin' ? Kinds.enum : []
}

/** The kinds of which a member of the anchor's organization gets emails. */
export async function getPreferences(
  db: PlatformDb,
  { anchorId, userId, role }: { anchorId: string; userId: string; role: MemberRole },
): Promise<AnchorNotificationKind[]> {
  const row = await db
    .selectFrom('notification_preferences')
    .select('kinds')
    .where('anchor_id', '=', anchorId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return [...(row?.kinds ?? defaultKinds(role))]
}

export async function setPreferences(
  db: PlatformDb,
  anchorId: string,
  userId: string,
  kinds: AnchorNotificationKind[],
): Promise<void> {
  await db
    .insertInto('notification_preferences')
    .values({ anchor_id: anchorId, user_id: userId, kinds })
    .onConflict(conflict => conflict.columns(['anchor_id', 'user_id']).doUpdateSet({ kinds }))
    .execute()
}
