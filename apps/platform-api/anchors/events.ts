import type { Email } from '../infrastructure/mailer.ts'
import type { AnchorEvent } from '@windlass/contracts/anchor-life.ts'
import type { AnchorPlan } from '@windlass/contracts/anchor-plan.ts'
import type { PageStart } from '@windlass/service/pages.ts'
import { Problem } from '@windlass/service/problem.ts'
import { sql } from 'kysely'
import { record } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { formatEmail, oneLine, enqueueEmail } from '../mail/email.ts'
import type { PlatformDb } from '../tables.ts'
import { ownerEmails } from '../operators/organizations.ts'
import { lockAnchor } from './anchors.ts'

/**
 * Records what happened to an anchor, once for each id, and emails its organization's owners where they need to know.
 * Throws `anchor-not-found`.
 */
export async function recordEvent(deps: Deps, anchorId: string, event: AnchorEvent): Promise<void> {
  await deps.database.db.transaction().execute(tx => recordEventIn(deps, tx, anchorId, event))
}

/** As {@link recordEvent}, in the caller's transaction; it writes to the audit log, so it comes last. */
export async function recordEventIn(
  deps: Pick<Deps, 'sealer' | 'clock'>,
  tx: PlatformDb,
  anchorId: string,
  event: AnchorEvent,
): Promise<void> {
  const anchor = await lockAnchor(tx, anchorId)
  if (!anchor) throw new Problem('anchor-not-found', 'There is no anchor with this id.')
  const { id, kind, detail, at } = event
  const added = await tx
    .insertInto('anchor_events')
    .values({ id, anchor_id: anchorId, kind, detail, at: new Date(at) })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst()
  if (added.numInsertedOrUpdatedRows !== 1n) return
  const email = eventEmail(anchor.plan, event)
  if (email) {
    for (const owner of await ownerEmails(tx, anchor.organization_id))
      await enqueueEmail(tx, deps.sealer, `anchor-event:${id}:${owner}`, owner, email)
  }
  const act = {
    actor: 'system',
    action: `anchor.${kind}`,
    subject: `anchor:${anchorId}`,
    details: { detail },
  }
  await record(tx, act, deps.clock.now())
}

export async function findEvents(db: PlatformDb, anchorId: string, start: PageStart | null, limit: number) {
  let query = db
    .selectFrom('anchor_events')
    .selectAll()
    .where('anchor_id', '=', anchorId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (start) query = query.where(sql<boolean>`(at, id) < (${start.createdAt}, ${start.id})`)
  const rows = await query.execute()
  return rows.map(({ id, at, kind, detail }) => ({
    id,
    createdAt: at,
    event: { id, kind, detail, at: at.toISOString() },
  }))
}

/** The email to an anchor's owners about an event; null where they need none. */
function eventEmail(plan: AnchorPlan, { kind, detail }: AnchorEvent): Email | null {
  const name = oneLine(plan.organizationName)
  if (kind === 'ledger-reset') {
    return formatEmail({
      subject: `The test network was reset: ${name} was restored`,
      paragraphs: [
        'Hello,',
        `The accounts of ${plan.homeDomain} were missing from the ledger, as happens when a test network is reset. They are funded and ${plan.asset.code} is issued again, with the same keys.`,
        'Balances and trustlines of customers on the old ledger are lost.',
      ],
      footnote: detail,
    })
  }
  if (kind === 'removed') {
    return formatEmail({
      subject: `${name}'s anchor was removed`,
      paragraphs: [
        'Hello,',
        `The anchor at ${plan.homeDomain} was removed by an administrator: its servers are stopped and payments are no longer routed to it. Its data was exported first, and its keys are archived.`,
      ],
      footnote: detail,
    })
  }
  return null
}

/** When the anchor's accounts were last found missing from the ledger. */
export async function lastLedgerReset(db: PlatformDb, anchorId: string): Promise<Date | null> {
  const row = await db
    .selectFrom('anchor_events')
    .select(({ fn }) => fn.max('at').as('at'))
    .where('anchor_id', '=', anchorId)
    .where('kind', '=', 'ledger-reset')
    .executeTakeFirst()
  return row?.at ?? null
}
