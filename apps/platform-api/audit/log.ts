import type { AuditEntry } from '@windlass/contracts/platform/administrators.ts'
import type { PageStart } from '@windlass/service/http/pages.ts'
import { invalid } from '@windlass/service/http/problem.ts'
import { escapeLike } from '../infrastructure/like.ts'
import { sql } from 'kysely'
import type { PlatformDb } from '../tables.ts'

interface AuditFilter {
  subject?: string | undefined
  actor?: string | undefined
  /** The whole action or its beginning. */
  action?: string | undefined
  /** ISO 8601. */
  from?: string | undefined
  until?: string | undefined
  /** Leaves out these actions, and what led to them: that they were asked for, refused or lost. */
  without?: readonly string[]
}

/** `case.opened` also for `case.asked`, whose details begin with the act. Details are read as text: JSON may have what jsonb refuses. */
const wholeAct = sql`split_part(action, '.', 1) || '.' || coalesce(substring(details from '^{"act":"([^"]+)"'), split_part(action, '.', 2))`

async function findEntries(
  db: PlatformDb,
  filter: AuditFilter,
  start: PageStart | null,
  limit: number,
): Promise<{ entry: AuditEntry; createdAt: Date; id: string }[]> {
  let query = db.selectFrom('audit_log').selectAll().orderBy('sequence', 'desc').limit(limit)
  if (filter.subject) query = query.where('subject', '=', filter.subject)
  if (filter.actor) query = query.where('actor', '=', filter.actor)
  if (filter.action) query = query.where('action', 'like', `${escapeLike(filter.action)}%`)
  if (filter.from) query = query.where('at', '>=', new Date(filter.from))
  if (filter.until) query = query.where('at', '<', new Date(filter.until))
  if (filter.without) query = query.where(sql<boolean>`${wholeAct} <> all(${filter.without}::text[])`)
  if (start) query = query.where('sequence', '<', start.id)
  const rows = await query.execute()
  return rows.map(row => ({
    id: row.sequence,
    createdAt: row.at,
    entry: {
      id: row.sequence,
      at: row.at.toISOString(),
      actor: row.actor,
      action: row.action,
      subject: row.subject,
      details: JSON.parse(row.details) as Record<string, unknown>,
      hash: row.hash.toString('hex'),
    },
  }))
}

/** Entries, the newest first. Throws `validation-failed` for a cursor that is not one of this list. */
export function readEntries(db: PlatformDb, filter: AuditFilter, start: PageStart | null, limit: number) {
  if (start && !/^\d{1,18}$/.test(start.id)) throw invalid('cursor', 'must be the cursor of a Link header')
  return findEntries(db, filter, start, limit)
}
